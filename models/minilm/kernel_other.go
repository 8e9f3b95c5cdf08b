//go:build !amd64

package minilm

// machineKernel returns nil: there is no kernel of vector instructions for this processor.
func machineKernel() *kernel { return nil }
