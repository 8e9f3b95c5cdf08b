package lstm

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Products is a matrix of 8-bit weights, packed for the kernels. Networks of other packages use it
// too.
type Products struct {
	m     *matrix
	pairs func() *pairs // computed at first use
}

// Batch is the number of vectors that Multiply processes at once.
const Batch = batch

// NewProducts packs the weights of a matrix. factor has one row for each output, and each row has
// one weight for each input, -127 to 127. bias has one number for each output, which is added to
// the sum of the output.
func NewProducts(outputs, inputs int, factor []int8, bias []int32) *Products {
	m := newMatrix(weights{outputs: outputs, inputs: inputs, factor: factor, bias: bias})
	return &Products{m, sync.OnceValue(func() *pairs { return pairsOf(m) })}
}

// Stride returns the required number of inputs of a vector. It may be more than the number of
// weights in a row; the kernel ignores the additional inputs.
func (p *Products) Stride() int { return p.m.stride() }

// Outputs returns the number of sums per vector. It may be more than the number of rows of factor;
// the additional sums have no meaning.
func (p *Products) Outputs() int { return p.m.panels * lanes }

// Kernel is an implementation of Multiply for a set of vector instructions. KernelOf returns it.
// The zero value is not usable.
type Kernel struct{ k *kernel }

// KernelOf returns the kernel with a name from Kernels; "" selects the fastest kernel. KernelOf
// fails if the machine does not support the kernel.
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

// Multiply multiplies the matrix with Batch vectors and stores the sums in out. The inputs of the
// vectors are in x, -127 to 127 each; each vector begins stride bytes after the previous vector.
// out gets p.Outputs() sums per vector.
func (k Kernel) Multiply(p *Products, x []int8, stride int, out []int32) {
	k.k.dot(p.m, x, stride, out)
}

// MultiplyPositive does the same as Multiply, for inputs of 0 to 127. On some processors it is
// faster than Multiply.
func (k Kernel) MultiplyPositive(p *Products, x []int8, stride int, out []int32) {
	if k.k.positive == nil {
		k.k.dot(p.m, x, stride, out)
		return
	}
	k.k.positive(p, x, stride, out)
}
