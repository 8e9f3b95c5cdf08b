package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// MaxClipboard is the maximum size of a text in the clipboard, in bytes.
const MaxClipboard = 4 << 20

// Sizes and times of the clipboard.
const (
	clipPiece = 128 << 10       // bytes of one property; a request of the library is at most 256 KiB
	clipLimit = 2 * time.Second // wait for another program's next piece
	maxSends  = 32              // readers that get pieces at the same time
)

// clipboard reads the clipboard, and owns it until another program copies something.
type clipboard struct {
	d      *Display
	window xproto.Window
	reads  sync.Mutex // one read at a time

	mu    sync.Mutex
	text  []byte
	owned bool
	sends map[xproto.Window]*send
}

// send is a transfer of a text in pieces. The next piece is sent when the reader has taken the
// last.
type send struct {
	property xproto.Atom
	rest     []byte
}

// newClipboard creates the window that represents this program for the clipboard.
func newClipboard(d *Display) (*clipboard, error) {
	window, err := xproto.NewWindowId(d.conn)
	if err != nil {
		return nil, err
	}
	err = xproto.CreateWindowChecked(d.conn, 0, window, d.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	return &clipboard{d: d, window: window, sends: map[xproto.Window]*send{}}, err
}

// ReadClipboard returns the clipboard's text, or "" if the clipboard has no text.
func (d *Display) ReadClipboard(ctx context.Context) (string, error) {
	c := d.clip
	c.reads.Lock()
	defer c.reads.Unlock()
	c.mu.Lock()
	if c.owned {
		defer c.mu.Unlock()
		return string(c.text), nil
	}
	c.mu.Unlock()
	property, clip, text := d.atom("WINDIE_CLIPBOARD"), d.atom("CLIPBOARD"), d.atom("UTF8_STRING")
	owner, err := xproto.GetSelectionOwner(d.conn, clip).Reply()
	if err != nil || owner.Owner == 0 {
		return "", err
	}
	answers, stop := d.listen(func(e xgb.Event) bool {
		switch e := e.(type) {
		case xproto.SelectionNotifyEvent:
			return e.Requestor == c.window
		case xproto.PropertyNotifyEvent:
			return e.Window == c.window && e.Atom == property && e.State == xproto.PropertyNewValue
		}
		return false
	})
	defer stop()
	xproto.ConvertSelection(d.conn, c.window, clip, text, property, xproto.TimeCurrentTime)
	return c.receive(ctx, property, answers)
}

// receive takes a text that another program sends, whole or in pieces (INCR).
func (c *clipboard) receive(ctx context.Context, property xproto.Atom, answers *listener) (string, error) {
	var all []byte
	pieces := false
	for {
		event, err := next(ctx, answers, clipLimit)
		if err != nil {
			return "", err
		}
		if notify, ok := event.(xproto.SelectionNotifyEvent); ok {
			if notify.Property == 0 {
				return "", nil // no text
			}
		} else if !pieces {
			continue // the property of the reply itself
		}
		value, err := xproto.GetProperty(c.d.conn, true, c.window, property, xproto.GetPropertyTypeAny, 0, MaxClipboard/4+1).Reply()
		switch {
		case err != nil:
			return "", err
		case value.Type == c.d.atom("INCR"):
			pieces = true
			continue
		case pieces && len(value.Value) == 0:
			return string(all), nil
		}
		if all = append(all, value.Value...); len(all) > MaxClipboard || value.BytesAfter > 0 {
			return "", fmt.Errorf("the clipboard's text has more than %d bytes", MaxClipboard)
		}
		if !pieces {
			return string(all), nil
		}
	}
}

// next returns the next event of a listener.
func next(ctx context.Context, l *listener, limit time.Duration) (xgb.Event, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case e := <-l.events:
		return e, nil
	case <-timer.C:
		return nil, errors.New("the program that owns the clipboard does not respond")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// WriteClipboard puts a text into the clipboard. The text stays there until another program copies
// something or the display is closed.
func (d *Display) WriteClipboard(text string) error {
	if len(text) > MaxClipboard {
		return fmt.Errorf("the clipboard text is too long: expected at most %d bytes", MaxClipboard)
	}
	c := d.clip
	c.mu.Lock()
	defer c.mu.Unlock()
	clip := d.atom("CLIPBOARD")
	if err := xproto.SetSelectionOwnerChecked(d.conn, c.window, clip, xproto.TimeCurrentTime).Check(); err != nil {
		return err
	}
	owner, err := xproto.GetSelectionOwner(d.conn, clip).Reply()
	if err != nil || owner.Owner != c.window {
		return fmt.Errorf("cannot take ownership of the clipboard: %w", errors.Join(err, errors.New("another program owns the clipboard")))
	}
	c.text, c.owned = []byte(text), true
	return nil
}

// handle serves other programs. It is called with every event.
func (c *clipboard) handle(event xgb.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case xproto.SelectionClearEvent:
		if e.Owner == c.window {
			c.owned, c.text = false, nil
		}
	case xproto.SelectionRequestEvent:
		if e.Owner == c.window {
			c.answer(e)
		}
	case xproto.PropertyNotifyEvent:
		if s := c.sends[e.Window]; s != nil && e.State == xproto.PropertyDelete && e.Atom == s.property {
			n := min(clipPiece, len(s.rest))
			c.put(e.Window, s.property, c.d.atom("UTF8_STRING"), 8, s.rest[:n])
			if s.rest = s.rest[n:]; n == 0 { // the empty piece marks the end
				delete(c.sends, e.Window)
				xproto.ChangeWindowAttributes(c.d.conn, e.Window, xproto.CwEventMask, []uint32{0})
			}
		}
	case xproto.DestroyNotifyEvent:
		delete(c.sends, e.Window)
	}
}

// answer sends the text to a program that requests it.
func (c *clipboard) answer(e xproto.SelectionRequestEvent) {
	property := e.Property
	if property == 0 {
		property = e.Target // old programs send no property
	}
	targets, text, plain := c.d.atom("TARGETS"), c.d.atom("UTF8_STRING"), c.d.atom("text/plain;charset=utf-8")
	switch {
	case !c.owned:
		property = 0
	case e.Target == targets:
		var list []byte
		for _, a := range []xproto.Atom{targets, text, plain} {
			list = binary.LittleEndian.AppendUint32(list, uint32(a))
		}
		c.put(e.Requestor, property, xproto.AtomAtom, 32, list)
	case e.Target != text && e.Target != plain:
		property = 0
	case len(c.text) > clipPiece && len(c.sends) < maxSends:
		xproto.ChangeWindowAttributes(c.d.conn, e.Requestor, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify})
		c.sends[e.Requestor] = &send{property, slices.Clone(c.text)}
		c.put(e.Requestor, property, c.d.atom("INCR"), 32, binary.LittleEndian.AppendUint32(nil, uint32(len(c.text))))
	case len(c.text) > clipPiece:
		property = 0
	default:
		c.put(e.Requestor, property, e.Target, 8, c.text)
	}
	done := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property}
	xproto.SendEvent(c.d.conn, false, e.Requestor, 0, string(done.Bytes()))
}

// put sets a property of another program's window. bits is the size of each item in data: 8 or 32.
func (c *clipboard) put(w xproto.Window, property, kind xproto.Atom, bits byte, data []byte) {
	xproto.ChangeProperty(c.d.conn, xproto.PropModeReplace, w, property, kind, bits, uint32(len(data)/int(bits/8)), data)
}
