package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slow bounds the wait for the longest line, which the race detector makes many times slower.
const slow = 5 * time.Minute

// shellDriver starts a driver that answers its first call with a text of size bytes.
func shellDriver(t *testing.T, size int) *Driver {
	t.Helper()
	const script = `#!/bin/sh
echo '{"language": "shell"}'
read -r line
printf '{"id":1,"ok":"'
head -c %d /dev/zero | tr '\0' x
echo '"}'
cat >/dev/null
`
	at := filepath.Join(t.TempDir(), "driver.sh")
	if err := os.WriteFile(at, fmt.Appendf(nil, script, size), 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := Start(t.Context(), []string{at})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// A line of a driver may have maxDriverLine bytes, and not more.
func TestLongLine(t *testing.T) {
	t.Parallel()
	around := len(`{"id":1,"ok":""}`) + 1 // the end of the line
	for _, tt := range []struct {
		name string
		size int
		want string
	}{
		{"as long as may be", maxDriverLine - around, ""},
		{"longer", maxDriverLine + 1 - around + 1, "a line of more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := shellDriver(t, tt.size).call("health", Args{}, Opts{})
			if err != nil {
				t.Fatal(err)
			}
			line, err := c.next(slow)
			if tt.want == "" && (err != nil || len(line.OK) != tt.size+2) {
				t.Errorf("%d bytes, %v", len(line.OK), err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
