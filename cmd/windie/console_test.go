package main

import (
	"os"
	"strings"
	"testing"
)

// Without a gateway there is no console to open: nothing is printed, and no database is made.
func TestConsoleNeedsAGateway(t *testing.T) {
	t.Parallel()
	url := serveForTest(t)
	for name, tt := range map[string]struct {
		args []string
		told string
	}{
		"no gateway":          {[]string{"--listen", "127.0.0.1:1"}, "start one with `windie serve`"},
		"no gateway there":    {[]string{"--listen", "127.0.0.1:1", "--at", "http://127.0.0.1:1"}, "no gateway answers"},
		"another data folder": {[]string{"--at", url}, "uses another data folder"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, out, complaint := windie(t, nil, append([]string{"console", "--data-dir", dir}, tt.args...)...)
			if code != exitFailed || out != "" || !strings.Contains(complaint, tt.told) {
				t.Errorf("%d %s%s", code, out, complaint)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}
