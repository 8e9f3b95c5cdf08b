package vlm

import (
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Confidence of a point. Models report no confidence. These values only rank answers.
const (
	sure     = 0.9 // two looks found it in the same place
	moved    = 0.5 // two looks found it as far apart as the second part allows
	once     = 0.7 // there was only one look
	doubtful = 0.3 // the second look did not find it
)

// Result is the position that a vision model found.
type Result struct {
	Point      image.Point // the position on the screen, in pixels
	Confidence float64     // confidence in Point, 0..1; useful only to compare answers
	Doubt      string      // why Confidence is low, as text for people; usually empty
	Space      Space       // the unit of the coordinates in the model's answer
	// Model is the name of the model at the server.
	Model string
	// Family is the family of the model, one of Families.
	Family string
	Looks  []Look // the questions to the model and its answers: one or two
	// Took is the duration of Locate.
	Took  time.Duration
	Usage models.Usage // the tokens of all looks
}

// Look is one question to the model and its answer.
type Look struct {
	Region image.Rectangle // the part of the screen that the model got
	Sent   image.Point     // size of the image that the model got, in pixels
	Said   string          // the model's answer, shortened
	Space  Space           // the unit of the coordinates in the answer
	Point  image.Point     // the position on the screen, in pixels; zero if Err is set
	Err    error           // why the look found nothing; nil if it found something
	// Took is the duration of the look.
	Took time.Duration
	// Usage has the tokens of the look.
	Usage models.Usage
}

// Locate asks the model for the position of the described thing on the screen. The bounds of the
// screen must begin at (0,0). description has 1 to MaxDescription bytes.
//
// If the answer has no single point on the screen, Locate fails with TARGET_NOT_FOUND,
// AMBIGUOUS_MATCH or MODEL_ERROR, and the cause is a *Miss. After the client's timeout, Locate
// fails with TIMEOUT. It can also fail with the error of ctx, or with the faults of models.Model.
// If only the second look fails, Locate succeeds with a lower confidence. Even if Locate fails, the
// result contains the looks so far.
func (c *Client) Locate(ctx context.Context, screen *image.NRGBA, description string) (r Result, err error) {
	r = Result{Model: c.name, Family: c.family.name}
	description = strings.TrimSpace(description)
	if description == "" || len(description) > MaxDescription {
		return r, fault.New("vlm.Locate", sdkapi.ValidationError, "the description of the target is empty or too long").
			At("description", "expected 1 to %d bytes", MaxDescription)
	}
	if err := checkScreen("vlm.Locate", screen); err != nil {
		return r, err
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	defer func() { r.Took = time.Since(began) }()

	first := c.look(limited, screen, screen.Rect, description)
	r.add(first)
	if first.Err != nil {
		return r, c.inTime(ctx, first.Err)
	}
	r.Point, r.Space, r.Confidence = first.Point, first.Space, once
	if !c.again(first) {
		return r, nil
	}
	second := c.look(limited, screen, c.family.limits.crop(screen.Rect, first.Point), description)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	r.add(second)
	r.weigh(first, second)
	return r, nil
}

// again reports whether a second look can improve the first: the settings require it, or the image
// was shrunk by at least one multiple.
func (c *Client) again(first Look) bool {
	if c.looks != LooksAsNeeded {
		return c.looks == LooksTwice
	}
	lost, m := first.Region.Size().Sub(first.Sent), c.family.limits.multiple()
	return lost.X >= m || lost.Y >= m // a smaller difference comes from fitting the image to patches
}

// add appends a look, and adds its usage to the sum.
func (r *Result) add(l Look) {
	r.Looks = append(r.Looks, l)
	r.Usage = r.Usage.Add(l.Usage)
}

// weigh takes the point of the second look, if it found one, and sets the confidence by the
// distance between the two points.
func (r *Result) weigh(first, second Look) {
	if second.Err != nil {
		r.Confidence, r.Doubt = doubtful, "a second look near the point did not find the target: "+fault.From(second.Err).Message
		return
	}
	r.Point, r.Space = second.Point, second.Space
	off := func(a, b, side int) float64 { return 2 * float64(max(a-b, b-a)) / float64(side) }
	apart := max(off(first.Point.X, second.Point.X, second.Region.Dx()), off(first.Point.Y, second.Point.Y, second.Region.Dy()))
	r.Confidence = sure - (sure-moved)*min(apart, 1)
	if apart > 1./2 {
		r.Doubt = fmt.Sprintf("a second look found the target at a different place than %v", first.Point)
	}
}

// look asks about a part of the screen.
func (c *Client) look(ctx context.Context, screen *image.NRGBA, region image.Rectangle, description string) Look {
	began := time.Now()
	l := Look{Region: region}
	var p picture
	if p, l.Err = c.family.limits.picture(screen, region); l.Err != nil {
		return l
	}
	l.Sent = p.size
	var s reply
	s, l.Err = c.ask(ctx, p.ask(c.family.question(description, p.size))...)
	l.Took, l.Usage, l.Said = time.Since(began), s.usage, s.shortened()
	if l.Err == nil {
		l.Point, l.Space, l.Err = c.family.read(s, p)
	}
	return l
}

// read returns the point on the screen that an answer names.
func (f family) read(s reply, p picture) (image.Point, Space, error) {
	miss := &Miss{Said: s.shortened()}
	marks := marksIn(s.text, f.yx)
	if s.cut && len(marks) > 0 && !isClosed(s.text) {
		marks = nil // the last number may be incomplete
	}
	why, denied := denial(s.text)
	switch {
	case s.refused:
		miss.Why = Refused
	case denied:
		miss.Why = why
	case len(marks) == 0:
		miss.Why = whyNone(s.text)
	}
	if miss.Why != "" {
		return image.Point{}, f.space, missed("vlm.Locate", miss)
	}
	space := f.space
	for _, m := range marks {
		space = f.space
		if m.share && f.space != Percent {
			space = Ratio // a fraction of one would be the screen's first pixel, which is never meant
		}
		point, ok := p.toScreen(space.pixels(m.x, p.size.X), space.pixels(m.y, p.size.Y))
		if ok && len(miss.Points) < maxPoints {
			miss.Points = append(miss.Points, point)
		}
	}
	switch {
	case len(miss.Points) == 0:
		miss.Why = Outside
	case len(marks) > 1:
		miss.Why = Several
	default:
		return miss.Points[0], space, nil
	}
	return image.Point{}, space, missed("vlm.Locate", miss)
}
