package x11

import (
	"context"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/windieos/windie/internal/background"
)

// aim is the window that should get the keys.
type aim struct {
	window uint32        // 0 without a window manager
	focus  xproto.Window // the window inside window that has the keyboard focus
	owner  uint32        // for a dialog, the window that it belongs to; otherwise 0
}

// Moved is the error of Type or Press if the intended window does not have the keyboard focus. Type
// may already have typed a part of the text.
type Moved struct {
	// From is the title of the intended window. To is the title of the window that has the keyboard
	// focus.
	From, To string
	// Typed is the number of characters that the intended window has received. Of is the number of
	// characters in the text. Both are 0 for keys that Press presses.
	Typed, Of int
}

// Error implements error.
func (m *Moved) Error() string {
	if m.Of == 0 {
		return fmt.Sprintf("the window %q is not focused, but %q is; no key was pressed", m.From, m.To)
	}
	return fmt.Sprintf("the focus moved from the window %q to %q: only the first %d of %d characters were typed, into %[1]q", m.From, m.To, m.Typed, m.Of)
}

// moved returns the error for keys whose window no longer has the keyboard focus.
func (d *Display) moved(ctx context.Context, from uint32) *Moved {
	m := &Moved{From: d.titleOf(from)}
	for began := time.Now(); ; { // while the focus moves between windows, no window has it
		if to := d.keyboardIn(); to != 0 || time.Since(began) > movedTime || background.Sleep(ctx, keysApart) != nil {
			m.To = d.titleOf(to)
			return m
		}
	}
}

// movedTime limits how long the focus takes to move between windows.
const movedTime = 200 * time.Millisecond

// keyboardIn returns the window to which the server sends keys. The server knows it a little
// earlier than the window manager. The result is 0 for a window that the window manager does not
// know.
func (d *Display) keyboardIn() uint32 {
	focus, err := xproto.GetInputFocus(d.conn).Reply()
	clients, gone := d.numbers(d.root, "_NET_CLIENT_LIST")
	if err != nil || gone != nil {
		return 0
	}
	for _, id := range clients {
		if d.within(focus.Focus, xproto.Window(id)) {
			return id
		}
	}
	return 0
}

// titleOf returns the title of a window, or "" if it is gone.
func (d *Display) titleOf(id uint32) string {
	w, _ := d.describe(xproto.Window(id))
	return w.Title
}

// aimAt returns the aim at a window, which must have the keyboard focus. If window is 0, it returns
// the aim at the window that has the focus.
func (d *Display) aimAt(ctx context.Context, window uint32) (aim, error) {
	active := d.Active()
	if window != 0 && active != window {
		return aim{}, d.moved(ctx, window)
	}
	a := aim{window: active}
	if owner, err := d.numbers(xproto.Window(active), "WM_TRANSIENT_FOR"); active != 0 && err == nil && len(owner) > 0 {
		a.owner = owner[0]
	}
	focus, err := xproto.GetInputFocus(d.conn).Reply()
	if err == nil && (active == 0 || d.within(focus.Focus, xproto.Window(active))) {
		a.focus = focus.Focus
	}
	return a, err
}

// hitAt presses a key with its modifiers and releases all, if the window of the aim still has the
// keyboard focus. The server serves no other client meanwhile, so no key goes to a window that
// takes the focus.
func (d *Display) hitAt(ctx context.Context, a *aim, s stroke) error {
	xproto.GrabServer(d.conn)
	there := d.has(a)
	if there {
		keys := append(slices.Clone(s.hold), s.code)
		for _, k := range keys {
			d.fake(xproto.KeyPress, byte(k), image.Point{})
		}
		for _, k := range slices.Backward(keys) {
			d.fake(xproto.KeyRelease, byte(k), image.Point{})
		}
	}
	xproto.UngrabServer(d.conn)
	d.conn.Sync()
	if !there {
		return d.moved(ctx, a.window)
	}
	return background.Sleep(ctx, keysApart)
}

// has reports whether the window of the aim has the keyboard focus. If the focus moved within that
// window, has updates the aim.
func (d *Display) has(a *aim) bool {
	focus, err := xproto.GetInputFocus(d.conn).Reply()
	switch {
	case err != nil:
		return false
	case focus.Focus == a.focus && a.focus != 0:
		return true
	case a.window == 0 || !d.within(focus.Focus, xproto.Window(a.window)):
		return false
	}
	a.focus = focus.Focus
	return true
}
