package x11

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/windieos/windie/internal/background"
)

// Button is a button of the mouse.
type Button byte

// The buttons.
const (
	Left   Button = 1
	Middle Button = 2
	Right  Button = 3

	wheelUp, wheelDown, wheelLeft, wheelRight Button = 4, 5, 6, 7
)

// MaxNotches bounds one scroll, and MaxClicks one click: three choose a paragraph.
const (
	MaxNotches = 100
	MaxClicks  = 3
)

// Times of the mouse.
const (
	heldLimit   = 2 * time.Second        // that a person may hold a key or button
	apart       = 500 * time.Millisecond // between clicks that are no double click
	noPing      = 10 * time.Millisecond  // where a program answers no pings
	pingLimit   = time.Second
	pingLook    = 20 * time.Millisecond // after which it is looked whether a window that does not answer is still there
	dragSteps   = 12
	dropPause   = 60 * time.Millisecond // on the target, before what is dragged is let go
	sameSpot    = 6                     // pixels within which two clicks may be a double click
	wheelAlive  = 2 * time.Millisecond  // between notches
	pressedTime = 8 * time.Millisecond  // that a button is held
)

// mouse is what is known of the last click.
type mouse struct {
	at     image.Point
	button Button
	when   time.Time
	pings  uint32
	silent uint32 // window whose program answered no ping since the last call of Unanswered; 0 for none
}

// fake sends an event as a device would.
func (d *Display) fake(kind, detail byte, at image.Point) {
	xtest.FakeInput(d.conn, kind, detail, 0, d.root, int16(at.X), int16(at.Y), 0)
}

// act runs an action alone, once no person holds a key or button, and what the action before has pressed has done its work.
func (d *Display) act(ctx context.Context, do func() error) error {
	d.input.Lock()
	defer d.input.Unlock()
	if err := d.free(ctx); err != nil {
		return err
	}
	if err := d.pressed(ctx); err != nil {
		return err
	}
	return do()
}

