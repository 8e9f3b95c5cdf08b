//go:build !linux

package main

// memoryFolder returns "": there is no folder in memory that is always there.
func memoryFolder() string { return "" }
