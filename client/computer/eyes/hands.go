package eyes

import (
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/sdkapi"
)

type hoverInput struct {
	Target
	Window
	Shown
}

// hover moves the mouse over a target.
func (e *Eyes) hover(ctx context.Context, d *x11.Display, in hoverInput) (changes, error) {
	p, l, err := e.sure(ctx, d, in.Target, in.Window)
	if err != nil {
		return changes{}, err
	}
	c, err := e.act(ctx, d, l, func() error { return d.Move(ctx, p.at) })
	return c.after(d, fmt.Sprintf("The mouse is over %s.", p), in.Shown), err
}

type dragInput struct {
	From  Target  `json:"from" doc:"Where the drag begins."`
	To    *Target `json:"to,omitempty" doc:"Where the drag ends."`
	Right int     `json:"right,omitempty" minimum:"-10000" maximum:"10000" doc:"Instead of \"to\": how far to drag, in pixels. A negative number is to the left."`
	Down  int     `json:"down,omitempty" minimum:"-10000" maximum:"10000"`
	Held
	Window
	Shown
}

// drag drags from a target to another one, or by a distance. The second target may be in another window.
func (e *Eyes) drag(ctx context.Context, d *x11.Display, in dragInput) (changes, error) {
	p, l, err := e.sure(ctx, d, in.From, in.Window)
	if err != nil {
		return changes{}, err
	}
	to := place{at: p.at.Add(image.Pt(in.Right, in.Down)), what: "a point"}
	switch given := in.To != nil && in.To.given(); {
	case given == (in.Right != 0 || in.Down != 0):
		return changes{}, agent.Failf("name where the drag ends: by to, or by right and down")
	case given:
		if to, err = e.find(ctx, l, *in.To, nil); err != nil {
			return changes{}, agent.WithCandidates(err)
		}
	}
	c, err := e.act(ctx, d, l, func() error { return d.Drag(ctx, p.at, to.at, in.Keys...) })
	return c.after(d, fmt.Sprintf("Dragged %s to %s.", p, to), in.Shown), err
}

type selectInput struct {
	Text       string `json:"text" minLength:"1" maxLength:"500" doc:"Text to select, or its beginning."`
	Through    string `json:"through,omitempty" maxLength:"500" doc:"Text at which the selection ends, if it is longer than a line."`
	Occurrence int    `json:"occurrence,omitempty" minimum:"1" maximum:"10000" doc:"Which match of the text to use, in reading order from 1, if the text has several matches."`
	Window
	Shown
}

// selectText drags from the beginning of a text to its end.
func (e *Eyes) selectText(ctx context.Context, d *x11.Display, in selectInput) (changes, error) {
	from, l, err := e.sure(ctx, d, Target{Text: in.Text, Occurrence: in.Occurrence}, in.Window)
	if err != nil {
		return changes{}, err
	}
	to := from
	if in.Through != "" {
		w, err := in.of(d)
		if err != nil {
			return changes{}, err
		}
		if to, err = e.find(ctx, l, Target{Text: in.Through}, regionOf(w)); err != nil {
			return changes{}, agent.WithCandidates(err)
		}
	}
	first, last := from.box.Inset(around), to.box.Inset(around)
	c, err := e.act(ctx, d, l, func() error {
		return d.Drag(ctx, image.Pt(first.Min.X, from.at.Y), image.Pt(last.Max.X, to.at.Y))
	})
	return c.after(d, fmt.Sprintf("Dragged over the text from %s to %s.", from, to), in.Shown), err
}

type menuInput struct {
	Path []string `json:"path" minItems:"1" maxItems:"6" doc:"Labels from the menu to the entry, for example [\"File\", \"Export\", \"PDF\"]." example:"[\"File\",\"Save As\"]"`
	Window
	Shown
}

// menu clicks on the labels of a path. Each label but the first must be in what the click before has
// opened. If an entry is missing, menu closes the menu and fails.
func (e *Eyes) menu(ctx context.Context, d *x11.Display, in menuInput) (changes, error) {
	var first *look
	var c changes
	opened := (*sdkapi.Region)(nil)
	for i, label := range in.Path {
		p, l, err := e.within(ctx, d, Target{Text: label}, in.Window, opened)
		if err != nil {
			return c, e.leave(ctx, d, in.Path[:i], err)
		}
		if first == nil {
			first = l
		}
		if c, err = e.act(ctx, d, l, func() error { return d.Click(ctx, p.at, x11.Clicks{}) }); err != nil {
			return c, err
		}
		if i < len(in.Path)-1 && c.Same {
			return c, e.leave(ctx, d, in.Path[:i], agent.Failf("a click on %s opened nothing", p))
		}
		opened = openedBy(d, l.frame, c.frame)
	}
	if len(in.Path) > 1 { // what the whole path changed, without the menus
		last := &look{frame: c.frame, png: c.frame.PNG()}
		took := c.Took
		var err error
		if c, err = e.between(ctx, d, first, last); err != nil {
			return c, err
		}
		c.Took = took
	}
	return c.after(d, fmt.Sprintf("Chose %s.", strings.Join(in.Path, " > ")), in.Shown), nil
}

// openedBy returns the part of the screen that a click has opened: the popups, or else what has changed.
func openedBy(d *x11.Display, before, after *x11.Frame) *sdkapi.Region {
	var all image.Rectangle
	for _, r := range d.Popups() {
		all = all.Union(r.Intersect(after.Rect))
	}
	if all.Empty() {
		all = after.Difference(before)
	}
	return regionIn(all)
}

// leave closes the popups that clicks have opened, and returns err with the labels that were clicked.
func (e *Eyes) leave(ctx context.Context, d *x11.Display, clicked []string, err error) error {
	for range clicked {
		if len(d.Popups()) == 0 {
			break // Escape would close something else
		}
		if d.Press(ctx, 0, "escape") != nil {
			break // the menu stays; err is what the model needs
		}
		_, _ = d.Settle(ctx, calm, calmLimit) // until it is gone
	}
	if len(clicked) == 0 {
		return err
	}
	return agent.Failf("after %s, which was closed again: %v", strings.Join(clicked, " > "), err)
}
