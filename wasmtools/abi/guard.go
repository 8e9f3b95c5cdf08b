package abi

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// guard runs before each WASI function. These belong to the engine: they do not check Stop, and one
// call of them could do any amount of work.
type guard struct{}

// Limits of one call of a WASI function.
const (
	maxPath    = 64 << 10 // bytes of a path
	maxBuffers = 4096     // number of buffers to read into or write from, and of events to wait for
)

// NewFunctionListener implements experimental.FunctionListenerFactory. The listener checks the
// limits of some parameters of WASI functions. It finds these parameters by the names that wazero
// gives them.
func (guard) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	var bounds []bound
	for i, name := range f.ParamNames() {
		switch {
		case name == "iovs_len":
			bounds = append(bounds, bound{i, BoundError{"buffers in one call", maxBuffers}, true})
		case name == "nsubscriptions":
			bounds = append(bounds, bound{i, BoundError{"events in one call", maxBuffers}, false})
		case strings.HasSuffix(name, "path_len") && !strings.HasPrefix(name, "result."):
			bounds = append(bounds, bound{i, BoundError{"bytes in a path", maxPath}, false})
		}
	}
	return experimental.FunctionListenerFunc(func(ctx context.Context, m api.Module, _ api.FunctionDefinition, params []uint64, _ experimental.StackIterator) {
		c := from(ctx)
		c.check()
		for _, b := range bounds {
			b.check(c, m, params)
		}
	})
}

// bound is the limit of one parameter.
type bound struct {
	param   int
	most    BoundError
	buffers bool // the parameter counts the buffers to which the previous one points
}

// check ends the call if the parameter exceeds its limit, or if the buffers that it counts fail
// checkBuffers.
func (b *bound) check(c *Call, m api.Module, params []uint64) {
	n := uint32(params[b.param])
	if int64(n) > b.most.Most {
		c.end(&b.most)
	}
	if b.buffers {
		checkBuffers(c, m, uint32(params[b.param-1]), n)
	}
}

// checkBuffers ends the guest if its buffers overlap so much that they exceed its memory, for
// example one megabyte listed four thousand times.
func checkBuffers(c *Call, m api.Module, ptr, n uint32) {
	memory := m.Memory()
	list, ok := memory.Read(ptr, n*8)
	if !ok {
		return // the function itself reports the error
	}
	sum := uint64(0)
	for ; len(list) > 0; list = list[8:] {
		sum += uint64(binary.LittleEndian.Uint32(list[4:]))
	}
	if most := uint64(memory.Size()); sum > most {
		c.end(&BoundError{"bytes in the buffers of one call, which is all of its memory", int64(most)})
	}
}

// Visits returns a listener for a guest that the package fuel has rewritten. The engine needs the
// listener when it compiles the guest. index is fuel.Report.Visit, the index of a function that the
// guest calls about once a millisecond. At each of these calls, the listener calls the method Visit
// of the run's Turn.
func Visits(index uint32) experimental.FunctionListenerFactory {
	listener := experimental.FunctionListenerFunc(func(ctx context.Context, _ api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
		c := from(ctx)
		if c.Turn != nil {
			c.endOn(c.Turn.Visit())
		}
	})
	return experimental.FunctionListenerFactoryFunc(func(f api.FunctionDefinition) experimental.FunctionListener {
		if f.Index() != index {
			return nil
		}
		return listener
	})
}
