//go:build !linux

package main

// memoryFolder returns "": there is not a folder in memory that is always there.
func memoryFolder() string { return "" }
