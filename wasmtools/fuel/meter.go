package fuel

import "fmt"

// Global is a global variable of an instance whose value can change, for example wazero's
// api.MutableGlobal.
type Global interface {
	Get() uint64
	Set(value uint64)
}

// Reason is the cause of a guest's trap, for example OutOfFuel.
type Reason uint32

// The reasons. None means that the guest itself caused the trap.
const (
	None Reason = iota
	OutOfFuel
	TooDeep
	Stopped
)

// String returns the reason in words. r may be an unknown number, because a guest can set its
// global to any number.
func (r Reason) String() string {
	if r > Stopped {
		return fmt.Sprintf("reason %d", uint32(r))
	}
	return [...]string{"none", "out of fuel", "calls too deep", "stopped"}[r]
}

// Meter controls and reports the fuel of one instance. It has no lock. Only the goroutine that uses
// the instance may call its methods, except Stop, which any goroutine may call.
type Meter struct {
	globals [exportedGlobals]Global
	given   int64
	depth   uint64 // initial depth of each call
}

// NewMeter returns a meter for an instance of a rewritten module. Call it right after
// instantiation, because it takes the limit of the call depth from the instance. find returns a
// global of the instance by its name. If find returns nil for a global, NewMeter fails.
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

// Start sets the fuel for the next call, and resets the depth, the reason and the effect of Stop.
// Call it before each call of the guest. A value below 0 means 0.
func (m *Meter) Start(fuel int64) {
	m.given = min(max(fuel, 0), maxFuel)
	slice := min(m.given, sliceFuel) // a small call need not visit the host
	m.globals[fuelGlobal].Set(uint64(slice))
	m.globals[reserveGlobal].Set(uint64(m.given - slice))
	m.globals[depthGlobal].Set(m.depth)
	m.globals[stopGlobal].Set(0)
	m.globals[reasonGlobal].Set(uint64(None))
}

// maxFuel is the maximum fuel of a call. Sums with it stay far from the limits of an int64.
const maxFuel = 1 << 61

// Left returns the remaining fuel. It returns 0 if the guest has used up its fuel. Before the guest
// traps, it may use slightly more fuel than it had.
func (m *Meter) Left() int64 {
	slice, reserve := m.globals[fuelGlobal].Get(), m.globals[reserveGlobal].Get()
	return max(0, int64(slice+reserve))
}

// Used returns the fuel that the guest has used since Start. The result is at most the fuel that
// Start set.
func (m *Meter) Used() int64 { return m.given - m.Left() }

// Depth returns the depth of the guest's call stack: the sum of the weights of its frames. Between
// calls of the guest, Depth returns 0, unless the guest trapped.
func (m *Meter) Depth() int64 { return int64(m.depth - m.globals[depthGlobal].Get()) }

// Reason returns the cause of the guest's last trap since Start. None means that the fuel and the
// limits of this package did not cause a trap: the guest trapped for another reason, or did not
// trap.
func (m *Meter) Reason() Reason { return Reason(m.globals[reasonGlobal].Get()) }

// Stop makes a running guest trap with the reason Stopped. The trap comes after at most one slice
// of fuel, which is 0.1 to 1 ms. Any goroutine may call Stop while the guest runs, but not while
// Start runs. Stop is safe only if the engine compiles the guest, and not if the engine interprets
// the guest.
func (m *Meter) Stop() { m.globals[stopGlobal].Set(1) }
