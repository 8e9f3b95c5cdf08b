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

// Limits of the mouse.
const (
	MaxNotches = 100 // of one scroll
	MaxClicks  = 3   // of one click: three select a paragraph
	MaxHold    = 10 * time.Second
)

// Clicks says how to click. The zero value is one click with the left button.
type Clicks struct {
	Button Button        // the zero value is Left
	Times  int           // 1 to MaxClicks; 0 is 1. Two clicks are a double click
	Hold   time.Duration // how long each click holds the button, up to MaxHold; 0 is a short click
	Keys   []string      // modifier keys to hold during the clicks, such as ctrl
}

// withDefaults returns c with the defaults of its zero fields. It fails if a field is out of range.
func (c Clicks) withDefaults() (Clicks, error) {
	c.Button, c.Times, c.Hold = max(c.Button, Left), max(c.Times, 1), max(c.Hold, pressedTime)
	if c.Times > MaxClicks || c.Button > Right || c.Hold > MaxHold {
		return c, fmt.Errorf("invalid click: a click is 1 to %d presses of at most %v; the buttons have the numbers %d to %d", MaxClicks, MaxHold, Left, Right)
	}
	return c, nil
}

// Times of the mouse.
const (
	heldLimit   = 2 * time.Second        // how long a person may hold a key or button
	apart       = 500 * time.Millisecond // pause between clicks that must not become a double click
	noPing      = 10 * time.Millisecond  // pause for a program that does not answer pings
	pingLimit   = time.Second
	pingLook    = 20 * time.Millisecond // interval of checking whether a silent window still exists
	dragSteps   = 12
	dragPause   = 15 * time.Millisecond  // between them: the program under the mouse answers to each
	dropPause   = 200 * time.Millisecond // pause on the target before the drop
	sameSpot    = 6                      // pixels within which two clicks may be a double click
	wheelAlive  = 2 * time.Millisecond   // between notches
	pressedTime = 8 * time.Millisecond   // how long a button is held
)

// mouse holds the last click, and the state of pings.
type mouse struct {
	at     image.Point
	button Button
	when   time.Time
	pings  uint32
	silent uint32 // window whose program answered no ping since the last call of Unanswered; 0: none
}

// fake sends an event in the way a device would.
func (d *Display) fake(kind, detail byte, at image.Point) {
	xtest.FakeInput(d.conn, kind, detail, 0, d.root, int16(at.X), int16(at.Y), 0)
}

