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

// Patience is the time after which a test gives up waiting.
const Patience = 30 * time.Second

// slowEngine reads until the test ends the read, so that the test chooses how long a read takes.
type slowEngine struct {
	Started chan context.Context // the context of each read
	End     chan struct{}
}

// NewSlowEngine returns an engine that sends the context of each read to the channel Started. The channel holds 10
// contexts. If the channel is full, further reads block until the test receives a context.
func NewSlowEngine() *slowEngine {
	return &slowEngine{Started: make(chan context.Context, 10), End: make(chan struct{})}
}

func (*slowEngine) Name() string { return "slow" }

func (*slowEngine) Ready(context.Context) error { return nil }

// Read waits for a value from the channel End and then returns no rows. If ctx ends first, it returns the error of
// ctx.
func (e *slowEngine) Read(ctx context.Context, _ perception.Screen, _ sdkapi.Reading) ([]perception.Row, error) {
	e.Started <- ctx
	select {
	case <-e.End:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Receive returns the next value of the channel c, or the zero value if c is closed. The test fails if no value
// arrives within Patience. The failure message contains the parameter what, which is the name of the value.
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

// Client returns a client of the gateway that never retries.
func Client(t *testing.T, url string) *sdk.Client {
	t.Helper()
	c, err := sdk.New(url, sdk.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// LockedBuffer is a bytes.Buffer that many goroutines can write and read, for example the output of a log.
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
