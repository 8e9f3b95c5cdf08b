package memlimit

import (
	"math"

	"golang.org/x/sys/unix"
)

// physical returns the machine's memory in bytes, from a system call, without /proc. It returns 0
// if that fails.
func physical() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	total, unit := uint64(info.Totalram), uint64(max(info.Unit, 1)) //nolint:unconvert // 32 bits elsewhere
	if total > math.MaxInt64/unit {
		return 0
	}
	return int64(total * unit)
}
