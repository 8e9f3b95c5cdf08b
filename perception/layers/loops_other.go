//go:build !amd64 && !arm64

package layers

// machineLoops returns nil: there are no vector loops for this processor.
func machineLoops() *loops { return nil }
