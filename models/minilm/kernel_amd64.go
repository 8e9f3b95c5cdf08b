package minilm

import "golang.org/x/sys/cpu"

// machineKernel returns the kernel with vector instructions, or nil if the processor lacks them. It
// checks the lengths of slices, which the assembly cannot do.
func machineKernel() *kernel {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	return &kernel{
		name: "avx2",
		tile: func(out []float32, outStride int, in []float32, inStride int, weights, bias []float32) {
			inputs := len(weights) / panel
			_, _, _ = out[(tileRows-1)*outStride+panel-1], in[(tileRows-1)*inStride+inputs-1], bias[panel-1]
			tileAVX2(&out[0], outStride, &in[0], inStride, &weights[0], inputs, &bias[0])
		},
		exp:  func(x []float32) float32 { return expAVX2(&x[0], len(x)) },
		gelu: func(x []float32) { geluAVX2(&x[0], len(x)) },
	}
}

//go:noescape
func tileAVX2(out *float32, outStride int, in *float32, inStride int, weights *float32, inputs int, bias *float32)

//go:noescape
func expAVX2(x *float32, n int) float32

//go:noescape
func geluAVX2(x *float32, n int)
