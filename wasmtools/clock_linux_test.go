//go:build system

package wasmtools_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// ownTime returns how long this process has computed, on all cores together. The figures of getrusage run backwards on
// some virtual machines.
func ownTime() time.Duration {
	var used unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &used) // fails for no valid argument
	return time.Duration(used.Nano())
}
