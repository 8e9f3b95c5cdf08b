package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Times for an X server that does not respond.
const (
	answerLimit = 4 * time.Second        // longest silence while it owes a reply
	watchEvery  = 500 * time.Millisecond // interval of checking that
	hearLimit   = time.Second            // longest silence once the context of a call has ended
)

// ErrSilent is the error of calls to an X server that has not sent a reply for some seconds. The
// connection is closed, and the caller may open a new one.
var ErrSilent = fmt.Errorf("the X server did not respond for %v, and the connection was closed: check whether the server hangs or the network fails; the next call connects again", answerLimit)

// wire is a connection that records its last use in each direction.
type wire struct {
	net.Conn
	host, display string // in the form of the authority file
	screen        int
	greeted       bool // the first message has been sent

	wrote, read atomic.Int64 // times in ns of the clock
	silent      atomic.Bool  // the connection was given up
}

// dial connects to a display: "[PROTOCOL/][HOST]:NUMBER[.SCREEN]", or a socket's path before the colon.
func dial(name string) (*wire, error) {
	if name == "" {
		name = os.Getenv("DISPLAY")
	}
	wrong := fmt.Errorf("%q is not an X display; expected a name such as :0", name)
	colon := strings.LastIndex(name, ":")
	if colon < 0 {
		return nil, wrong
	}
	w := &wire{}
	number, screen, _ := strings.Cut(name[colon+1:], ".")
	n, err := strconv.ParseUint(number, 10, 15)
	if err != nil {
		return nil, wrong
	}
	if w.display = number; screen != "" {
		if w.screen, err = strconv.Atoi(screen); err != nil || w.screen < 0 {
			return nil, wrong
		}
	}
	dialer := net.Dialer{Timeout: answerLimit}
	switch where := name[:colon]; {
	case strings.HasPrefix(where, "/"):
		w.Conn, err = dialer.Dial("unix", where+":"+number)
	case where == "" || where == "unix":
		w.Conn, err = dialer.Dial("unix", "/tmp/.X11-unix/X"+number)
	default:
		protocol, host, named := strings.Cut(where, "/")
		if !named {
			protocol, host = "tcp", where
		}
		w.host = host
		w.Conn, err = dialer.Dial(protocol, net.JoinHostPort(host, strconv.FormatUint(6000+n, 10)))
	}
	return w, err
}

// connect connects to a display and sends the greeting, each within answerLimit.
func connect(name string) (*xgb.Conn, *wire, error) {
	w, err := dial(name)
	if err != nil {
		return nil, nil, err
	}
	_ = w.SetDeadline(time.Now().Add(answerLimit)) // cannot fail: it is a socket
	conn, err := xgb.NewConnNet(w)
	if err != nil {
		_ = w.Close() // it failed before
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = ErrSilent
		}
		return nil, nil, err
	}
	_ = w.SetDeadline(time.Time{})
	conn.DefaultScreen = w.screen
	return conn, w, nil
}

// Write sends p to the X server, and records the time. The first message of the library xgb is a
// greeting that ignores the display's host. In place of it, Write sends a greeting with the key for
// this host.
func (w *wire) Write(p []byte) (int, error) {
	w.wrote.Store(time.Now().UnixNano())
	if w.greeted {
		return w.Conn.Write(p)
	}
	w.greeted = true
	_, err := w.Conn.Write(greeting(authority(w.host, w.display)))
	return len(p), err
}

// Read receives data from the X server into p. It records the time, even after an error.
func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.read.Store(time.Now().UnixNano())
	return n, err
}

// giveUp closes the connection, so that all its callers fail.
func (w *wire) giveUp() {
	w.silent.Store(true)
	_ = w.Close() // the library closes it again
}

// owes reports whether something was sent since the server last responded.
func (w *wire) owes() bool { return w.wrote.Load() > w.read.Load() }

// heard returns the time of the server's last response, or asked if that is later.
func (w *wire) heard(asked time.Time) time.Time {
	if read := time.Unix(0, w.read.Load()); read.After(asked) {
		return read
	}
	return asked
}

