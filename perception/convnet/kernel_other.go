//go:build !amd64 && !arm64

package convnet

// machineLoops returns the inner loops for this processor, or nil for the portable ones.
func machineLoops() *loops { return nil }
