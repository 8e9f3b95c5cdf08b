package fuel

import "fmt"

// Global is a mutable global of an instance; wazero's api.MutableGlobal is one.
type Global interface {
	Get() uint64
	Set(value uint64)
}

// Reason says why the pass made a guest trap.
type Reason uint32

// The reasons. A trap with None is the guest's own.
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

// Meter is the host's view of one instance's fuel. It has no lock: use it where the
// instance is used, one call at a time. Only Stop may be called from elsewhere.
type Meter struct {
	globals [exportedGlobals]Global
	given   int64
	depth   uint64 // what Start sets the depth to
}

// NewMeter finds the globals of an instance of a rewritten module. Make it right after
// instantiation: the depth then found is the limit. find returns nil for what is not there.
func NewMeter(find func(name string) Global) (*Meter, error) {
	m := &Meter{}
	for i, name := range globalNames {
		if m.globals[i] = find(name); m.globals[i] == nil {
			return nil, fmt.Errorf("the instance has no mutable global %q: it is not of a rewritten module", name)
		}
	}
	m.depth = m.globals[depthGlobal].Get()
	return m, nil
}

// Start gives the guest fuel for what comes next, in place of what it had, and clears
// depth, reason and stop. Call it before each call of the guest. Fuel below 0 counts as 0.
func (m *Meter) Start(fuel int64) {
	m.given = min(max(fuel, 0), maxFuel)
	slice := min(m.given, sliceFuel) // small calls need not visit the host
	m.globals[fuelGlobal].Set(uint64(slice))
	m.globals[reserveGlobal].Set(uint64(m.given - slice))
	m.globals[depthGlobal].Set(m.depth)
	m.globals[stopGlobal].Set(0)
	m.globals[reasonGlobal].Set(uint64(None))
}

// maxFuel leaves room for sums: fuel never goes below minus the largest charge.
const maxFuel = 1 << 61

// Left returns the fuel that is left, 0 after the guest ran out of it. A guest
// may come to its end having taken a little more than there was.
func (m *Meter) Left() int64 {
	slice, reserve := m.globals[fuelGlobal].Get(), m.globals[reserveGlobal].Get()
	return max(0, int64(slice+reserve))
}

// Used returns the fuel taken since Start. It is never more than was given.
func (m *Meter) Used() int64 { return m.given - m.Left() }

// Depth returns the weight of the guest's frames: 0 between calls, unless it trapped.
func (m *Meter) Depth() int64 { return int64(m.depth - m.globals[depthGlobal].Get()) }

// Reason returns why the guest trapped.
func (m *Meter) Reason() Reason { return Reason(m.globals[reasonGlobal].Get()) }

// Stop makes a running guest trap with Stopped within a slice. It may be
// called from any goroutine while the guest runs in the engine's compiler,
// where it is one store that the guest only reads, but not while Start runs.
func (m *Meter) Stop() { m.globals[stopGlobal].Set(1) }
