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
)

// MaxType and MaxKeys bound what is typed, in bytes, and pressed together at once.
const (
	MaxType = 64 << 10
	MaxKeys = 8
)

// Times and numbers of the keyboard.
const (
	keepSpares = time.Second // after which borrowed keys are given back: a program looks a key up when it reads its event
	pace       = 12          // characters after which the program is asked whether it has read them
	keysApart  = time.Millisecond

	steadyTime  = 20 * time.Millisecond // that a window has had the keyboard before it is typed into
	steadyLimit = time.Second           // after which it is typed anyway: no window may have the keyboard
)

// typist borrows keys that give nothing for characters that the layout lacks.
type typist struct {
	borrowed []xproto.Keycode
	timer    *time.Timer // gives them back
	texts    int         // how many have borrowed keys
}

// Type types a text into the window that has the keyboard. What the layout lacks is typed by keys that give nothing
// else. A line break is Enter.
func (d *Display) Type(ctx context.Context, text string) error {
	if len(text) > MaxType || !utf8.ValidString(text) {
		return fmt.Errorf("a text to type is UTF-8 of at most %d bytes", MaxType)
	}
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return fmt.Errorf("the character %U cannot be typed; press keys instead", r)
		}
	}
	return d.act(ctx, func() error {
		m, err := d.beginTyping(ctx)
		if err != nil {
			return err
		}
		if m.caps {
			defer d.tap(m, named["capslock"])
			d.tap(m, named["capslock"])
		}
		for runes := []rune(text); len(runes) > 0; {
			strokes, n, err := d.plan(ctx, m, runes)
			if err != nil {
				return err
			}
			if err := d.strike(ctx, strokes, runes); err != nil {
				return err
			}
			runes = runes[n:]
		}
		return nil
	})
}

// beginTyping returns the map of the keyboard that XTEST has. The server changes to that with its first key, which is
// one that gives nothing.
func (d *Display) beginTyping(ctx context.Context) (*keymap, error) {
	if d.typist.timer != nil {
		d.typist.timer.Stop()
	}
	if err := d.steady(ctx); err != nil {
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

// steady returns when one window has had the keyboard for a moment and has noticed that, or after steadyLimit: while a
// dialog closes, keys go to a window that is about to go.
func (d *Display) steady(ctx context.Context) error {
	had := uint32(0)
	for began := time.Now(); time.Since(began) < steadyLimit; {
		active := d.Active()
		if active != 0 && !d.focused(xproto.Window(active)) {
			active = 0
		}
		if active != 0 && active == had {
			return d.ping(ctx, active)
		}
		had = active
		if err := pause(ctx, steadyTime); err != nil {
			return err
		}
	}
	return nil
}

// giveBackAfter gives the borrowed keys back once the program has read what was typed.
func (d *Display) giveBackAfter(ctx context.Context) {
	if w := d.Active(); w != 0 {
		_ = d.ping(ctx, w)
	}
	_ = pause(ctx, noPing)
	d.typist.giveBack(d)
}

// plan returns the strokes for as many characters as there are spare keys for, and how many characters these are.
func (d *Display) plan(ctx context.Context, m *keymap, runes []rune) (strokes []stroke, n int, err error) {
	spares := m.spares()
	if len(d.typist.borrowed) > 0 {
		d.giveBackAfter(ctx) // those of the characters before
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
		return nil, 0, fmt.Errorf("the keyboard has no key for %q, and no spare one", runes[0])
	}
	d.returnLater()
	return strokes, len(strokes), nil
}

// returnLater has the borrowed keys given back after a while.
func (d *Display) returnLater() {
	if len(d.typist.borrowed) == 0 {
		return
	}
	d.typist.texts++
	mine := d.typist.texts
	d.typist.timer = time.AfterFunc(keepSpares, func() {
		d.input.Lock()
		defer d.input.Unlock()
		if d.typist.texts == mine { // otherwise they are another text's by now
			d.typist.giveBack(d)
		}
	})
}

// lend has a key that gives nothing give a keysym.
func (d *Display) lend(code xproto.Keycode, sym xproto.Keysym) error {
	d.typist.borrowed = append(d.typist.borrowed, code)
	return xproto.ChangeKeyboardMappingChecked(d.conn, 1, code, 2, []xproto.Keysym{sym, sym}).Check()
}

// giveBack has the borrowed keys give nothing again. input is held.
func (t *typist) giveBack(d *Display) {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	for _, code := range t.borrowed {
		_ = xproto.ChangeKeyboardMappingChecked(d.conn, 1, code, 1, []xproto.Keysym{0}).Check() // a stray keysym harms nobody
	}
	t.borrowed = nil
}

// strike presses the keys of characters one after the other, and asks the program now and then whether it has read them.
// Behind a line break in a dialog, whose button that may press, it waits for the button.
func (d *Display) strike(ctx context.Context, strokes []stroke, runes []rune) error {
	for i, s := range strokes {
		if err := d.hit(ctx, s); err != nil {
			return err
		}
		w, enter, last := d.Active(), runes[i] == '\n' || runes[i] == '\r', i == len(strokes)-1
		if w == 0 || !enter && !last && i%pace != pace-1 {
			continue
		}
		if err := d.ping(ctx, w); err != nil {
			return err
		}
		if !enter {
			continue
		}
		d.mayPress(w)
		if len(runes) > i+1 && d.isDialog(w) {
			if err := errors.Join(d.pressed(ctx), d.steady(ctx)); err != nil {
				return err
			}
		}
	}
	return nil
}

// hit presses a key with those that it needs, and lets all go on every way out.
func (d *Display) hit(ctx context.Context, s stroke) error {
	keys := append(slices.Clone(s.hold), s.code)
	for _, k := range keys {
		d.fake(xproto.KeyPress, byte(k), image.Point{})
	}
	for _, k := range slices.Backward(keys) {
		d.fake(xproto.KeyRelease, byte(k), image.Point{})
	}
	d.conn.Sync()
	return pause(ctx, keysApart)
}

// tap presses the key of a keysym, if there is one.
func (d *Display) tap(m *keymap, sym xproto.Keysym) {
	if code, ok := m.code(sym); ok {
		d.fake(xproto.KeyPress, byte(code), image.Point{})
		d.fake(xproto.KeyRelease, byte(code), image.Point{})
		d.conn.Sync()
	}
}

// Press presses keys by their names, together: the last while the others are held, as ctrl and s.
func (d *Display) Press(ctx context.Context, keys ...string) error {
	if len(keys) == 0 || len(keys) > MaxKeys {
		return fmt.Errorf("from 1 to %d keys are pressed together", MaxKeys)
	}
	return d.act(ctx, func() error {
		m, err := d.beginTyping(ctx)
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
		w := d.Active()
		if err := errors.Join(d.hit(ctx, all), d.afterKeys(ctx)); err != nil {
			return err
		}
		if pressesButton(syms) {
			d.mayPress(w)
		}
		return nil
	})
}

// keyFor returns the key of a name, and what it gives. A spare key becomes that if the layout lacks it, as a Greek one lacks
// s.
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
	return stroke{}, 0, fmt.Errorf("the keyboard has no key %q, and no spare one", name)
}

// afterKeys returns when the active program has read what was pressed.
func (d *Display) afterKeys(ctx context.Context) error {
	if w := d.Active(); w != 0 {
		return d.ping(ctx, w)
	}
	return pause(ctx, noPing)
}
