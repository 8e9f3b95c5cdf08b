//go:build !linux

package main

// mountsBelow lists nothing: what cannot be renamed is seen when it is tried.
func mountsBelow(string) ([]string, error) { return nil, nil }
