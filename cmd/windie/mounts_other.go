//go:build !linux

package main

// mountsBelow lists nothing on this system: a failing rename shows a mount.
func mountsBelow(string) ([]string, error) { return nil, nil }
