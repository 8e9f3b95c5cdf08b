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
	// after which the button has done its work: GTK shows it pressed for 250 ms
	buttonTime = 255 * time.Millisecond
	buttonLook = 5 * time.Millisecond // interval of checking whether its window is gone
)

// button is a button that the last key may have pressed, such as the default button of a dialog
// after Enter. The program has then read the key, and the screen may be unchanged: the button is
// drawn pressed for a while and does its work only afterwards. Keys and clicks in that time are
// lost, and a picture still shows the dialog.
type button struct {
	window uint32    // window of the button; 0 if no key may have pressed one
	due    time.Time // end of the button's timer
}

// pressesButton reports whether keys may press a button. Enter and space press the focused or
// default button; Alt and a letter press another one.
func pressesButton(syms []xproto.Keysym) bool {
	last := syms[len(syms)-1]
	return last == named["enter"] || last == named["space"] || slices.Contains(syms, named["alt"])
}

// mayPress records that w has read a key that may press a button. The caller holds input.
func (d *Display) mayPress(w uint32) { d.button = button{w, time.Now().Add(buttonTime)} }

// pressed waits until the button that the last key may have pressed has done its work, or its
// window is no longer active. The caller holds input.
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
		// A program may answer one ping before a timer that is due, but not two.
		if err := d.ping(ctx, b.window); err != nil {
			return err
		}
		return d.ping(ctx, b.window)
	}
	return nil
}

// pressing reports whether the last key may have pressed a button that had not done its work when
// pressing was called. It waits for the button if its time is over.
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
