//go:build !linux

package memlimit

// physical returns 0, because the memory is unknown on this system.
func physical() int64 { return 0 }
