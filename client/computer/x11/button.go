package x11

import (
	"context"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/windieos/windie/internal/background"
)

// Times of a button that a key presses.
const (
	buttonTime = 255 * time.Millisecond // within which the button does its work: GTK shows the button pressed for 250 ms
	buttonLook = 5 * time.Millisecond   // between looks whether its window has gone
)

// button is a button that the last key may have pressed, as Enter presses the default button of a dialog. The program has
// read the key by then, and the screen may be calm: the button is drawn pressed for a while and does its work only
// afterwards. What is typed or clicked meanwhile is lost, and a picture still has the dialog.
type button struct {
	window uint32    // that has the button; 0 if no key may have pressed one
	due    time.Time // when the button's timer is over
}

// pressesButton reports whether keys may press a button: Enter and space press the one that has the keyboard or is the
// default, Alt and a letter another one.
func pressesButton(syms []xproto.Keysym) bool {
	last := syms[len(syms)-1]
	return last == named["enter"] || last == named["space"] || slices.Contains(syms, named["alt"])
}

// mayPress notes that w has read a key that may press a button. input is held.
func (d *Display) mayPress(w uint32) { d.button = button{w, time.Now().Add(buttonTime)} }

// pressed returns when the button that the last key may have pressed has done its work, or its window is no longer the
// active one. input is held.
func (d *Display) pressed(ctx context.Context) error {
	b := d.button
	d.button = button{}
	for b.window != 0 && d.Active() == b.window {
		if time.Now().Before(b.due) {
			if err := background.Sleep(ctx, buttonLook); err != nil {
				return err
			}
			continue
		}
		// A program may answer a ping before a timer that is due at once, but not two.
		if err := d.ping(ctx, b.window); err != nil {
			return err
		}
		return d.ping(ctx, b.window)
	}
	return nil
}

// pressing reports whether the button that the last key may have pressed had not done its work when pressing was called.
// If the time is over, the button has done so afterwards.
func (d *Display) pressing(ctx context.Context) (bool, error) {
	d.input.Lock()
	defer d.input.Unlock()
	switch b := d.button; {
	case b.window == 0:
		return false, nil
	case time.Now().Before(b.due) && d.Active() == b.window:
		return true, nil
	}
	return true, d.pressed(ctx)
}
