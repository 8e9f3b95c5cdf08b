package lstm

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Products is a matrix of 8-bit weights, packed for the kernels, for networks of other packages.
type Products struct {
	m     *matrix
	pairs func() *pairs // computed at first use
}

// Batch is the number of vectors that Multiply processes at once.
const Batch = batch

// NewProducts packs weights. factor has outputs rows of inputs weights, each -127 to 127. bias has
// one number per output, which is added to its sum.
func NewProducts(outputs, inputs int, factor []int8, bias []int32) *Products {
	m := newMatrix(weights{outputs: outputs, inputs: inputs, factor: factor, bias: bias})
	return &Products{m, sync.OnceValue(func() *pairs { return pairsOf(m) })}
}

// Stride returns the number of inputs that a vector must have. The kernel ignores the values of
// inputs without weights.
func (p *Products) Stride() int { return p.m.stride() }

// Outputs returns the number of sums per vector. Sums after the last row of factor have no meaning.
func (p *Products) Outputs() int { return p.m.panels * lanes }

// Kernel is one of Kernels. The zero value is not usable.
type Kernel struct{ k *kernel }

// KernelOf returns the kernel with a name from Kernels; "" selects the fastest. It fails if the
// machine lacks the kernel.
func KernelOf(name string) (Kernel, error) {
	if name == "" {
		return Kernel{kernels[0]}, nil
	}
	i := slices.Index(Kernels(), name)
	if i < 0 {
		return Kernel{}, fmt.Errorf("this machine has no kernel %q; its kernels are %s", name, strings.Join(Kernels(), ", "))
	}
	return Kernel{kernels[i]}, nil
}

// Multiply sets out to the sums of Batch vectors. Their inputs, -127 to 127, are in x, stride bytes
// apart; out has p.Outputs() sums per vector.
func (k Kernel) Multiply(p *Products, x []int8, stride int, out []int32) {
	k.k.dot(p.m, x, stride, out)
}

// MultiplyPositive does the same as Multiply for inputs of 0 to 127. On some processors it is
// faster.
func (k Kernel) MultiplyPositive(p *Products, x []int8, stride int, out []int32) {
	if k.k.positive == nil {
		k.k.dot(p.m, x, stride, out)
		return
	}
	k.k.positive(p, x, stride, out)
}
