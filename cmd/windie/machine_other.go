//go:build !linux && !darwin

package main

// maxFiles is unknown on this system.
func maxFiles() (n uint64, known bool) { return 0, false }

// codeMemory always succeeds on this system.
func codeMemory() error { return nil }