// free waits until no key or button is held.
func (d *Display) free(ctx context.Context) error {
	const held = xproto.KeyButMaskButton1 | xproto.KeyButMaskButton2 | xproto.KeyButMaskButton3 |
		xproto.KeyButMaskShift | xproto.KeyButMaskControl | xproto.KeyButMaskMod1 | xproto.KeyButMaskMod4
	for began := time.Now(); ; {
		p, err := xproto.QueryPointer(d.conn, d.root).Reply()
		if err != nil {
			return fmt.Errorf("the X server does not answer: %w", err)
		}
		if p.Mask&held == 0 {
			return nil
		}
		if time.Since(began) > heldLimit {
			return errors.New("somebody holds a key or a mouse button; nothing was done. Try again")
		}
		if err := background.Sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}

// onScreen refuses a point outside of the screen.
func (d *Display) onScreen(points ...image.Point) error {
	all, err := d.Bounds()
	if err != nil {
		return err
	}
	for _, p := range points {
		if !p.In(all) {
			return fmt.Errorf("x %d, y %d is outside the screen, which has %d by %d pixels", p.X, p.Y, all.Dx(), all.Dy())
		}
	}
	return nil
}

// Pointer returns where the mouse is.
func (d *Display) Pointer() (image.Point, error) {
	p, err := xproto.QueryPointer(d.conn, d.root).Reply()
	if err != nil {
		return image.Point{}, err
	}
	return image.Pt(int(p.RootX), int(p.RootY)), nil
}

// Move moves the mouse, and returns when the program there has noticed.
func (d *Display) Move(ctx context.Context, to image.Point) error {
	if err := d.onScreen(to); err != nil {
		return err
	}
	return d.act(ctx, func() error { return d.move(ctx, to) })
}

func (d *Display) move(ctx context.Context, to image.Point) error {
	d.fake(xproto.MotionNotify, 0, to)
	return d.heard(ctx, to)
}

// Click clicks at a point, times times: two are a double click. It returns when the program there has noticed.
func (d *Display) Click(ctx context.Context, at image.Point, button Button, times int) error {
	if err := d.onScreen(at); err != nil {
		return err
	}
	if times < 1 || times > MaxClicks || button < Left || button > Right {
		return fmt.Errorf("click: 1 to %d presses of a button from %d to %d", MaxClicks, Left, Right)
	}
	return d.act(ctx, func() error {
		last := d.mouse
		if near := at.Sub(last.at); last.button == button && max(near.X, -near.X, near.Y, -near.Y) <= sameSpot {
			if err := background.Sleep(ctx, time.Until(last.when.Add(apart))); err != nil {
				return err
			}
		}
		if err := d.move(ctx, at); err != nil {
			return err
		}
		for range times {
			if err := d.press(ctx, at, button, times > 1); err != nil {
				return err
			}
		}
		d.mouse.at, d.mouse.button, d.mouse.when = at, button, time.Now()
		return d.heard(ctx, at)
	})
}

// press presses a button and lets it go. It is let go also when ctx ends. One of several presses does not wait until the
// program has noticed: a busy program would take two presses for separate clicks.
func (d *Display) press(ctx context.Context, at image.Point, button Button, several bool) error {
	d.fake(xproto.ButtonPress, byte(button), image.Point{})
	d.conn.Sync()
	var err error
	if !several {
		err = d.heard(ctx, at)
	}
	if err == nil {
		err = background.Sleep(ctx, pressedTime)
	}
	d.fake(xproto.ButtonRelease, byte(button), image.Point{})
	d.conn.Sync()
	if several && err == nil {
		err = background.Sleep(ctx, pressedTime)
	}
	return err
}

// Drag drags what is at a point to another one.
func (d *Display) Drag(ctx context.Context, from, to image.Point) error {
	if err := d.onScreen(from, to); err != nil {
		return err
	}
	return d.act(ctx, func() (err error) {
		if err := d.move(ctx, from); err != nil {
			return err
		}
		d.fake(xproto.ButtonPress, byte(Left), image.Point{})
		defer func() { // on every way out
			d.fake(xproto.ButtonRelease, byte(Left), image.Point{})
			d.conn.Sync()
			err = errors.Join(err, d.heard(ctx, to))
		}()
		if err := d.heard(ctx, from); err != nil {
			return err
		}
		way := to.Sub(from)
		for i := 1; i <= dragSteps; i++ { // programs begin to drag after some pixels of motion
			at := from.Add(image.Pt(way.X*i/dragSteps, way.Y*i/dragSteps))
			if err := d.move(ctx, at); err != nil {
				return err
			}
		}
		return background.Sleep(ctx, dropPause)
	})
}

// Scroll turns the wheel over a point: down and right are positive notches.
func (d *Display) Scroll(ctx context.Context, at image.Point, right, down int) error {
	if err := d.onScreen(at); err != nil {
		return err
	}
	if max(right, -right, down, -down) > MaxNotches {
		return fmt.Errorf("scroll: at most %d notches", MaxNotches)
	}
	return d.act(ctx, func() error {
		if err := d.move(ctx, at); err != nil {
			return err
		}
		for _, turn := range []struct {
			notches  int
			fore, to Button
		}{{down, wheelDown, wheelUp}, {right, wheelRight, wheelLeft}} {
			button := turn.fore
			if turn.notches < 0 {
				button = turn.to
			}
			for range max(turn.notches, -turn.notches) {
				d.fake(xproto.ButtonPress, byte(button), image.Point{})
				d.fake(xproto.ButtonRelease, byte(button), image.Point{})
				d.conn.Sync()
				if err := background.Sleep(ctx, wheelAlive); err != nil {
					return err
				}
			}
		}
		return d.heard(ctx, at)
	})
}

// heard returns when the program under a point has read all events so far, as far as it says so.
func (d *Display) heard(ctx context.Context, at image.Point) error {
	if w, ok := d.WindowAt(at); ok {
		return d.ping(ctx, w)
	}
	// A menu, which no list has: the program that shows it is likely the active one, and reads all in one order.
	if err := background.Sleep(ctx, noPing); err != nil {
		return err
	}
	if w := d.Active(); w != 0 {
		return d.ping(ctx, w)
	}
	return nil
}

// ping asks a window's program to answer, and returns when it has. A program that is busy, or knows no pings, is given
// a moment.
func (d *Display) ping(ctx context.Context, id uint32) error {
	d.conn.Sync()
	protocols, ping := d.atom("WM_PROTOCOLS"), d.atom("_NET_WM_PING")
	known, err := d.numbers(xproto.Window(id), "WM_PROTOCOLS")
	if err != nil || !slices.Contains(known, uint32(ping)) {
		return background.Sleep(ctx, noPing)
	}
	d.mouse.pings++
	serial := d.mouse.pings
	answers, stop := d.listen(func(e xgb.Event) bool {
		m, ok := e.(xproto.ClientMessageEvent)
		return ok && m.Type == protocols && len(m.Data.Data32) > 1 && m.Data.Data32[0] == uint32(ping) && m.Data.Data32[1] == serial
	})
	defer stop()
	event := xproto.ClientMessageEvent{
		Format: 32, Window: xproto.Window(id), Type: protocols,
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(ping), serial, id, 0, 0}),
	}
	xproto.SendEvent(d.conn, false, xproto.Window(id), 0, string(event.Bytes()))
	return d.answered(ctx, xproto.Window(id), answers)
}

// Unanswered returns the title of a window whose program did not answer whether it had read what was sent to it, since
// the last call; ok is false if each one answered.
func (d *Display) Unanswered() (title string, ok bool) {
	d.input.Lock()
	defer d.input.Unlock()
	w := d.mouse.silent
	d.mouse.silent = 0
	return d.titleOf(w), w != 0
}

// answered waits for the answer to a ping, until the window has gone, as a dialog that was closed, or pingLimit is over.
func (d *Display) answered(ctx context.Context, w xproto.Window, answers *listener) error {
	look := time.NewTicker(pingLook)
	defer look.Stop()
	for began := time.Now(); time.Since(began) < pingLimit; { // then it is busy: what was sent waits in its queue
		select {
		case <-answers.events:
			return nil
		case <-look.C:
			state, err := xproto.GetWindowAttributes(d.conn, w).Reply()
			if err != nil || state.MapState != xproto.MapStateViewable {
				return nil // it has gone
			}
		case <-d.pumped:
			return errors.New("the connection to the X server has ended")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.mouse.silent = uint32(w)
	return nil
}
