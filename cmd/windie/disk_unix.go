//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// freeBytes returns the free space of a folder's disk for an ordinary user, in bytes.
func freeBytes(dir string) (free uint64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Bsize <= 0 {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
