package eyes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/client/computer/screen"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/commander/sentence"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// maxSteps limits the steps of one sentence.
const maxSteps = 20

type doInput struct {
	Say string `json:"say" minLength:"1" maxLength:"4000" doc:"What to do, in plain words: one step or several, with the names that are on the screen. For example \"tick Match case in the Find window, then press Enter\"."`
	X   *int   `json:"x,omitempty" minimum:"0" doc:"The place of what the first step names, if the last answer listed several. Set both x and y."`
	Y   *int   `json:"y,omitempty" minimum:"0"`
	Shown
}

// do carries out the steps of a sentence, each on a new look at the screen. The first step that fails ends it; the error
// then says what was done before, and what was not.
func (e *Eyes) do(ctx context.Context, d *x11.Display, in doInput) (c changes, err error) {
	var first *look
	var all []string
	rest := in.Say
	for rest != "" {
		l, err := e.capture(d)
		if err != nil {
			return c, err
		}
		e.know(ctx, d, l)
		first = cmp.Or(first, l)
		now := rest
		names, places := e.names(ctx, d, l)
		step, after, err := sentence.Read(rest, names)
		if (err != nil || !step.IsSure()) && e.lookLonger(ctx, d, l) {
			names, places = e.names(ctx, d, l)
			step, after, err = sentence.Read(rest, names)
		}
		if err == nil && len(all) == maxSteps {
			err = agent.Failf("a sentence has at most %d steps", maxSteps)
		}
		if err == nil {
			s := said{eyes: e, display: d, look: l, names: names, places: places}
			if in.X != nil && in.Y != nil && len(all) == 0 {
				s.point = &image.Point{X: *in.X, Y: *in.Y}
			}
			c, err = s.carryOut(ctx, step)
		}
		if err != nil {
			return changes{}, notDone(err, all, now)
		}
		all, rest = append(all, c.Done), after
	}
	if len(all) < 2 {
		c.show = in.Picture
		return c, nil
	}
	last, err := e.capture(d)
	if err != nil {
		return c, err
	}
	took := c.Took
	if c, err = e.between(ctx, d, first, last); err != nil {
		return c, err
	}
	c.Took = took
	return c.after(d, strings.Join(all, " "), in.Shown), nil
}

// longer is how much longer lookLonger takes than another look.
const longer = 6

// lookLonger reads the tree once more, and takes more time for it, if a look has missed some of it. It reports whether it did.
func (e *Eyes) lookLonger(ctx context.Context, d *x11.Display, l *look) bool {
	if e.tree == nil || !slices.Contains(slices.Collect(maps.Values(l.cut)), true) {
		return false
	}
	usual := e.tree.Options
	defer func() { e.tree.Options = usual }()
	e.tree.Options.Time, e.tree.Options.Patience = longer*cmp.Or(usual.Time, access.LookTime), longer*cmp.Or(usual.Patience, access.Patience)
	l.known, l.tables = false, nil
	e.know(ctx, d, l)
	return true
}

// notDone returns an error with the steps before it, and the part of the sentence that was not done.
func notDone(err error, before []string, rest string) error {
	err = agent.WithCandidates(err)
	message := err.Error()
	if unclear := (*sentence.Unclear)(nil); errors.As(err, &unclear) {
		message += ". Say what to do with what, with the names that are on the screen"
	}
	if len(before) > 0 {
		message += "\nBefore that: " + strings.Join(before, " ")
	}
	message += "\nNot done: " + strings.TrimSpace(rest)
	f, typed := errors.AsType[*fault.Error](err)
	if !typed {
		return agent.Failf("%s", message)
	}
	said := *f
	said.Message = message
	return &said
}

// names returns what a sentence may name on the screen: windows, what programs say of their elements, and what only the
// eyes see. Each has its place.
func (e *Eyes) names(ctx context.Context, d *x11.Display, l *look) (list []sentence.Thing, places []place) {
	shown, _ := d.Windows()
	for _, w := range shown {
		list = append(list, sentence.Thing{Kind: "window", Name: w.Title, Window: w.Title, Rect: w.Rect, Active: w.Active})
		places = append(places, placeOf(geo.Center(w.Rect), image.Rectangle{}, fmt.Sprintf("the window %q", w.Title)))
	}
	for _, t := range l.things {
		list = append(list, t.said())
		places = append(places, placeOfThing(t))
	}
	all := math.MaxInt
	got, err := query.Screens{Finder: e.finder, Images: &pictures{now: l.png}}.Elements(ctx, &sdkapi.ScreenElementsRequest{Image: theScreen, MaxResults: &all})
	if err != nil {
		return list, places // what programs say is left
	}
	popups := d.Popups()
	for _, m := range got.Elements {
		if elements.Role(m.Role).Holds() || slices.ContainsFunc(l.things, func(t thing) bool { return t.covers(m) }) {
			continue
		}
		box := m.BBox.Rect()
		one := sentence.Thing{Kind: kindOf(elements.Role(m.Role)), Name: cmp.Or(m.Label, m.Icon), Rect: box, On: isOn(m), Has: elements.Role(m.Role).IsChecked()}
		one.Popup = slices.ContainsFunc(popups, func(r image.Rectangle) bool { return geo.Center(box).In(r) })
		if i := slices.IndexFunc(shown, func(w x11.Window) bool { return !w.Minimized && geo.Center(box).In(w.Rect) }); i >= 0 {
			one.Window, one.Active = shown[i].Title, shown[i].Active
		}
		list = append(list, one)
		places = append(places, placeOf(geo.Center(box), box, strings.TrimSpace("the "+m.Role+" "+quoted(cmp.Or(m.Label, m.Icon)))))
	}
	return list, places
}

