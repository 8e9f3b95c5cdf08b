package lstm

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Products are weights of 8 bits, packed for a kernel, for networks of other shapes.
type Products struct {
	m     *matrix
	pairs func() *pairs // made when a kernel first asks for them
}

// Batch is how many vectors are multiplied at once.
const Batch = batch

// NewProducts packs weights: factor is outputs rows of inputs, from -127 to 127, and bias is added to each
// row's sum.
func NewProducts(outputs, inputs int, factor []int8, bias []int32) *Products {
	m := newMatrix(weights{outputs: outputs, inputs: inputs, factor: factor, bias: bias})
	return &Products{m, sync.OnceValue(func() *pairs { return pairsOf(m) })}
}

// Stride is how many inputs a vector has to have, of which those behind the weights do not count.
func (p *Products) Stride() int { return p.m.stride() }

// Outputs is how many sums there are for a vector, of which those behind the rows do not count.
func (p *Products) Outputs() int { return p.m.panels * lanes }

// Kernel is one of Kernels.
type Kernel struct{ k *kernel }

// KernelOf returns the kernel of a name, empty for the fastest.
func KernelOf(name string) (Kernel, error) {
	if name == "" {
		return Kernel{kernels[0]}, nil
	}
	i := slices.Index(Kernels(), name)
	if i < 0 {
		return Kernel{}, fmt.Errorf("this machine has no kernel %q, only %s", name, strings.Join(Kernels(), ", "))
	}
	return Kernel{kernels[i]}, nil
}

// Multiply sets the sums of Batch vectors, each stride bytes after the one before in x, from -127 to 127.
func (k Kernel) Multiply(p *Products, x []int8, stride int, out []int32) {
	k.k.dot(p.m, x, stride, out)
}

// MultiplyPositive does the same for inputs from 0 to 127, which is faster on some processors.
func (k Kernel) MultiplyPositive(p *Products, x []int8, stride int, out []int32) {
	if k.k.positive == nil {
		k.k.dot(p.m, x, stride, out)
		return
	}
	k.k.positive(p, x, stride, out)
}
