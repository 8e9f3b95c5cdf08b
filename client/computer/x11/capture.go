package x11

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/windieos/windie/internal/background"
)

// grabber takes pictures, through memory shared with the server if possible.
type grabber struct {
	mu     sync.Mutex
	shared *segment // nil: not yet, or not possible
	tried  bool
}

// Capture takes a picture of a part of the screen, cut off at the screen's edges. An empty part
// means the whole screen. The mouse pointer is not in the picture.
func (d *Display) Capture(part image.Rectangle) (*Frame, error) {
	all, err := d.Bounds()
	if err != nil {
		return nil, err
	}
	if part.Empty() {
		part = all
	}
	if part = part.Intersect(all); part.Empty() {
		return nil, fmt.Errorf("the requested part is outside the screen, which has %d by %d pixels", all.Dx(), all.Dy())
	}
	d.grab.mu.Lock()
	defer d.grab.mu.Unlock()
	size := part.Dx() * part.Dy() * 4
	if shared := d.grab.memory(d, all.Dx()*all.Dy()*4); shared != nil && len(shared.data) >= size {
		if err := shared.fill(d, part); err == nil {
			return &Frame{part, bytes.Clone(shared.data[:size])}, nil
		}
	}
	return d.fetch(part)
}

// fetch takes a picture over the connection.
func (d *Display) fetch(part image.Rectangle) (*Frame, error) {
	// Some servers limit the bytes of a reply; a strip is far below that.
	const strip = 256
	frame := &Frame{Rect: part}
	for y := part.Min.Y; y < part.Max.Y; y += strip {
		height := min(strip, part.Max.Y-y)
		reply, err := xproto.GetImage(d.conn, xproto.ImageFormatZPixmap, xproto.Drawable(d.root),
			int16(part.Min.X), int16(y), uint16(part.Dx()), uint16(height), ^uint32(0)).Reply()
		if err != nil {
			return nil, fmt.Errorf("the screenshot failed: %w", err)
		}
		if len(reply.Data) < part.Dx()*height*4 {
			return nil, errors.New("the screenshot is too short")
		}
		frame.pix = append(frame.pix, reply.Data[:part.Dx()*height*4]...)
	}
	return frame, nil
}

// memory returns shared memory for a picture of size bytes, or nil if there is none. The caller
// holds mu.
func (g *grabber) memory(d *Display, size int) *segment {
	if g.shared != nil && len(g.shared.data) >= size || g.tried && g.shared == nil {
		return g.shared
	}
	g.release(d)
	g.tried = true
	g.shared = share(d, size)
	return g.shared
}

// trusted reports whether the shared memory is really the server's: a server in another container
// may know different memory by the same number.
func (d *Display) trusted(s *segment) bool {
	part := image.Rect(0, 0, 16, 16)
	for i := range 3 { // the screen may change in between
		for j := range s.data[:16*16*4] {
			s.data[j] = byte(i*85 + j)
		}
		plain, err := d.fetch(part)
		if err != nil || s.fill(d, part) != nil {
			return false
		}
		if bytes.Equal(plain.pix, s.data[:len(plain.pix)]) {
			return true
		}
	}
	return false
}

// close releases the shared memory. It waits for a running Capture.
func (g *grabber) close(d *Display) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.release(d)
}

// release releases the shared memory, if there is any. The caller holds mu.
func (g *grabber) release(d *Display) {
	if g.shared != nil {
		g.shared.release(d)
		g.shared = nil
	}
}

// settleEvery is the pause of Settle between two pictures.
const settleEvery = 25 * time.Millisecond

// caret is the largest change that counts as a blinking caret.
var caret = image.Pt(6, 48)

// Differs reports whether two frames differ by more than a blinking caret.
func (f *Frame) Differs(other *Frame) bool {
	size := f.Difference(other).Size()
	return size.X > caret.X || size.Y > caret.Y
}

// Settle waits until the screen has not changed for the duration quiet, but at most for the duration
// limit. A blinking caret does not count as a change. If a pressed key may have activated a button on
// the screen, Settle also waits for the reaction of the button. It returns the last picture of the
// screen, or the error of ctx.
func (d *Display) Settle(ctx context.Context, quiet, limit time.Duration) (*Frame, error) {
	began := time.Now()
	last, err := d.Capture(image.Rectangle{})
	since := began
	for err == nil && time.Since(began) < limit {
		if time.Since(since) >= quiet {
			if more, err := d.pressing(ctx); err != nil || !more {
				return last, err
			}
		}
		if err = background.Sleep(ctx, settleEvery); err != nil {
			return nil, err
		}
		var next *Frame
		if next, err = d.Capture(image.Rectangle{}); err != nil {
			return nil, err
		}
		if next.Differs(last) {
			since = time.Now()
		}
		last = next
	}
	return last, err
}
