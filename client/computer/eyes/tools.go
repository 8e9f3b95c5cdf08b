package eyes

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// Tools returns the tools for the screen.
func (e *Eyes) Tools() []agent.Tool {
	return []agent.Tool{
		tool(e, "screen.do", agent.Risky, "Do on the user's screen what a sentence says, step by step: click, type, tick, choose, drag, scroll, wait and more. Returns the changes on the screen.", e.do),
		tool(e, "screen.see", agent.Safe, "Look at the user's screen. Returns a numbered list of its texts and elements, and a screenshot if needed. Coordinates are pixels of the screen.", e.see),
		tool(e, "screen.click", agent.Risky, "Click on the user's screen. Specify the place with text, mark, target, or x and y. Returns the changes on the screen.", e.click),
		tool(e, "screen.menu", agent.Risky, "Choose an entry of a menu on the user's screen by its path, for example File, Export, PDF. Returns the changes on the screen.", e.menu),
		tool(e, "screen.set", agent.Risky, "Set a control on the user's screen, such as a checkbox, a slider, a list or a field, to a state or value. Returns the changes on the screen.", e.set),
		tool(e, "screen.fill", agent.Risky, "Set several controls of a form on the user's screen. Returns the changes on the screen.", e.fill),
		tool(e, "screen.hover", agent.Risky, "Move the mouse over a place of the user's screen, without a click. Returns the changes on the screen, such as a hint.", e.hover),
		tool(e, "screen.drag", agent.Risky, "Drag from one place of the user's screen to another. Returns the changes on the screen.", e.drag),
		tool(e, "screen.select", agent.Risky, "Select text on the user's screen by dragging over it. Returns the changes on the screen.", e.selectText),
		tool(e, "screen.type", agent.Risky, "Type text on the user's screen. Returns the changes on the screen.", e.typeText),
		tool(e, "screen.press", agent.Risky, "Press keys together on the user's keyboard. Returns the changes on the screen.", e.press),
		tool(e, "screen.scroll", agent.Risky, "Scroll on the user's screen by notches of the wheel, until a text appears, or to the end.", e.scroll),
		tool(e, "screen.wait", agent.Safe, "Wait until a text or a window appears on the user's screen or is gone, or until the screen is still.", e.wait),
	}
}

// tool returns a tool that runs alone, with the screen.
func tool[In, Out any](e *Eyes, name string, risk agent.Risk, description string, work func(context.Context, *x11.Display, In) (Out, error)) agent.Tool {
	return agent.Func(agent.Descriptor{Name: name, Tag: "computer", Risk: risk, Description: description},
		func(ctx context.Context, _ agent.Call, in In) (out Out, err error) {
			e.mu.Lock()
			defer e.mu.Unlock()
			err = e.screen.With(ctx, func(d *x11.Display) error {
				out, err = work(ctx, d, in)
				return err
			})
			return out, err
		})
}

type seeInput struct {
	Find    string `json:"find,omitempty" maxLength:"500" doc:"List only elements whose label contains this text, ignoring case. The screenshot is omitted."`
	Draw    bool   `json:"draw,omitempty" doc:"Return a screenshot with the elements' numbers drawn onto it."`
	Picture bool   `json:"picture,omitempty" doc:"Return a screenshot. Without it, there is one only if the program in front does not list its elements itself."`
}

type seen struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	List   string `json:"list" doc:"One line for each element: its number, what it is, and its click point."`
	More   int    `json:"more,omitempty" doc:"Number of elements that the list omits."`

	png []byte
}

// Content implements agent.Contenter.
func (s seen) Content() []agent.Part {
	var parts []agent.Part
	if s.png != nil {
		parts = append(parts, agent.Image("image/png", s.png))
	}
	text := fmt.Sprintf("Screen: %d by %d pixels. Elements:\n%s", s.Width, s.Height, s.List)
	if s.More > 0 {
		text += fmt.Sprintf("\n… and %d more; narrow them with find.", s.More)
	}
	return append(parts, agent.Text(text))
}

