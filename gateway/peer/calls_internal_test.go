package peer

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// pair returns both ends of a connection.
func pair(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	theirs, err = net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ours, err = ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	return ours, theirs
}

// watchCall begins a call, and returns what ends it and the context that it ends.
func watchCall(t *testing.T, conn net.Conn, within time.Duration) (ctx context.Context, end func()) {
	t.Helper()
	l := new(Calls)
	c := l.Begin(t.Context(), conn, time.Now().Add(within))
	return c, func() { l.End(c) }
}

// A call that has ended, before or after its client was watched, leaves the
// connection to be read.
func TestCallsEnd(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"before it was watched": 0, "after": 4 * lookEvery} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := pair(t)
			_, end := watchCall(t, ours, time.Hour)
			time.Sleep(wait)
			end()
			theirs.Close()
			if _, err := ours.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("%s: reading ends with %v", name, err)
			}
		})
	}
}

// A call ends when its client leaves, or had left before anybody looked, and
// when its time is up.
func TestCallsAreEnded(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"before anybody looked": 0, "after": 4 * lookEvery} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := pair(t)
			ctx, end := watchCall(t, ours, time.Hour)
			time.Sleep(wait)
			theirs.Close()
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Second):
				t.Errorf("%s: nobody has noticed", name)
			}
			end()
		})
	}
	ours, _ := pair(t)
	ctx, end := watchCall(t, ours, 3*lookEvery)
	defer end()
	select {
	case <-ctx.Done():
		if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			t.Errorf("it ended with %v", context.Cause(ctx))
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on past its deadline")
	}
}

// A call's context ends with the call, and with the request, whether somebody
// waited for it before or asks afterwards; and says why.
func TestCallContext(t *testing.T) {
	t.Parallel()
	request, leave := context.WithCancel(t.Context())
	c := &Call{Context: request, deadline: time.Now().Add(time.Hour)}
	if c.Err() != nil {
		t.Errorf("it has ended with %v", c.Err())
	}
	child, release := context.WithCancel(c)
	defer release()
	leave()
	<-c.Done()
	<-child.Done()
	if c.Err() != context.Canceled { //nolint:errorlint // contexts tell these two as they are
		t.Errorf("it ends with %v", c.Err())
	}
	late := &Call{Context: t.Context()}
	late.cancel(context.DeadlineExceeded)
	late.cancel(context.Canceled)
	<-late.Done()
	if late.Err() != context.DeadlineExceeded { //nolint:errorlint // likewise
		t.Errorf("it ends with %v", late.Err())
	}
}
