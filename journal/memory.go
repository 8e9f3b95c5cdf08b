package journal

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Memory is a journal for tests. It keeps to the contract in all but one point:
// what it keeps is in memory, and gone with the process.
type Memory struct {
	*kept
	closed chan struct{}
	once   sync.Once
}

// kept is what journals in memory keep, one or several of them.
type kept struct {
	mu        sync.Mutex
	streams   map[string]*stream
	waiting   map[string]*waiters // by the stream that they wait for
	questions map[string]*question
	leases    map[string]Lease // that of a key stays for its token
}

var _ Journal = (*Memory)(nil)

// NewMemory returns an empty journal.
func NewMemory() *Memory {
	return (&kept{
		streams:   map[string]*stream{},
		waiting:   map[string]*waiters{},
		questions: map[string]*question{},
		leases:    map[string]Lease{},
	}).open()
}

// Join returns another journal that keeps the same, as another gateway's. Each
// is closed by itself.
func (m *Memory) Join() *Memory { return m.open() }

func (k *kept) open() *Memory { return &Memory{kept: k, closed: make(chan struct{})} }

// Ready implements Journal.
func (m *Memory) Ready(ctx context.Context) error { return m.usable(ctx) }

// Close implements Journal.
func (m *Memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

// usable reports why a call cannot be served.
func (m *Memory) usable(ctx context.Context) error {
	select {
	case <-m.closed:
		return fault.New("journal.Memory", sdkapi.StateUnavailable, "the journal is closed; start the gateway again")
	default:
	}
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}

// wait waits until changed is closed, or timeout has a value, and returns why
// it cannot wait any longer.
func (m *Memory) wait(ctx context.Context, changed <-chan struct{}, timeout <-chan time.Time) error {
	select {
	case <-changed:
	case <-timeout:
	case <-ctx.Done():
	case <-m.closed:
	}
	return m.usable(ctx)
}
