//go:build system

package conformance

import (
	"strings"
	"testing"
)

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
