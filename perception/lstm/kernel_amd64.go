package lstm

import "golang.org/x/sys/cpu"

// machineKernels lists the vector kernels of this processor, fastest first.
func machineKernels() []*kernel {
	var list []*kernel
	if x := cpu.X86; x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VNNI {
		list = append(list, vector("avx512-vnni", dotAVX512, convolveAVX512, squashAVX512, stepAVX512, unsigned))
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasAVXVNNI {
		list = append(list, vector("avx-vnni", dotVNNI, convolveVNNI, squashAVX2, stepAVX2, unsigned))
	}
	if cpu.X86.HasAVX2 {
		k := vector("avx2", dotAVX2, convolveAVX2, squashAVX2, stepAVX2, signed)
		k.positive = positive
		list = append(list, k)
	}
	return list
}

// unsigned returns the offsets for VNNI, which multiplies unsigned by signed bytes: the kernel adds
// 128 to each input, and matrix.offset subtracts the effect.
func unsigned(m *matrix) *int32 { return &m.offset[0] }

// signed returns the offsets for kernels that multiply signed bytes: the bias alone.
func signed(m *matrix) *int32 { return &m.bias[0] }

// vector makes a kernel of assembly functions. It checks the lengths of slices before each call.
func vector(name string,
	dot func(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32),
	convolve func(w *int8, from *int32, img *int8, stride, n int, out *int32),
	squash func(in *int32, scale *float32, n int, out *int8, stride int),
	step func(raw *int32, scale, state *float32, units int, out *int8),
	from func(*matrix) *int32,
) *kernel {
	return &kernel{
		name: name,
		dot: func(m *matrix, x []int8, stride int, out []int32) {
			_, _ = x[(batch-1)*stride+m.groups*group-1], out[batch*m.panels*lanes-1]
			dot(&m.packed[0], from(m), &x[0], stride, m.groups, m.panels, &out[0])
		},
		convolve: func(m *matrix, img []int8, stride int, out []int32) {
			n := len(out) / lanes
			if n == 0 {
				return
			}
			_ = img[4*stride+(n-1)*pool+pool-1+group-1]
			convolve(&m.packed[0], from(m), &img[0], stride, n, &out[0])
		},
		squash: func(in []int32, scale []float32, out []int8, stride int) {
			n := len(in) / lanes
			if n == 0 {
				return
			}
			_, _ = scale[lanes-1], out[(n-1)*stride+lanes-1]
			squash(&in[0], &scale[0], n, &out[0], stride)
		},
		step: func(raw []int32, scale, state []float32, out []int8) {
			units := len(state)
			_, _, _ = raw[4*units-1], scale[4*units-1], out[units-1]
			step(&raw[0], &scale[0], &state[0], units, &out[0])
		},
	}
}

// positive checks the lengths of slices and calls positiveAVX2.
func positive(p *Products, x []int8, stride int, out []int32) {
	m, w := p.m, p.pairs()
	_, _ = x[(batch-1)*stride+m.groups*group-1], out[batch*m.panels*lanes-1]
	positiveAVX2(&w.packed[0], &m.bias[0], &x[0], stride, &w.at[0], &w.count[0], m.panels, &out[0])
}

//go:noescape
func positiveAVX2(w *int8, from *int32, x *int8, stride int, at, count *int32, panels int, out *int32)

//go:noescape
func dotAVX2(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)

//go:noescape
func dotVNNI(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)

//go:noescape
func dotAVX512(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)

//go:noescape
func convolveAVX2(w *int8, from *int32, img *int8, stride, n int, out *int32)

//go:noescape
func convolveVNNI(w *int8, from *int32, img *int8, stride, n int, out *int32)

//go:noescape
func convolveAVX512(w *int8, from *int32, img *int8, stride, n int, out *int32)

//go:noescape
func squashAVX2(in *int32, scale *float32, n int, out *int8, stride int)

//go:noescape
func squashAVX512(in *int32, scale *float32, n int, out *int8, stride int)

//go:noescape
func stepAVX2(raw *int32, scale, state *float32, units int, out *int8)

//go:noescape
func stepAVX512(raw *int32, scale, state *float32, units int, out *int8)
