package gateway

import (
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

// A watch that has ended, before or after it began, tells nothing any longer
// and leaves the connection to be read.
func TestWatchSoonEnds(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"before it began": 0, "after it began": 4 * watchAfter} {
		ours, theirs := pair(t)
		gone := make(chan struct{}, 1)
		end := watchSoon(ours, func() { gone <- struct{}{} })
		time.Sleep(wait)
		end()
		theirs.Close()
		select {
		case <-gone:
			t.Errorf("%s: it still watches", name)
		case <-time.After(4 * watchAfter):
		}
		if _, err := ours.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("%s: reading ends with %v", name, err)
		}
	}
}

// A watch tells of a peer that leaves, and of one that had left before it began.
func TestWatchSoonTells(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"before it began": 0, "after it began": 4 * watchAfter} {
		ours, theirs := pair(t)
		gone := make(chan struct{}, 1)
		end := watchSoon(ours, func() { gone <- struct{}{} })
		time.Sleep(wait)
		theirs.Close()
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: it has not noticed", name)
		}
		end()
	}
}
