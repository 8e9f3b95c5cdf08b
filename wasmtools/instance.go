package wasmtools

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// instance is an instance of a guest, which runs one call at a time.
type instance struct {
	module  api.Module
	memory  api.Memory // nil for a guest without
	meter   *fuel.Meter
	state   []api.MutableGlobal
	call    *abi.Call
	exports map[string]api.Function
	watched watched // what runs in it
}

// snapshot is the state of a guest after it described itself. It is never written.
type snapshot struct {
	memory []byte
	blank  []bool // which blocks of memory are all zero
	state  []uint64
}

// blockBytes is what is compared at once. Memory is whole pages of 64 KiB.
const blockBytes = 4096

var blankBlock [blockBytes]byte

// instantiate makes an instance. Only its start section runs, with little fuel.
func instantiate(ctx context.Context, c *compiled, a *admitted, call *abi.Call, config wazero.ModuleConfig) (*instance, error) {
	if allocator != nil {
		ctx = experimental.WithMemoryAllocator(ctx, allocator)
	}
	m, err := c.instantiate(call.Context(ctx), call.WASI(config.WithName("").WithStartFunctions(), a.printsAnswer()))
	if err != nil && a.report.HasStart {
		err = fmt.Errorf("its start section, which has %d of fuel: %w", startFuel, err)
	}
	if err != nil {
		return nil, err
	}
	i := &instance{module: m, memory: m.Memory(), call: call, exports: map[string]api.Function{}}
	find := func(name string) fuel.Global {
		g, _ := m.ExportedGlobal(name).(api.MutableGlobal)
		if g == nil {
			return nil
		}
		return g
	}
	if i.meter, err = fuel.NewMeter(find); err != nil {
		i.close()
		return nil, err
	}
	for _, name := range a.report.State {
		i.state = append(i.state, m.ExportedGlobal(name).(api.MutableGlobal))
	}
	return i, nil
}

// startFuel is for a start section, which runs before there is a meter.
const startFuel = 10_000_000

// instantiate turns the engine's panic where memory is short into a fault.
func (c *compiled) instantiate(ctx context.Context, config wazero.ModuleConfig) (m api.Module, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New("wasmtools.instantiate", sdkapi.Overloaded, "this machine has no memory for one more instance of a plugin; try again").Because(fmt.Errorf("%v", p))
		}
	}()
	return c.runtime.InstantiateModule(ctx, c.module, config)
}

// close gives back what i holds. The guest must not run.
func (i *instance) close() { _ = i.module.Close(context.Background()) }

// size returns the bytes of the memory, which does not shrink: so it is the peak too.
func (i *instance) size() int64 {
	if i.memory == nil {
		return 0
	}
	return int64(i.memory.Size())
}

func (i *instance) take() *snapshot {
	s := &snapshot{}
	if i.memory != nil {
		view, _ := i.memory.Read(0, i.memory.Size())
		s.memory = append(s.memory, view...)
		for block := range slices.Chunk(s.memory, blockBytes) {
			s.blank = append(s.blank, bytes.Equal(block, blankBlock[:]))
		}
	}
	for _, g := range i.state {
		s.state = append(s.state, g.Get())
	}
	return s
}

// putBack restores memory, which may be larger. A call changes little of it: comparing
// is faster than writing, and most blocks are blank and compared with one block.
func (s *snapshot) putBack(memory []byte) {
	for n, blank := range s.blank {
		from := n * blockBytes
		was := blankBlock[:]
		if !blank {
			was = s.memory[from : from+blockBytes]
		}
		if is := memory[from : from+blockBytes]; !bytes.Equal(is, was) {
			copy(is, was)
		}
	}
}

// restore makes i what it was when s was taken. Its memory may be smaller than
// then, as that of a new instance is, and must not be larger.
func (i *instance) restore(s *snapshot) error {
	if i.memory != nil {
		if missing := len(s.memory) - int(i.memory.Size()); missing > 0 {
			if _, ok := i.memory.Grow(uint32(missing / pageBytes)); !ok {
				return fmt.Errorf("the memory of a new instance cannot grow by %d bytes", missing)
			}
		}
		view, _ := i.memory.Read(0, i.memory.Size())
		s.putBack(view)
	}
	for n, g := range i.state {
		g.Set(s.state[n])
	}
	return nil
}

func (i *instance) export(name string) api.Function {
	f, ok := i.exports[name]
	if !ok {
		f = i.module.ExportedFunction(name)
		i.exports[name] = f
	}
	return f
}
