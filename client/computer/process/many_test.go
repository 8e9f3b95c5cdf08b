//go:build system

package process_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/client/computer/process"
)

// TestTooMany checks that a program with too many processes is ended.
func TestTooMany(t *testing.T) {
	in := sh(fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 30 & i=$((i+1)); done; wait", process.MaxProcesses+20))
	if got := call(t.Context(), t, t.TempDir(), anything, in); !strings.Contains(got, fmt.Sprintf("the limit is %d", process.MaxProcesses)) {
		t.Error(got)
	}
}
