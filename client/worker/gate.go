package worker

import (
	"context"
	"sync"

	"github.com/windieos/windie/sdkapi"
)

// gate decides whether tools may be called.
type gate struct {
	mu      sync.Mutex
	changed chan struct{} // closed at each change

	paused bool
	silent bool   // the gateway has not responded for too long
	mode   string // control mode
}

// newGate returns a gate for a control mode, neither paused nor silent.
func newGate(mode string) *gate { return &gate{mode: mode, changed: make(chan struct{})} }

// set changes the gate.
func (g *gate) set(change func(g *gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
	close(g.changed)
	g.changed = make(chan struct{})
}

// pass waits until tools may be called, or returns ctx's error.
func (g *gate) pass(ctx context.Context) error {
	for {
		g.mu.Lock()
		open, changed := !g.paused && !g.silent && g.mode != sdkapi.RunHumanOverride, g.changed
		g.mu.Unlock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if open {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
