//go:build !linux && !darwin

package main

import "os"

// dropTyped drops nothing here: half a line that was typed before a question is the beginning of its answer.
func dropTyped(*os.File) error { return nil }
