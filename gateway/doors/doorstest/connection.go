package doorstest

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// Patience bounds what a test waits for.
const Patience = 30 * time.Second

// slowEngine reads until it is told to end, so that a test decides how long
// reading takes.
type slowEngine struct {
	Started chan context.Context // the context of each read
	End     chan struct{}
}

func NewSlowEngine() *slowEngine {
	return &slowEngine{Started: make(chan context.Context, 10), End: make(chan struct{})}
}

func (*slowEngine) Name() string { return "slow" }

func (*slowEngine) Ready(context.Context) error { return nil }

func (e *slowEngine) Read(ctx context.Context, _ perception.Screen, _ sdkapi.Reading) ([]perception.Row, error) {
	e.Started <- ctx
	select {
	case <-e.End:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func Receive[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(Patience):
		t.Fatalf("waited %v for %s", Patience, what)
		panic("unreachable")
	}
}

func Client(t *testing.T, url string) *sdk.Client {
	t.Helper()
	c, err := sdk.New(url, sdk.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type LockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *LockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *LockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