// said returns a thing as a sentence may name it.
func (t thing) said() sentence.Thing {
	return sentence.Thing{
		Kind: string(t.Role), Name: t.Name, Text: t.Text, Window: t.window.Title, Rect: t.Rect, Active: t.window.Active, Popup: t.popup,
		On: t.States.Has(access.Checked), Has: t.Value != nil || t.States&(access.Checked|access.Unchecked|access.Indeterminate) != 0, Lines: t.States.Has(access.Multiline),
	}
}

// kindOf returns the kind by which a sentence names elements of a role.
func kindOf(r elements.Role) string {
	switch r {
	case elements.IconButton:
		return string(elements.Button)
	case elements.SearchBox, elements.TextArea:
		return string(elements.Field)
	case elements.Dropdown:
		return string(access.Combo)
	case elements.Toggle:
		return string(access.Switch)
	case elements.Avatar, elements.Badge:
		return string(elements.Picture)
	}
	return string(r)
}

// said is a step of a sentence, with what it may name.
type said struct {
	eyes    *Eyes
	display *x11.Display
	look    *look
	names   []sentence.Thing
	places  []place
	point   *image.Point // the place of what the step names, if that was chosen
}

// target returns the target that a noun names. It fails if there are several.
func (s *said) target(n sentence.Noun) (Target, error) {
	switch {
	case s.point != nil:
		t := Target{X: &s.point.X, Y: &s.point.Y}
		s.point = nil
		return t, nil
	case n.Kind == sentence.EmptySpot:
		return s.emptySpot()
	case n.Cell != "" && len(n.Things) == 0:
		return Target{Target: "cell " + n.Cell}, nil
	case n.Part && s.isText(n.Things): // a word of a text: where in it?
		return Target{Text: n.Label, Occurrence: max(n.Nth, 0)}, nil
	case len(n.Things) == 1:
		return Target{found: &s.places[n.Things[0]]}, nil
	case len(n.Things) > 1:
		var list []place
		for _, i := range n.Things {
			list = append(list, s.places[i])
		}
		return Target{}, severalPlaces(n.Said, list)
	case n.Kind != "" && n.Label == "":
		return Target{Target: n.Said}, nil
	}
	t := Target{Text: n.Label}
	if n.Said != n.Label || n.Nth != 0 {
		t.Target = n.Said
	}
	return t, nil
}

// spotStep is the distance of the points that emptySpot tries, and spotRoom the least room around one, in pixels.
const (
	spotStep = 16
	spotRoom = 24
)

// emptySpot returns the point of the active window that is farthest from all that is in it.
func (s *said) emptySpot() (Target, error) {
	i := slices.IndexFunc(s.names, func(t sentence.Thing) bool { return t.Kind == "window" && t.Active })
	if i < 0 {
		return Target{}, agent.Failf("there is no active window")
	}
	window, best, most := s.names[i].Rect, image.Point{}, 0
	for y := window.Min.Y; y < window.Max.Y; y += spotStep {
		for x := window.Min.X; x < window.Max.X; x += spotStep {
			at := image.Pt(x, y)
			room := min(x-window.Min.X, window.Max.X-x, y-window.Min.Y, window.Max.Y-y)
			for _, t := range s.names {
				if t.Kind != "window" {
					room = min(room, farFrom(at, t.Rect))
				}
			}
			if room > most {
				best, most = at, room
			}
		}
	}
	if most < spotRoom {
		return Target{}, agent.Failf("the window %q has no empty spot", s.names[i].Name)
	}
	return Target{X: &best.X, Y: &best.Y}, nil
}

// farFrom returns how far a point is from a rectangle along the axis on which it is farther; 0 if it is in it.
func farFrom(at image.Point, r image.Rectangle) int {
	return max(r.Min.X-at.X, at.X-r.Max.X, r.Min.Y-at.Y, at.Y-r.Max.Y, 0)
}

// isText reports whether things are only texts.
func (s *said) isText(things []int) bool {
	return !slices.ContainsFunc(things, func(i int) bool {
		t := s.names[i]
		return t.Kind != string(access.Text) && t.Kind != string(access.Heading) && (t.Kind != string(access.Field) || !t.Lines)
	})
}