// greeting returns the first message of a connection.
func greeting(method string, key []byte) []byte {
	padded := func(n int) int { return (n + 3) &^ 3 }
	m := make([]byte, 12+padded(len(method))+padded(len(key)))
	m[0] = 'l' // little endian
	binary.LittleEndian.PutUint16(m[2:], 11)
	binary.LittleEndian.PutUint16(m[6:], uint16(len(method)))
	binary.LittleEndian.PutUint16(m[8:], uint16(len(key)))
	copy(m[12:], method)
	copy(m[12+padded(len(method)):], key)
	return m
}

const cookie = "MIT-MAGIC-COOKIE-1"

// maxAuthority limits the file with the keys of displays, in bytes.
const maxAuthority = 1 << 20

// authority returns the key for a display from the user's authority file (XAUTHORITY, or
// .Xauthority at home). It is empty if there is none: many servers require no key.
func authority(host, display string) (method string, key []byte) {
	const local, wild = 256, 65535
	name := os.Getenv("XAUTHORITY")
	if home, err := os.UserHomeDir(); name == "" && err == nil {
		name = filepath.Join(home, ".Xauthority")
	}
	file, err := os.Open(name)
	if err != nil {
		return "", nil
	}
	defer file.Close()
	if host == "" || host == "localhost" {
		host, _ = os.Hostname()
	}
	from := io.LimitReader(file, maxAuthority)
	for {
		var family uint16
		if binary.Read(from, binary.BigEndian, &family) != nil {
			return "", nil
		}
		var fields [4]string // address, display, method, key
		for i := range fields {
			var n uint16
			if binary.Read(from, binary.BigEndian, &n) != nil {
				return "", nil
			}
			field := make([]byte, n)
			if _, err := io.ReadFull(from, field); err != nil {
				return "", nil
			}
			fields[i] = string(field)
		}
		if (family == wild || family == local && fields[0] == host) && (fields[1] == "" || fields[1] == display) && fields[2] == cookie {
			return cookie, []byte(fields[3])
		}
	}
}

// watch closes the connection if the server owes a reply for answerLimit. If the server is silent
// but may owe nothing, watch sends a request to find out.
func (d *Display) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var asked time.Time
	answered := make(chan struct{}, 1)
	for {
		select {
		case <-d.pumped:
			return
		case <-answered:
			asked = time.Time{}
			continue
		case <-tick.C:
		}
		switch {
		case asked.IsZero() && d.wire.owes():
			asked = time.Now()
			go func() { // ends with the connection
				d.conn.Sync()
				answered <- struct{}{}
			}()
		case !asked.IsZero() && time.Since(d.wire.heard(asked)) > answerLimit:
			d.wire.giveUp()
			return
		}
	}
}

// Until closes the connection if the X server has not sent a reply soon after ctx has ended. Calls on
// the display then fail with ErrSilent. To cancel Until, call the function that it returns.
func (d *Display) Until(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		asked := time.Now()
		select {
		case <-d.pumped:
		case <-time.After(hearLimit):
			if d.wire.owes() && time.Since(d.wire.heard(asked)) >= hearLimit {
				d.wire.giveUp()
			}
		}
	})
}

// Silent reports whether the connection was closed because the server did not respond.
func (d *Display) Silent() bool { return d.wire.silent.Load() }

// LetGo releases all keys and mouse buttons that are held down. Call it after a connection was abandoned, because the X
// server still holds down the keys and buttons that this connection had pressed.
func (d *Display) LetGo() {
	d.input.Lock()
	defer d.input.Unlock()
	for button := range byte(Right) {
		d.fake(xproto.ButtonRelease, button+1, image.Point{})
	}
	for key := int(d.setup.MinKeycode); key <= int(d.setup.MaxKeycode); key++ {
		d.fake(xproto.KeyRelease, byte(key), image.Point{})
	}
	d.conn.Sync()
}
