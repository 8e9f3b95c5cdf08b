//go:build !amd64 && !arm64

package lstm

// machineKernels returns nil: these processors have only the portable kernel.
func machineKernels() []*kernel { return nil }