// carryOut carries out a step.
func (s *said) carryOut(ctx context.Context, step sentence.Step) (c changes, err error) {
	e, d := s.eyes, s.display
	var t Target
	if step.Target.Said != "" && step.Act != sentence.Activate && step.Act != sentence.Close {
		if t, err = s.target(step.Target); err != nil {
			return c, err
		}
		if step.Target.IsPoint() {
			t = Target{X: &step.Right, Y: &step.Down}
		}
	}
	switch step.Act {
	case sentence.Click:
		if n := step.Target; n.Part && t.found != nil && s.names[n.Things[0]].NeedsWholeName() {
			return c, severalPlaces(n.Said, []place{*t.found})
		}
		return e.click(ctx, d, clickInput{Target: t, Button: cmp.Or(step.Button, "left"), Times: max(step.Times, 1), Held: Held{Keys: step.Keys}, HoldMS: 1000 * step.Seconds})
	case sentence.Set:
		return s.set(ctx, t, step.Text)
	case sentence.Type:
		in := typeInput{Typed: step.Text}
		if step.Target.Said != "" {
			in.Into = &t
		}
		return e.typeText(ctx, d, in)
	case sentence.Press:
		return e.press(ctx, d, pressInput{Keys: step.Keys, Times: max(step.Times, 1)})
	case sentence.Menu:
		return e.menu(ctx, d, menuInput{Path: step.Path})
	case sentence.Hover:
		return e.hover(ctx, d, hoverInput{Target: t})
	case sentence.Drag:
		in := dragInput{From: t, Right: step.Right, Down: step.Down}
		if step.To.Said != "" {
			to, err := s.target(step.To)
			if err != nil {
				return c, err
			}
			in.To = &to
		}
		return e.drag(ctx, d, in)
	case sentence.Select:
		return e.selectText(ctx, d, selectInput{Text: cmp.Or(step.Target.Label, step.Target.Said), Through: cmp.Or(step.To.Label, step.To.Said)})
	case sentence.Scroll:
		in := scrollInput{Down: step.Down, Right: step.Right, To: step.Text, End: step.End}
		if step.Target.Said != "" {
			in.Over = &t
		}
		return e.scroll(ctx, d, in)
	case sentence.Wait:
		return s.wait(ctx, step)
	case sentence.Activate, sentence.Close:
		return s.window(ctx, step)
	}
	seen, err := e.see(ctx, d, seeInput{})
	c.frame = s.look.frame
	return c.after(d, "Looked at the screen. Elements:\n"+seen.List, Shown{}), err
}

// set sets a control. A text that is no control's label is replaced.
func (s *said) set(ctx context.Context, t Target, to string) (changes, error) {
	e, d := s.eyes, s.display
	c, err := e.set(ctx, d, setInput{Target: t, To: to})
	if _, not := errors.AsType[*noControl](err); !not {
		return c, err
	}
	p, l, unsure := e.sure(ctx, d, t, Window{})
	if unsure != nil || p.thing != nil && p.thing.Role != access.Text {
		return c, errors.Join(unsure, err)
	}
	box := p.box.Inset(around)
	c, err = e.act(ctx, d, l, func() error {
		if err := d.Drag(ctx, image.Pt(box.Min.X, p.at.Y), image.Pt(box.Max.X, p.at.Y)); err != nil {
			return err
		}
		return d.Type(ctx, d.Active(), to)
	})
	return c.after(d, fmt.Sprintf("Selected %s, and typed over it.", p), Shown{}), err
}

// wait waits for a text or window, for seconds, or until the screen is still.
func (s *said) wait(ctx context.Context, step sentence.Step) (c changes, err error) {
	e, d := s.eyes, s.display
	switch {
	case step.Seconds > 0:
		long := min(time.Duration(step.Seconds)*time.Second, MaxWait)
		if err := background.Sleep(ctx, long); err != nil {
			return c, err
		}
		l, err := e.capture(d)
		if err != nil {
			return c, err
		}
		c, err = e.between(ctx, d, s.look, l)
		return c.after(d, fmt.Sprintf("Waited %v.", long), Shown{}), err
	case step.Text == "":
		return e.wait(ctx, d, waitInput{Still: 700, Seconds: 20})
	case step.Window:
		return e.wait(ctx, d, waitInput{Window: step.Text, Gone: step.Gone, Seconds: 20})
	}
	return e.wait(ctx, d, waitInput{Text: step.Text, Gone: step.Gone, Seconds: 20})
}

// window brings a window to the front, or closes it.
func (s *said) window(ctx context.Context, step sentence.Step) (c changes, err error) {
	d := s.display
	var w x11.Window
	switch n := step.Target; {
	case n.Said == "":
		w, err = d.Window(d.Active())
	case len(n.Things) == 1 && s.names[n.Things[0]].Window != "":
		w, err = screen.Titled(d, s.names[n.Things[0]].Window)
	default:
		w, err = screen.Titled(d, cmp.Or(n.Label, n.Said))
	}
	if err != nil {
		return c, err
	}
	act, done := d.Activate, fmt.Sprintf("Brought the window %q to the front.", w.Title)
	if step.Act == sentence.Close {
		act, done = d.CloseWindow, fmt.Sprintf("Closed the window %q.", w.Title)
	}
	c, err = s.eyes.act(ctx, d, s.look, func() error { return act(ctx, w.ID) })
	return c.after(d, done, Shown{}), err
}