// see lists the elements, and stores them as the marks for later actions. The marks include
// elements that the list omits.
func (e *Eyes) see(ctx context.Context, d *x11.Display, in seeInput) (seen, error) {
	l, err := e.capture(d)
	if err != nil {
		return seen{}, err
	}
	pics := &pictures{now: l.png}
	screens := query.Screens{Finder: e.finder, Images: pics}
	all := math.MaxInt
	got, err := screens.Elements(ctx, &sdkapi.ScreenElementsRequest{Image: theScreen, MaxResults: &all})
	if err != nil {
		return seen{}, err
	}
	e.know(ctx, d, l)
	e.number(l, got.Elements)
	e.last = l
	out := seen{Width: l.frame.Rect.Dx(), Height: l.frame.Rect.Dy()}
	var lines []string
	var marks []overlay.Mark
	window := ""
	for _, m := range l.marks {
		if elements.Role(m.Role).Holds() && m.Label == "" || !strings.Contains(strings.ToLower(m.Label+" "+l.texts[m.ID]), strings.ToLower(in.Find)) {
			continue
		}
		if len(lines) == MaxListed {
			out.More++
			continue
		}
		if w := l.titles[m.ID]; w != window {
			window = w
			lines = append(lines, w)
		}
		lines = append(lines, m.ID+" "+element(m))
		if !elements.Role(m.Role).Holds() {
			marks = append(marks, overlay.Mark{Box: m.BBox.Rect(), Label: m.ID})
		}
	}
	out.List = strings.Join(lines, "\n")
	if in.Find != "" || !in.Draw && !in.Picture && l.told() {
		return out, nil
	}
	out.png = l.png
	if in.Draw {
		img := query.Image{Source: perception.SourceOf(l.png)}
		if _, err := screens.Draw(ctx, img, marks, true); err != nil {
			return out, err
		}
		out.png = pics.drawn
	}
	return out, nil
}

// told reports whether the program in front lists all its elements itself.
func (l *look) told() bool {
	return slices.ContainsFunc(l.things, func(t thing) bool {
		return t.window.Active && isActed(t.Role) && !l.poor[t.window.ID] && !l.cut[t.window.ID]
	})
}

// number sets the marks of a look: the things of the programs, and the elements that only the eyes see. A mark
// keeps its number from one look to the next while its thing stays, or its element looks and lies the same.
func (e *Eyes) number(l *look, list []sdkapi.Element) {
	l.named, l.titles, l.texts = map[string]access.ID{}, map[string]string{}, map[string]string{}
	id := func(key string) string {
		if _, ok := e.numbers[key]; !ok {
			e.numbers[key] = len(e.numbers)
		}
		return strconv.Itoa(e.numbers[key])
	}
	if len(e.numbers) > maxNumbers {
		clear(e.numbers)
	}
	for _, t := range l.things {
		m := sdkapi.Element{ID: id(string(t.ID)), Role: string(t.Role), Label: cmp.Or(t.Name, t.Text), Line: t.line(), BBox: boxOf(t.Rect)}
		l.marks = append(l.marks, m)
		l.named[m.ID], l.texts[m.ID] = t.ID, t.Text
		l.titles[m.ID] = fmt.Sprintf("Window %q:", t.window.Title)
	}
	for _, m := range list {
		if len(l.things) > 0 && elements.Role(m.Role).Holds() || slices.ContainsFunc(l.things, func(t thing) bool { return t.covers(m) }) {
			continue
		}
		m.ID = id(fmt.Sprint(m.Role, m.Label, m.BBox))
		l.marks = append(l.marks, m)
		if len(l.things) > 0 {
			l.titles[m.ID] = "Only seen:"
		}
	}
}

// maxNumbers is the maximum number of elements that keep their numbers.
const maxNumbers = 100_000

type clickInput struct {
	Target
	Window
	Button string `json:"button,omitempty" enum:"left,middle,right" default:"left"`
	Times  int    `json:"times,omitempty" minimum:"1" maximum:"3" default:"1"`
	Held
	HoldMS int `json:"hold_ms,omitempty" minimum:"0" maximum:"10000" doc:"How long to hold the button, in milliseconds. By default the click is short."`
	Shown
}

