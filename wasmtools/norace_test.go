//go:build !race

package wasmtools_test

const (
	slowness    = 1
	memoryTells = true
)
