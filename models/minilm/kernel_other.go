//go:build !amd64

package minilm

// machineKernel returns nil: this processor has no kernel with vector instructions.
func machineKernel() *kernel { return nil }
