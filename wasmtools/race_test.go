//go:build race

package wasmtools_test

// With the race detector all is slower, and takes memory of its own.
const (
	slowness    = 10
	memoryTells = false
)
