package wasmtools

import (
	"context"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/windieos/windie/internal/fair"
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
	mapped  mapping // over the memory

	share     *fair.Share // of the memory of all guests; nil for no bound
	idleSince time.Time
}

// instantiate makes an instance, which has the share from then on. Only its start section runs,
// with little fuel.
func (g *guest) instantiate(ctx context.Context, share *fair.Share, call *abi.Call, config wazero.ModuleConfig) (*instance, error) {
	memory := &countedMemory{guest: g, share: share, call: call, bytes: max(uint64(g.startBytes()), pageBytes)}
	if allocator != nil {
		ctx = experimental.WithMemoryAllocator(ctx, memory)
	}
	m, err := g.compiled.instantiate(call.Context(ctx), call.WASI(config.WithName("").WithStartFunctions(), g.printsAnswer()))
	if err != nil && g.report.HasStart {
		err = fmt.Errorf("its start section, which has %d of fuel: %w", startFuel, err)
	}
	if err != nil {
		g.shared.room.bury(func() {
			memory.release()
			share.Give()
		})
		return nil, err
	}
	memory.used = true
	i := &instance{module: m, memory: m.Memory(), call: call, exports: map[string]api.Function{}, share: share}
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
	for _, name := range g.report.State {
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
func (i *instance) close() {
	_ = i.module.Close(context.Background())
	i.share.Give()
}

// countedMemory is the memory of one instance, which takes its bytes from that of all guests: it
// cannot grow when that is used up.
type countedMemory struct {
	experimental.LinearMemory // nil before Allocate

	guest   *guest
	call    *abi.Call   // whose turn it is
	share   *fair.Share // nil for no bound
	bytes   uint64      // that share has
	touched int         // bytes that the system has cleared, or that are few
	used    bool        // by an instance, which frees it
}

// Allocate implements experimental.MemoryAllocator.
func (m *countedMemory) Allocate(capacity, most uint64) experimental.LinearMemory {
	m.LinearMemory = allocator.Allocate(capacity, most)
	return m
}

// Free gives the memory of an instance back. That of one which could not be made is released later:
// its caller, whose time may be over, does not wait for it.
func (m *countedMemory) Free() {
	if m.used {
		m.release()
	}
}

func (m *countedMemory) release() {
	if m.LinearMemory != nil {
		m.LinearMemory.Free()
	}
}

func (m *countedMemory) Reallocate(size uint64) []byte {
	more := int64(size) - int64(m.bytes)
	if more > 0 && !m.guest.shared.room.grow(m.share, more) {
		return nil
	}
	b := m.LinearMemory.Reallocate(size)
	switch {
	case b == nil && more > 0 && m.share != nil:
		m.share.Shrink(more)
	case b != nil:
		m.bytes = max(m.bytes, size)
		if m.touch(b) != nil {
			return nil
		}
	}
	return b
}

// untouched is how many bytes of a memory, from its start on, a guest may touch first.
const untouched = 8 << 20

// touch writes to each new page. The system clears a page then, which takes 2 µs, and nothing
// can stop a guest that touches thousands; here others can have their turn.
func (m *countedMemory) touch(b []byte) error {
	m.touched = max(m.touched, untouched)
	for n := 0; m.touched < len(b); n++ {
		b[m.touched] = 0 // as it is
		m.touched += blockBytes
		if n%visitBlocks < visitBlocks-1 {
			continue
		}
		if err := m.call.Turn.Visit(); err != nil {
			return err // the run's next visit returns it again
		}
	}
	return nil
}

// size returns the bytes of the memory, which does not shrink: so it is the peak too.
func (i *instance) size() int64 {
	if i.memory == nil {
		return 0
	}
	return int64(i.memory.Size())
}

func (i *instance) export(name string) api.Function {
	f, ok := i.exports[name]
	if !ok {
		f = i.module.ExportedFunction(name)
		i.exports[name] = f
	}
	return f
}
