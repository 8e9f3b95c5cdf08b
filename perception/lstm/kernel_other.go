//go:build !amd64

package lstm

func machineKernels() []*kernel { return nil }
