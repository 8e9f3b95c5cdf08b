// Package x11 sees and controls a screen of the X Window System. It uses only the X protocol, and
// needs no helper programs and no C.
//
//	display, err := x11.Open(":0")
//	defer display.Close()
//	frame, err := display.Capture(image.Rectangle{}) // the whole screen
//	err = display.Click(ctx, image.Pt(40, 60), x11.Clicks{})
//	err = display.Type(ctx, 0, "Zoë, 漢字 😀")
//
// Coordinates in pictures and clicks are pixels of the whole screen, which covers all monitors.
//
// A program loses events that arrive faster than it reads them. So after each relevant event this
// package asks the program, with _NET_WM_PING, whether it has read everything. This takes 1 to 3
// ms. If a program does not answer pings, the package pauses instead.
package x11

import (
	"errors"
	"fmt"
	"image"
	"io"
	"log"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// Display is a connection to an X server. Its methods are safe for concurrent use; mouse
// and keyboard actions run one at a time.
type Display struct {
	conn  *xgb.Conn
	wire  *wire
	setup *xproto.SetupInfo
	root  xproto.Window
	depth byte

	atoms sync.Map // xproto.Atom by name

	mu        sync.Mutex
	listeners map[*listener]struct{}
	pumped    chan struct{} // closed when no more events come

	grab   grabber
	clip   *clipboard
	input  sync.Mutex // held during an action
	mouse  mouse
	typist typist
	button button
}

// quiet turns off the library's log: errors are returned.
var quiet = sync.OnceFunc(func() { xgb.Logger = log.New(io.Discard, "", 0) })

// Open connects to a display such as ":0". An empty name means the display in the variable DISPLAY.
// The caller closes the Display. If the server does not respond for some seconds, Open fails with
// ErrSilent. If the server stops responding later, calls fail and Silent reports true.
func Open(name string) (*Display, error) {
	quiet()
	conn, wire, err := connect(name)
	if err != nil {
		return nil, fmt.Errorf("no connection to the X server: %w", err)
	}
	d := &Display{conn: conn, wire: wire, setup: xproto.Setup(conn), listeners: map[*listener]struct{}{}, pumped: make(chan struct{})}
	go d.watch()
	err = d.begin()
	go d.pump()
	if err == nil {
		return d, nil
	}
	if d.Silent() {
		err = ErrSilent
	}
	conn.Close()
	<-d.pumped
	return nil, err
}

// begin requests the needed extensions and events.
func (d *Display) begin() error {
	screen := d.setup.DefaultScreen(d.conn)
	d.root, d.depth = screen.Root, screen.RootDepth
	if err := d.checkPixels(); err != nil {
		return err
	}
	if err := d.extension("XTEST"); err != nil {
		return errors.New("the X server lacks the extension XTEST, which clicking and typing require")
	}
	if err := d.extension("RANDR"); err != nil {
		return errors.New("the X server lacks the extension RANDR")
	}
	if _, err := randr.QueryVersion(d.conn, 1, 5).Reply(); err != nil {
		return fmt.Errorf("RANDR: %w", err)
	}
	// Replies to pings go to the root window, as events of either mask. So do changes of the list
	// of windows.
	mask := []uint32{xproto.EventMaskSubstructureNotify | xproto.EventMaskStructureNotify | xproto.EventMaskPropertyChange}
	if err := xproto.ChangeWindowAttributesChecked(d.conn, d.root, xproto.CwEventMask, mask).Check(); err != nil {
		return fmt.Errorf("cannot listen to the root window: %w", err)
	}
	clip, err := newClipboard(d)
	d.clip = clip
	return err
}

// extension enables an extension's requests. The library's own Init also writes maps that every
// connection reads, for events and errors that are not needed here.
func (d *Display) extension(name string) error {
	reply, err := xproto.QueryExtension(d.conn, uint16(len(name)), name).Reply()
	if err != nil {
		return err
	}
	if !reply.Present {
		return fmt.Errorf("the X server lacks the extension %s", name)
	}
	d.conn.ExtLock.Lock()
	defer d.conn.ExtLock.Unlock()
	d.conn.Extensions[name] = reply.MajorOpcode
	return nil
}

// checkPixels refuses screens whose pixels are not four bytes: blue, green, red and unused.
func (d *Display) checkPixels() error {
	for _, f := range d.setup.PixmapFormats {
		if f.Depth == d.depth && f.BitsPerPixel == 32 && d.setup.ImageByteOrder == xproto.ImageOrderLSBFirst {
			return nil
		}
	}
	return fmt.Errorf("the screen has a depth of %d bits; screenshots require 24 or 32", d.depth)
}

// Close clears the keys that Type and Press have temporarily assigned, closes the connection, and
// waits for the goroutines of the connection.
func (d *Display) Close() {
	d.input.Lock()
	d.typist.giveBack(d)
	d.input.Unlock()
	d.grab.close(d)
	d.conn.Close()
	<-d.pumped
}

// Lost reports whether the connection has ended.
func (d *Display) Lost() bool {
	select {
	case <-d.pumped:
		return true
	default:
		return d.Silent() // the connection is ending
	}
}

// listener receives the events that it wants.
type listener struct {
	wants  func(xgb.Event) bool
	events chan xgb.Event
}

// listen returns a listener for events, and a function that ends it.
func (d *Display) listen(wants func(xgb.Event) bool) (*listener, func()) {
	l := &listener{wants, make(chan xgb.Event, 64)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listeners[l] = struct{}{}
	return l, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.listeners, l)
	}
}

// pump distributes events until the connection ends.
func (d *Display) pump() {
	defer close(d.pumped)
	for {
		event, fault := d.conn.WaitForEvent()
		if event == nil && fault == nil {
			return
		}
		if event == nil {
			continue // error of a request that nobody waits for
		}
		d.clip.handle(event)
		d.mu.Lock()
		for l := range d.listeners {
			if l.wants(event) {
				select {
				case l.events <- event:
				default: // it has enough
				}
			}
		}
		d.mu.Unlock()
	}
}

// atom returns the number of a name. It is 0, which no name has, if the connection has ended.
func (d *Display) atom(name string) xproto.Atom {
	if known, ok := d.atoms.Load(name); ok {
		return known.(xproto.Atom)
	}
	reply, err := xproto.InternAtom(d.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0
	}
	d.atoms.Store(name, reply.Atom)
	return reply.Atom
}

// Bounds returns the whole screen.
func (d *Display) Bounds() (image.Rectangle, error) {
	g, err := xproto.GetGeometry(d.conn, xproto.Drawable(d.root)).Reply()
	if err != nil {
		return image.Rectangle{}, fmt.Errorf("the X server does not respond: %w", err)
	}
	return image.Rect(0, 0, int(g.Width), int(g.Height)), nil
}

// Monitor is the part of the screen that one display device shows.
type Monitor struct {
	Name    string
	Rect    image.Rectangle
	Primary bool
}

// Monitors lists the monitors.
func (d *Display) Monitors() ([]Monitor, error) {
	reply, err := randr.GetMonitors(d.conn, d.root, true).Reply()
	if err != nil {
		return nil, fmt.Errorf("monitors: %w", err)
	}
	list := make([]Monitor, len(reply.Monitors))
	for i, m := range reply.Monitors {
		list[i] = Monitor{Rect: image.Rect(int(m.X), int(m.Y), int(m.X)+int(m.Width), int(m.Y)+int(m.Height)), Primary: m.Primary}
		if name, err := xproto.GetAtomName(d.conn, m.Name).Reply(); err == nil {
			list[i].Name = name.Name
		}
	}
	return list, nil
}
