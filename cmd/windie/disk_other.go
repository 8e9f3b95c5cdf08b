//go:build !linux && !darwin

package main

// freeBytes knows nothing of disks here.
func freeBytes(string) (free uint64, known bool) { return 0, false }
