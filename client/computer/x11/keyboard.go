package x11

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"

	"github.com/windieos/windie/internal/background"
)

// Limits of Type and Press.
const (
	MaxType = 64 << 10 // maximum size of a text to type, in bytes
	MaxKeys = 8        // maximum number of keys pressed together
)

// Times and numbers of the keyboard.
const (
	// after which borrowed keys are returned: a program looks a key up when it reads the event
	keepSpares = time.Second
	pace       = 12 // characters between two checks that the program has read them
	keysApart  = time.Millisecond

	steadyTime  = 20 * time.Millisecond // how long a window must have the keyboard focus before it gets text
	steadyLimit = time.Second           // after which it gets text anyway: perhaps no window has the focus
)

// typist borrows unused keys for characters that the layout lacks.
type typist struct {
	borrowed []xproto.Keycode
	timer    *time.Timer // returns the borrowed keys
	texts    int         // texts that have borrowed keys so far
}

// Type types a text into a window. If window is 0, it types into the window that has the keyboard
// focus. A line break in the text presses Enter. If Enter closes a dialog, Type continues in the
// window that owns the dialog. If any other window takes the focus, Type stops and returns a *Moved.
func (d *Display) Type(ctx context.Context, window uint32, text string) error {
	if len(text) > MaxType || !utf8.ValidString(text) {
		return fmt.Errorf("invalid text to type: expected at most %d bytes of UTF-8", MaxType)
	}
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return fmt.Errorf("the character %U cannot be typed; press keys instead", r)
		}
	}
	return d.act(ctx, func() error {
		m, err := d.beginTyping(ctx, window)
		if err != nil {
			return err
		}
		to, err := d.aimAt(ctx, window)
		if err != nil {
			return err
		}
		if m.caps {
			defer d.tap(m, named["capslock"])
			d.tap(m, named["capslock"])
		}
		all := []rune(text)
		for runes := all; len(runes) > 0; {
			strokes, n, err := d.plan(ctx, m, runes)
			if err != nil {
				return err
			}
			if done, err := d.strike(ctx, &to, strokes, runes); err != nil {
				if moved, ok := errors.AsType[*Moved](err); ok {
					moved.Typed, moved.Of = len(all)-len(runes)+done, len(all)
				}
				return err
			}
			runes = runes[n:]
		}
		return nil
	})
}

// beginTyping waits until the window is ready, and returns the map of the keys that it then types.
// The server uses the map of XTEST only after a first key of XTEST, so beginTyping presses an
// unused key.
func (d *Display) beginTyping(ctx context.Context, window uint32) (*keymap, error) {
	if d.typist.timer != nil {
		d.typist.timer.Stop()
	}
	if err := d.steady(ctx, window); err != nil {
		return nil, err
	}
	m, err := d.readKeymap()
	if err != nil {
		return nil, err
	}
	if len(d.typist.borrowed) > 0 {
		d.giveBackAfter(ctx)
		if m, err = d.readKeymap(); err != nil {
			return nil, err
		}
	}
	wake, ok := m.wake()
	if !ok {
		return m, nil
	}
	d.fake(xproto.KeyPress, byte(wake), image.Point{})
	d.fake(xproto.KeyRelease, byte(wake), image.Point{})
	d.conn.Sync()
	return d.readKeymap()
}

// steady waits until one window has had the focus for steadyTime and has read its events. If
// window is not 0, it must be that window. After steadyLimit, steady returns without an error.
// Without this wait, keys would go to a dialog that is closing.
func (d *Display) steady(ctx context.Context, window uint32) error {
	had := uint32(0)
	for began := time.Now(); time.Since(began) < steadyLimit; {
		active := d.Active()
		if active != 0 && !d.focused(xproto.Window(active)) {
			active = 0
		}
		if active != 0 && active == had && (window == 0 || active == window) {
			return d.ping(ctx, active)
		}
		had = active
		if err := background.Sleep(ctx, steadyTime); err != nil {
			return err
		}
	}
	return nil
}

// giveBackAfter returns the borrowed keys once the program has read the typed text.
func (d *Display) giveBackAfter(ctx context.Context) {
	if w := d.Active(); w != 0 {
		_ = d.ping(ctx, w)
	}
	_ = background.Sleep(ctx, noPing)
	d.typist.giveBack(d)
}

// plan returns the strokes for the first n characters. It lends an unused key to each character
// that the layout lacks, and stops when no unused key is left.
func (d *Display) plan(ctx context.Context, m *keymap, runes []rune) (strokes []stroke, n int, err error) {
	spares := m.spares()
	if len(d.typist.borrowed) > 0 {
		d.giveBackAfter(ctx) // keys of the earlier characters
	}
	own := map[rune]stroke{}
	for _, r := range runes {
		s, known := own[r]
		if !known {
			syms := keysymsOf(r)
			if s, known = m.find(syms); !known {
				if len(spares) == 0 {
					break
				}
				s.code, spares = spares[0], spares[1:]
				if err := d.lend(s.code, syms[0]); err != nil {
					return nil, 0, err
				}
			}
			own[r] = s
		}
		strokes = append(strokes, s)
	}
	if len(strokes) == 0 {
		return nil, 0, fmt.Errorf("the keyboard has no key for %q, and no free key to assign it to", runes[0])
	}
	d.returnLater()
	return strokes, len(strokes), nil
}

