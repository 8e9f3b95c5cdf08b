package lstm

import "golang.org/x/sys/cpu"

// machineKernels lists the vector kernels of this processor, fastest first. They speed up only the
// products; the other loops are portable.
func machineKernels() []*kernel {
	var list []*kernel
	if cpu.ARM64.HasASIMDDP {
		list = append(list, products("neon-dotprod", dotSDOT))
	}
	return append(list, products("neon", dotNEON))
}

// products makes a kernel of an assembly function. It checks the lengths of slices before each
// call.
func products(name string, multiply func(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)) *kernel {
	return &kernel{
		name: name,
		dot: func(m *matrix, x []int8, stride int, out []int32) {
			_, _ = x[(batch-1)*stride+m.groups*group-1], out[batch*m.panels*lanes-1]
			multiply(&m.packed[0], &m.bias[0], &x[0], stride, m.groups, m.panels, &out[0])
		},
		convolve: convolve, squash: squash, step: step,
	}
}

//go:noescape
func dotSDOT(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)

//go:noescape
func dotNEON(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)