// act runs an action alone. It first waits until no person holds a key or button, and until the
// effect of the last action is complete.
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
			return fmt.Errorf("the X server does not respond: %w", err)
		}
		if p.Mask&held == 0 {
			return nil
		}
		if time.Since(began) > heldLimit {
			return errors.New("the user is holding down a key or a mouse button; nothing was done. Try again")
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

// Pointer returns the position of the mouse.
func (d *Display) Pointer() (image.Point, error) {
	p, err := xproto.QueryPointer(d.conn, d.root).Reply()
	if err != nil {
		return image.Point{}, err
	}
	return image.Pt(int(p.RootX), int(p.RootY)), nil
}

// Move moves the mouse to a point of the screen. It waits until the program at this point has read
// the movement.
func (d *Display) Move(ctx context.Context, to image.Point) error {
	if err := d.onScreen(to); err != nil {
		return err
	}
	return d.act(ctx, func() error { return d.move(ctx, to) })
}

// move is Move without its checks. The caller holds input.
func (d *Display) move(ctx context.Context, to image.Point) error {
	d.fake(xproto.MotionNotify, 0, to)
	return d.heard(ctx, to)
}

// Click clicks at a point. It waits until the program at this point has read the clicks.
func (d *Display) Click(ctx context.Context, at image.Point, how Clicks) error {
	if err := d.onScreen(at); err != nil {
		return err
	}
	how, err := how.withDefaults()
	if err != nil {
		return err
	}
	return d.act(ctx, func() error {
		last := d.mouse
		if near := at.Sub(last.at); last.button == how.Button && max(near.X, -near.X, near.Y, -near.Y) <= sameSpot {
			if err := background.Sleep(ctx, time.Until(last.when.Add(apart))); err != nil {
				return err
			}
		}
		if err := d.holding(ctx, how.Keys, func() error {
			if err := d.move(ctx, at); err != nil {
				return err
			}
			for range how.Times {
				if err := d.press(ctx, at, how); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		d.mouse.at, d.mouse.button, d.mouse.when = at, how.Button, time.Now()
		return d.heard(ctx, at)
	})
}

// press presses a button and releases it, even if ctx ends. With several clicks it does not wait for
// the program: a busy program would take two presses for separate clicks.
func (d *Display) press(ctx context.Context, at image.Point, how Clicks) error {
	several := how.Times > 1
	d.fake(xproto.ButtonPress, byte(how.Button), image.Point{})
	d.conn.Sync()
	var err error
	if !several {
		err = d.heard(ctx, at)
	}
	if err == nil {
		err = background.Sleep(ctx, how.Hold)
	}
	d.fake(xproto.ButtonRelease, byte(how.Button), image.Point{})
	d.conn.Sync()
	if several && err == nil {
		err = background.Sleep(ctx, pressedTime)
	}
	return err
}

// holding holds modifier keys while do runs, and releases them on every return. The caller holds
// input.
func (d *Display) holding(ctx context.Context, keys []string, do func() error) (err error) {
	if len(keys) == 0 {
		return do()
	}
	m, err := d.beginTyping(ctx, 0)
	if err != nil {
		return err
	}
	var codes []xproto.Keycode
	for _, name := range keys {
		code, err := m.modifier(name)
		if err != nil {
			return err
		}
		codes = append(codes, code)
	}
	defer func() {
		for _, code := range slices.Backward(codes) {
			d.fake(xproto.KeyRelease, byte(code), image.Point{})
		}
		d.conn.Sync()
	}()
	for _, code := range codes {
		d.fake(xproto.KeyPress, byte(code), image.Point{})
	}
	d.conn.Sync()
	return do()
}

// Drag drags from one point to another with the left button, while it holds modifier keys.
func (d *Display) Drag(ctx context.Context, from, to image.Point, keys ...string) error {
	if err := d.onScreen(from, to); err != nil {
		return err
	}
	return d.act(ctx, func() error {
		return d.holding(ctx, keys, func() error { return d.drag(ctx, from, to) })
	})
}

// drag is Drag without its checks and keys. The caller holds input.
func (d *Display) drag(ctx context.Context, from, to image.Point) (err error) {
	if err := d.move(ctx, from); err != nil {
		return err
	}
	d.fake(xproto.ButtonPress, byte(Left), image.Point{})
	defer func() { // on every return
		d.fake(xproto.ButtonRelease, byte(Left), image.Point{})
		d.conn.Sync()
		err = errors.Join(err, d.heard(ctx, to))
	}()
	if err := d.heard(ctx, from); err != nil {
		return err
	}
	way := to.Sub(from)
	for i := 1; i <= dragSteps; i++ { // programs start a drag after some pixels of motion
		at := from.Add(image.Pt(way.X*i/dragSteps, way.Y*i/dragSteps))
		if err := d.move(ctx, at); err != nil {
			return err
		}
		if err := background.Sleep(ctx, dragPause); err != nil {
			return err
		}
	}
	return background.Sleep(ctx, dropPause)
}

// Scroll turns the mouse wheel over a point by the given numbers of notches. Positive numbers scroll
// right and down, negative numbers scroll left and up.
func (d *Display) Scroll(ctx context.Context, at image.Point, right, down int) error {
	if err := d.onScreen(at); err != nil {
		return err
	}
	if max(right, -right, down, -down) > MaxNotches {
		return fmt.Errorf("invalid scroll: expected at most %d notches", MaxNotches)
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

// heard waits until the program under a point has read all events so far, if it answers pings.
func (d *Display) heard(ctx context.Context, at image.Point) error {
	if w, ok := d.WindowAt(at); ok {
		return d.ping(ctx, w)
	}
	// A menu is in no list. The program that shows it is probably the active one, which reads its
	// events in order.
	if err := background.Sleep(ctx, noPing); err != nil {
		return err
	}
	if w := d.Active(); w != 0 {
		return d.ping(ctx, w)
	}
	return nil
}

// ping asks a window's program to reply, and waits for the reply. A program that is busy, or does
// not support pings, gets a short pause.
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

// Unanswered returns the title of a window whose program has left a ping unanswered since the last
// call of Unanswered. Such a program may not have read its events. The result ok is false if there
// is no such program.
func (d *Display) Unanswered() (title string, ok bool) {
	d.input.Lock()
	defer d.input.Unlock()
	w := d.mouse.silent
	d.mouse.silent = 0
	return d.titleOf(w), w != 0
}

// answered waits for the reply to a ping, until the window is gone, like a closed dialog, or
// pingLimit is over.
func (d *Display) answered(ctx context.Context, w xproto.Window, answers *listener) error {
	look := time.NewTicker(pingLook)
	defer look.Stop()
	// after that the program is busy: the events wait in its queue
	for began := time.Now(); time.Since(began) < pingLimit; {
		select {
		case <-answers.events:
			return nil
		case <-look.C:
			state, err := xproto.GetWindowAttributes(d.conn, w).Reply()
			if err != nil || state.MapState != xproto.MapStateViewable {
				return nil // it is gone
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