// returnLater returns the borrowed keys after keepSpares.
func (d *Display) returnLater() {
	if len(d.typist.borrowed) == 0 {
		return
	}
	d.typist.texts++
	mine := d.typist.texts
	d.typist.timer = time.AfterFunc(keepSpares, func() {
		d.input.Lock()
		defer d.input.Unlock()
		if d.typist.texts == mine { // otherwise another text uses them by now
			d.typist.giveBack(d)
		}
	})
}

// lend assigns a keysym to an unused key.
func (d *Display) lend(code xproto.Keycode, sym xproto.Keysym) error {
	d.typist.borrowed = append(d.typist.borrowed, code)
	return xproto.ChangeKeyboardMappingChecked(d.conn, 1, code, 2, []xproto.Keysym{sym, sym}).Check()
}

// giveBack clears the borrowed keys. The caller holds input.
func (t *typist) giveBack(d *Display) {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	for _, code := range t.borrowed {
		// a leftover keysym does no harm
		_ = xproto.ChangeKeyboardMappingChecked(d.conn, 1, code, 1, []xproto.Keysym{0}).Check()
	}
	t.borrowed = nil
}

// strike presses the keys of characters in order, and regularly waits until the program has read
// them. After a line break in a dialog it waits for the button that the break may press. It returns
// the number of pressed keys.
func (d *Display) strike(ctx context.Context, to *aim, strokes []stroke, runes []rune) (done int, err error) {
	for i, s := range strokes {
		if err := d.hitAt(ctx, to, s); err != nil {
			return i, err
		}
		enter, last := runes[i] == '\n' || runes[i] == '\r', i == len(strokes)-1
		if to.window == 0 || !enter && !last && i%pace != pace-1 {
			continue
		}
		if err := d.ping(ctx, to.window); err != nil {
			return i + 1, err
		}
		if !enter {
			continue
		}
		d.mayPress(to.window)
		if len(runes) > i+1 && to.owner != 0 {
			if err := d.behindDialog(ctx, to); err != nil {
				return i + 1, err
			}
		}
	}
	return len(strokes), nil
}

// behindDialog waits until a dialog's button that a line break may have pressed has done its work.
// If the dialog is gone, typing continues in the window that it belongs to.
func (d *Display) behindDialog(ctx context.Context, to *aim) error {
	if err := errors.Join(d.pressed(ctx), d.steady(ctx, 0)); err != nil {
		return err
	}
	if d.Active() != to.owner {
		return nil
	}
	behind, err := d.aimAt(ctx, to.owner)
	if err == nil {
		*to = behind
	}
	return err
}

// tap presses the key of a keysym, if there is one.
func (d *Display) tap(m *keymap, sym xproto.Keysym) {
	if code, ok := m.code(sym); ok {
		d.fake(xproto.KeyPress, byte(code), image.Point{})
		d.fake(xproto.KeyRelease, byte(code), image.Point{})
		d.conn.Sync()
	}
}

// Press presses several keys together, for example ctrl and s: it holds the other keys while it
// presses the last key. If window is 0, the keys go to the window that has the keyboard focus.
// If another window has the focus, Press returns a *Moved.
func (d *Display) Press(ctx context.Context, window uint32, keys ...string) error {
	if len(keys) == 0 || len(keys) > MaxKeys {
		return fmt.Errorf("invalid number of keys: expected 1 to %d", MaxKeys)
	}
	return d.act(ctx, func() error {
		m, err := d.beginTyping(ctx, window)
		if err != nil {
			return err
		}
		var all stroke
		var syms []xproto.Keysym
		for i, name := range keys {
			s, sym, err := d.keyFor(m, name)
			if err != nil {
				return err
			}
			syms = append(syms, sym)
			for _, k := range s.hold {
				if !slices.Contains(all.hold, k) {
					all.hold = append(all.hold, k)
				}
			}
			if i == len(keys)-1 {
				all.code = s.code
			} else {
				all.hold = append(all.hold, s.code)
			}
		}
		d.returnLater()
		to, err := d.aimAt(ctx, window)
		if err == nil {
			err = d.hitAt(ctx, &to, all)
		}
		if err == nil {
			err = d.afterKeys(ctx)
		}
		if err == nil && pressesButton(syms) {
			d.mayPress(to.window)
		}
		if err != nil {
			return err
		}
		return nil
	})
}

// keyFor returns the key of a name, and its keysym. If the layout lacks it, as a Greek one lacks s,
// it borrows an unused key.
func (d *Display) keyFor(m *keymap, name string) (s stroke, sym xproto.Keysym, err error) {
	syms, err := keyNamed(name)
	if err != nil {
		return stroke{}, 0, err
	}
	if s, ok := m.find(syms); ok {
		return s, syms[0], nil
	}
	if code, ok := m.code(syms[0]); ok && isModifier(syms[0]) {
		return stroke{code: code}, syms[0], nil
	}
	for _, code := range m.spares() {
		if !slices.Contains(d.typist.borrowed, code) {
			return stroke{code: code}, syms[0], d.lend(code, syms[0])
		}
	}
	return stroke{}, 0, fmt.Errorf("the keyboard has no key %q, and no free key to assign it to", name)
}

// afterKeys waits until the active program has read the pressed keys.
func (d *Display) afterKeys(ctx context.Context) error {
	if w := d.Active(); w != 0 {
		return d.ping(ctx, w)
	}
	return background.Sleep(ctx, noPing)
}
