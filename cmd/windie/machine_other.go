//go:build !linux && !darwin

package main

// maxFiles knows no such limit.
func maxFiles() (n uint64, known bool) { return 0, false }

// codeMemory knows no such prohibition.
func codeMemory() error { return nil }
