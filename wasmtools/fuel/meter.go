package fuel

import "fmt"

// Global is a mutable global of an instance, for example wazero's api.MutableGlobal.
type Global interface {
	Get() uint64
	Set(value uint64)
}

// Reason says why the pass made a guest trap.
type Reason uint32

// The reasons. After a trap with None the guest itself caused the trap.
const (
	None Reason = iota
	OutOfFuel
	TooDeep
	Stopped
)

func (r Reason) String() string {
	if r > Stopped {
		return fmt.Sprintf("reason %d", uint32(r))
	}
	return [...]string{"none", "out of fuel", "calls too deep", "stopped"}[r]
}

// Meter is the host's view of one instance's fuel. It has no lock: use it where the instance is
// used, one call at a time. Only Stop may be called from another goroutine.
type Meter struct {
	globals [exportedGlobals]Global
	given   int64
	depth   uint64 // initial depth of each call
}

// NewMeter finds the globals of an instance of a rewritten module. Call it right after
// instantiation: the depth at that time is the limit. find returns nil for a missing global, which
// is an error.
func NewMeter(find func(name string) Global) (*Meter, error) {
	m := &Meter{}
	for i, name := range globalNames {
		if m.globals[i] = find(name); m.globals[i] == nil {
			return nil, fmt.Errorf("the instance has no mutable global %q, so its module was not rewritten for metering", name)
		}
	}
	m.depth = m.globals[depthGlobal].Get()
	return m, nil
}

// Start sets the fuel for the next call, and resets depth, reason and stop. Call it before each
// call of the guest. Fuel below 0 counts as 0.
func (m *Meter) Start(fuel int64) {
	m.given = min(max(fuel, 0), maxFuel)
	slice := min(m.given, sliceFuel) // a small call need not visit the host
	m.globals[fuelGlobal].Set(uint64(slice))
	m.globals[reserveGlobal].Set(uint64(m.given - slice))
	m.globals[depthGlobal].Set(m.depth)
	m.globals[stopGlobal].Set(0)
	m.globals[reasonGlobal].Set(uint64(None))
}

// maxFuel leaves room for sums: fuel never falls below minus the largest charge.
const maxFuel = 1 << 61

// Left returns the remaining fuel, or 0 if it is used up. A guest may reach its end after taking
// slightly more fuel than it had.
func (m *Meter) Left() int64 {
	slice, reserve := m.globals[fuelGlobal].Get(), m.globals[reserveGlobal].Get()
	return max(0, int64(slice+reserve))
}

// Used returns the fuel taken since Start, never more than Start gave.
func (m *Meter) Used() int64 { return m.given - m.Left() }

// Depth returns the weight of the guest's frames. It is 0 between calls, unless the guest trapped.
func (m *Meter) Depth() int64 { return int64(m.depth - m.globals[depthGlobal].Get()) }

// Reason returns why the pass made the guest trap, or None.
func (m *Meter) Reason() Reason { return Reason(m.globals[reasonGlobal].Get()) }

// Stop makes a running guest trap with Stopped within a slice. Any goroutine may call it while the
// guest runs in the engine's compiler, but not while Start runs. It is one store to a global that
// the guest only reads.
func (m *Meter) Stop() { m.globals[stopGlobal].Set(1) }
