// Package access reads the accessibility trees of a Linux desktop: what programs say about their own
// windows, buttons and fields. It speaks AT-SPI over D-Bus, and needs no helper programs and no C.
//
//	tree, err := access.Open(ctx, "") // the bus of the user's session
//	defer tree.Close()
//	windows, err := tree.Look(ctx)
//	err = tree.Do(ctx, windows[0].Nodes[7].ID, "click")
//
// Coordinates are pixels of the whole screen, unless Window.Relative is set. With GDK_SCALE=2 the
// pixels of GTK programs are twice as large as those of the X server.
//
// Programs of Qt and Chromium may answer only after accessibility has been switched on for the session.
// Connecting switches it on (the property IsEnabled of org.a11y.Status), and Close leaves it on, because other
// programs may use it. A program notices within a second.
//
// Each look reads everything again. Events could spare calls, but a program that forgets one would
// leave wrong nodes behind.
package access

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// Errors of this package. Those of a call wrap one of them, or are the context's.
var (
	ErrNoSession = errors.New("there is no session bus: start the program inside a desktop session, or set DBUS_SESSION_BUS_ADDRESS")
	ErrNoBus     = errors.New("there is no accessibility bus: install the package at-spi2-core, and log in again")
	ErrSystem    = errors.New("accessibility trees can only be read on Linux yet")
	ErrClosed    = errors.New("the accessibility tree is closed")
	ErrGone      = errors.New("the element no longer exists: look again")
	ErrRefused   = errors.New("the program refused")
	ErrSilent    = errors.New("the program does not respond; it may still do what it was asked")
)

const (
	connectTime = 2 * time.Second // for connecting to both buses
	actTime     = 2 * time.Second // for one action of a program
)

// Options bound a look. Zero values mean the defaults.
type Options struct {
	Time     time.Duration // for a whole look; 300 ms by default
	Patience time.Duration // for one answer of a program, which is silent after it; 100 ms by default
	Nodes    int           // most nodes of all windows together; 3,000 by default
}

// Tree is a connection to the accessibility bus. It connects at its first use, and again after the bus
// has ended. Its methods are safe for concurrent use.
type Tree struct {
	Options Options // not to be set during a look

	address string

	mu     sync.Mutex
	conn   *dbus.Conn // nil if there is no connection
	closed bool

	lastMu sync.Mutex
	last   map[string][]Window // windows of the last look without their nodes, by bus name
}

// Open connects to an accessibility bus, such as "unix:path=/run/user/1000/at-spi/bus_0". An empty
// address means that of the variable AT_SPI_BUS_ADDRESS, or else the session's. The error wraps
// ErrNoSession, ErrNoBus or ErrSystem if something is missing. The caller closes the tree.
func Open(ctx context.Context, address string) (*Tree, error) {
	t := &Tree{address: address}
	if _, err := t.connection(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// Close ends the connection. Afterwards calls fail with ErrClosed. It may be called twice.
func (t *Tree) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.conn != nil {
		_ = t.conn.Close() // nothing is left to lose
		t.conn = nil
	}
}

// connection returns a connection that works, and connects if necessary.
func (t *Tree) connection(ctx context.Context) (*dbus.Conn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrClosed
	}
	if t.conn != nil && t.conn.Connected() {
		return t.conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	address := t.address
	if address == "" {
		found, err := enable(ctx)
		if address = os.Getenv("AT_SPI_BUS_ADDRESS"); address == "" {
			address = found
		}
		if address == "" {
			return nil, err
		}
	}
	conn, err := dial(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoBus, err)
	}
	t.conn = conn
	return conn, nil
}

// enable switches accessibility on in the user's session, and returns the address of the
// accessibility bus.
func enable(ctx context.Context) (address string, err error) {
	where := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"); where == "" && os.Getenv("XDG_RUNTIME_DIR") != "" {
		if _, err := os.Stat(socket); err == nil {
			where = "unix:path=" + socket
		}
	}
	if where == "" {
		if runtime.GOOS != "linux" {
			return "", ErrSystem
		}
		return "", ErrNoSession
	}
	session, err := dial(ctx, where)
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrNoSession, err)
	}
	defer session.Close()
	bus := session.Object("org.a11y.Bus", "/org/a11y/bus")
	if err := bus.CallWithContext(ctx, "org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		return "", fmt.Errorf("%w (%w)", ErrNoBus, err)
	}
	// A desktop may forbid the switch. GTK programs answer nevertheless.
	_ = bus.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Set", 0, "org.a11y.Status", "IsEnabled", dbus.MakeVariant(true)).Err
	return address, nil
}

// dial connects to a bus. Other addresses than those of sockets are refused, because some of them run
// programs.
func dial(ctx context.Context, address string) (*dbus.Conn, error) {
	for part := range strings.SplitSeq(address, ";") {
		if !strings.HasPrefix(part, "unix:") {
			return nil, fmt.Errorf("the address of the bus is %q, but it must begin with %q", limited(part, mostName), "unix:")
		}
	}
	conn, err := dbus.Dial(address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // ends the handshake with a bus that hangs
	if err = conn.Auth(nil); err == nil {
		err = conn.Hello()
	}
	if !stop() || err != nil {
		_ = conn.Close()
		return nil, errors.Join(err, ctx.Err())
	}
	return conn, nil
}

// failed turns an error of a call into one of this package.
func failed(ctx context.Context, err error) error {
	var said dbus.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return ErrSilent
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, dbus.ErrClosed):
		return fmt.Errorf("%w (%w)", ErrNoBus, err)
	case !errors.As(err, &said):
		return err
	}
	switch strings.TrimPrefix(said.Name, "org.freedesktop.DBus.Error.") {
	case "UnknownObject", "ServiceUnknown", "NameHasNoOwner", "Disconnected", "NoReply":
		return fmt.Errorf("%w (%w)", ErrGone, err)
	}
	return fmt.Errorf("%w: %s", ErrRefused, limited(said.Error(), mostName))
}