// Held are modifier keys that an action of the mouse holds.
type Held struct {
	Keys []string `json:"keys,omitempty" maxItems:"4" enum:"ctrl,shift,alt,super" doc:"Keys to hold meanwhile."`
}

// Shown says whether an action returns a picture.
type Shown struct {
	Picture bool `json:"picture,omitempty" doc:"Return a screenshot after the action."`
}

// click clicks on a target. It fails without a click if the target is ambiguous, or if its place
// keeps changing.
func (e *Eyes) click(ctx context.Context, d *x11.Display, in clickInput) (changes, error) {
	p, l, err := e.sure(ctx, d, in.Target, in.Window)
	if err != nil {
		return changes{}, err
	}
	button := map[string]x11.Button{"left": x11.Left, "middle": x11.Middle, "right": x11.Right}[in.Button]
	how := x11.Clicks{Button: button, Times: in.Times, Hold: time.Duration(in.HoldMS) * time.Millisecond, Keys: in.Keys}
	c, err := e.act(ctx, d, l, func() error { return d.Click(ctx, p.at, how) })
	return c.after(d, fmt.Sprintf("Clicked on %s.", p), in.Shown), err
}

// title returns the title of the active window.
func title(d *x11.Display) string {
	w, err := d.Window(d.Active())
	if err != nil {
		return "" // there is none
	}
	return w.Title
}

type typeInput struct {
	Typed string  `json:"typed" minLength:"1" maxLength:"65536" doc:"Text to type. A line break presses Enter."`
	Into  *Target `json:"into,omitempty" doc:"Place to click before typing. If absent, the tool types into the focused element."`
	Window
	Replace bool `json:"replace,omitempty" doc:"Replace the old text."`
	Enter   bool `json:"enter,omitempty" doc:"Press Enter after the text."`
	Shown
}

// typeText types into the target, the named window or the active window. If typing fails, the click
// on the target has happened.
func (e *Eyes) typeText(ctx context.Context, d *x11.Display, in typeInput) (changes, error) {
	l, err := e.capture(d)
	if err != nil {
		return changes{}, err
	}
	w, err := in.of(d)
	if err != nil {
		return changes{}, err
	}
	done, to := "Typed.", cmp.Or(w.ID, d.Active())
	if in.Into != nil && in.Into.given() {
		var p place
		if p, l, err = e.sure(ctx, d, *in.Into, in.Window); err != nil {
			return changes{}, err
		}
		began := time.Now()
		if err := d.Click(ctx, p.at, x11.Clicks{}); err != nil {
			return changes{}, e.failed(ctx, err)
		}
		lap(&l.took.Act, &began)
		done = fmt.Sprintf("Clicked on %s, and typed.", p)
		if under, ok := d.WindowAt(p.at); ok {
			to = under
		}
	}
	c, err := e.act(ctx, d, l, func() error {
		if in.Replace {
			if err := d.Press(ctx, to, "ctrl", "a"); err != nil {
				return err
			}
		}
		if err := d.Type(ctx, to, in.Typed); err != nil || !in.Enter {
			return err
		}
		return d.Press(ctx, to, "enter")
	})
	return c.after(d, done, in.Shown), err
}

type pressInput struct {
	Keys  []string `json:"keys" minItems:"1" maxItems:"8" doc:"Keys to press: characters, f1 to f24, or names such as enter, tab, escape, left, ctrl, shift, alt, super."`
	Times int      `json:"times,omitempty" minimum:"1" maximum:"100" default:"1" doc:"How often to press the keys."`
	Window
	Shown
}

// press presses all keys together, in the named window or in the window that has the keyboard focus.
func (e *Eyes) press(ctx context.Context, d *x11.Display, in pressInput) (changes, error) {
	l, err := e.capture(d)
	if err != nil {
		return changes{}, err
	}
	w, err := in.of(d)
	if err != nil {
		return changes{}, err
	}
	c, err := e.act(ctx, d, l, func() error {
		for range in.Times {
			if err := d.Press(ctx, w.ID, in.Keys...); err != nil {
				return err
			}
		}
		return nil
	})
	done := "Pressed " + strings.Join(in.Keys, " + ")
	if in.Times > 1 {
		done += fmt.Sprintf(" %d times", in.Times)
	}
	return c.after(d, done+".", in.Shown), err
}

