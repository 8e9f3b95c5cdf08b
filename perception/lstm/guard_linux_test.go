package lstm

import (
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

// No kernel reads or writes beyond what the shapes say: right behind every
// slice lies memory that must not be touched.
func TestKernelsKeepWithinBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			g := guard{t: t}
			defer g.free()
			doing := ""
			defer func() {
				if err := recover(); err != nil {
					t.Errorf("%s: %v", doing, err)
				}
			}()
			for range 40 {
				m, units := randomMatrix(random)
				m = g.matrix(m)
				doing = "dot"
				k.dot(m, guarded[int8](&g, batch*m.stride()), m.stride(), guarded[int32](&g, batch*m.panels*lanes))
				doing = "step"
				k.step(guarded[int32](&g, 4*units), guarded[float32](&g, 4*units), guarded[float32](&g, units), guarded[int8](&g, units))
				doing = "convolve"
				c, n := g.matrix(randomConvolution(random)), 1+random.IntN(40)
				stride := n*pool + 2 + random.IntN(3)
				sums := guarded[int32](&g, n*lanes)
				k.convolve(c, guarded[int8](&g, 4*stride+n*pool+group-1), stride, sums)
				doing = "squash"
				k.squash(sums, c.scale, guarded[int8](&g, (n-1)*20+lanes), 20)
			}
		})
	}
}

// guard makes slices with a page behind them that nothing may touch.
type guard struct {
	t      *testing.T
	mapped [][]byte
}

func (g *guard) free() {
	for _, m := range g.mapped {
		if err := syscall.Munmap(m); err != nil {
			g.t.Error(err)
		}
	}
}

// bytes returns n bytes that end with their page.
func (g *guard) bytes(n int) []byte {
	page := syscall.Getpagesize()
	size := (n + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		g.t.Fatal(err)
	}
	g.mapped = append(g.mapped, m)
	if err := syscall.Mprotect(m[size:], syscall.PROT_NONE); err != nil {
		g.t.Fatal(err)
	}
	return m[size-n : size : size]
}

// guarded returns n zeros.
func guarded[T any](g *guard, n int) []T {
	var one T
	size := int(unsafe.Sizeof(one))
	return unsafe.Slice((*T)(unsafe.Pointer(&g.bytes(n * size)[0])), n)
}

// matrix returns m with its numbers in guarded slices.
func (g *guard) matrix(m *matrix) *matrix {
	out := *m
	out.packed, out.bias = guarded[int8](g, len(m.packed)), guarded[int32](g, len(m.bias))
	out.offset, out.scale = guarded[int32](g, len(m.offset)), guarded[float32](g, len(m.scale))
	copy(out.packed, m.packed)
	copy(out.bias, m.bias)
	copy(out.offset, m.offset)
	copy(out.scale, m.scale)
	return &out
}
