package testkit

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Link is a connection to a server over a bad network: what is sent arrives after a delay, and now and then the
// connection breaks.
type Link struct {
	Addr  string        // to connect to
	Delay time.Duration // each way
	Cut   float64       // of the pieces that are sent, how many break the connection

	server string
	mu     sync.Mutex
	random *rand.Rand
	cuts   int
	open   map[net.Conn]bool
}

// NewLink returns a link to a server, until the test ends. Equal seeds cut alike.
func NewLink(t testing.TB, server string, delay time.Duration, cut float64, seed uint64) *Link {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{Addr: ln.Addr().String(), Delay: delay, Cut: cut, server: server, random: rand.New(rand.NewPCG(seed, 0)), open: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		l.Break()
		all.Wait()
	})
	return l
}

// Cuts returns how many connections broke.
func (l *Link) Cuts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cuts
}

// Break breaks all connections that are open.
func (l *Link) Break() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		_ = conn.Close()
	}
}

// keep notes an open connection, and returns what ends it.
func (l *Link) keep(conn net.Conn) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[conn] = true
	return func() {
		_ = conn.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, conn)
	}
}

// breaks reports whether the next piece breaks its connection.
func (l *Link) breaks() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.random.Float64() >= l.Cut {
		return false
	}
	l.cuts++
	return true
}

// carry carries one connection, both ways.
func (l *Link) carry(client net.Conn) {
	defer l.keep(client)()
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", l.server)
	if err != nil {
		return
	}
	defer l.keep(server)()
	var both sync.WaitGroup
	both.Go(func() { l.pipe(client, server) })
	both.Go(func() { l.pipe(server, client) })
	both.Wait()
}

// piece is what arrives at a time.
type piece struct {
	at   time.Time
	data []byte
}

// pipe carries what one end sends to the other. When it breaks, both ends are closed, and what is under way is lost.
func (l *Link) pipe(from, to net.Conn) {
	pieces := make(chan piece, 1024)
	var writing sync.WaitGroup
	writing.Go(func() {
		for p := range pieces {
			timer := time.NewTimer(time.Until(p.at))
			<-timer.C
			if _, err := to.Write(p.data); err != nil {
				_ = from.Close()
			}
		}
		_ = to.Close()
	})
	defer writing.Wait()
	defer close(pieces)
	for {
		data := make([]byte, 16<<10)
		n, err := from.Read(data)
		if n > 0 && l.breaks() {
			_ = from.Close()
			_ = to.Close()
			return
		}
		if n > 0 {
			pieces <- piece{time.Now().Add(l.Delay), data[:n]}
		}
		if err != nil {
			return
		}
	}
}