// Limits of a search by scrolling.
const (
	MaxScrolls = 40 // maximum number of scrolls in a search for a text
	notches    = 5  // notches of one scroll
)

type scrollInput struct {
	Over  *Target `json:"over,omitempty" doc:"Where to scroll (default: middle of the active window, or of the named window)."`
	Down  int     `json:"down,omitempty" minimum:"-100" maximum:"100" doc:"Notches of the mouse wheel. A negative number scrolls up."`
	Right int     `json:"right,omitempty" minimum:"-100" maximum:"100"`
	To    string  `json:"to,omitempty" maxLength:"500" doc:"Scroll down until this text appears. If \"down\" is negative, scroll up instead."`
	End   bool    `json:"end,omitempty" doc:"Scroll down to the end. If \"down\" is negative, scroll up to the beginning."`
	Window
	Shown
}

// scroll scrolls by notches, until a text appears, or to the end. In the last two cases it ignores
// Down and Right, except the sign of Down.
func (e *Eyes) scroll(ctx context.Context, d *x11.Display, in scrollInput) (changes, error) {
	at, l, err := e.over(ctx, d, in)
	if err != nil {
		return changes{}, err
	}
	done := "Scrolled."
	c, err := e.act(ctx, d, l, func() error {
		if in.To == "" && !in.End {
			return d.Scroll(ctx, at, in.Right, in.Down)
		}
		turns, err := e.scrollTo(ctx, d, at, in)
		done = fmt.Sprintf("Scrolled %d times until %q appeared.", turns, in.To)
		if in.To == "" {
			done = fmt.Sprintf("Scrolled %d times to the end.", turns)
		}
		return err
	})
	return c.after(d, done, in.Shown), err
}

// over returns the point at which to scroll.
func (e *Eyes) over(ctx context.Context, d *x11.Display, in scrollInput) (image.Point, *look, error) {
	if in.Over != nil && in.Over.given() {
		p, l, err := e.sure(ctx, d, *in.Over, in.Window)
		return p.at, l, err
	}
	l, err := e.capture(d)
	if err != nil {
		return image.Point{}, nil, err
	}
	w, err := in.of(d)
	if err != nil {
		return image.Point{}, nil, err
	}
	box := l.frame.Rect
	if w, gone := d.Window(cmp.Or(w.ID, d.Active())); gone == nil {
		box = w.Rect.Intersect(box)
	}
	at := box.Min.Add(box.Size().Div(2))
	return at, l, e.reaches(d, w, place{at: at, what: "the middle of the window"})
}

// scrollTo scrolls until a text appears, or nothing moves any more. Without a text, the latter is the aim.
func (e *Eyes) scrollTo(ctx context.Context, d *x11.Display, at image.Point, in scrollInput) (turns int, err error) {
	way := notches
	if in.Down < 0 {
		way = -notches
	}
	for last := (*look)(nil); ; turns++ {
		l, err := e.capture(d)
		if err != nil {
			return turns, err
		}
		shown := false
		if in.To != "" {
			shown, err = e.contains(ctx, l, in.To, true)
		}
		switch end := l.same(last); {
		case err != nil || shown || end && in.To == "":
			return turns, err
		case end:
			return turns, agent.Failf("%q did not appear, and the end is reached", in.To)
		case turns == MaxScrolls && in.To == "":
			return turns, agent.Failf("the end is not reached after %d turns; scroll again", turns)
		case turns == MaxScrolls:
			return turns, agent.Failf("%q did not appear after %d turns", in.To, turns)
		}
		last = l
		if err := d.Scroll(ctx, at, 0, way); err != nil {
			return turns, err
		}
		if _, err := d.Settle(ctx, calm, calmLimit); err != nil {
			return turns, err
		}
	}
}
