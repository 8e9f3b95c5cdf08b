//go:build !linux && !darwin

package main

// freeBytes is unknown on this system.
func freeBytes(string) (free uint64, known bool) { return 0, false }
