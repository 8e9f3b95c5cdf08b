package eyes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/models/commander/sentence"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

type setInput struct {
	Target
	To string `json:"to" maxLength:"65536" doc:"The state or value: on, off, a number, a percentage such as 40%, an entry of a list, or the text of a field."`
	Window
	Shown
}

// set sets a control to a state or value, and checks that it has it then.
func (e *Eyes) set(ctx context.Context, d *x11.Display, in setInput) (changes, error) {
	c, _, done, err := e.setOne(ctx, d, in.Target, in.To, in.Window)
	return c.after(d, done, in.Shown), err
}

type fillInput struct {
	Fields []struct {
		Target
		To string `json:"to" maxLength:"65536" doc:"The state or value, as in screen_set."`
	} `json:"fields" minItems:"1" maxItems:"30"`
	Window
	Shown
}

// fill sets several controls, one after another. If one fails, the error names those that are set.
func (e *Eyes) fill(ctx context.Context, d *x11.Display, in fillInput) (changes, error) {
	var first *look
	var all []string
	var took took
	for _, f := range in.Fields {
		c, l, done, err := e.setOne(ctx, d, f.Target, f.To, in.Window)
		if err != nil && len(all) > 0 {
			return changes{}, agent.Failf("%v. Before that: %s", err, strings.Join(all, " "))
		}
		if err != nil {
			return changes{}, err
		}
		if first == nil {
			first = l
		}
		all, took = append(all, done), c.Took
	}
	last, err := e.capture(d)
	if err != nil {
		return changes{}, err
	}
	c, err := e.between(ctx, d, first, last)
	c.Took = took
	return c.after(d, strings.Join(all, " "), in.Shown), err
}

// setOne sets one control.
func (e *Eyes) setOne(ctx context.Context, d *x11.Display, t Target, to string, in Window) (c changes, l *look, done string, err error) {
	p, l, err := e.sure(ctx, d, t, in)
	if err != nil {
		return c, l, "", err
	}
	window, _ := d.WindowAt(p.at)
	if t, ok := l.labelled(p, window); ok { // "Width" is the text before its field
		seen, err := e.control(ctx, l, p)
		if err != nil {
			return c, l, "", err
		}
		if seen == nil { // the text is no label of a control that only the eyes see
			p = placeOfThing(t)
		}
		if err := e.reaches(d, x11.Window{}, p); err != nil {
			return c, l, "", err
		}
	}
	c, err = e.act(ctx, d, l, func() error {
		done, err = e.setAt(ctx, d, l, p, to)
		return err
	})
	return c, l, done, err
}

// labelled returns the control that a text at a place of a window is the label of: the nearest one to the right of the
// text, or else right below it. ok is false if the place is a control itself, or if there is none.
func (l *look) labelled(p place, window uint32) (t thing, ok bool) {
	if p.thing != nil && p.thing.Role != access.Text {
		return t, false
	}
	for _, way := range []string{"right", "under"} {
		least := math.MaxInt
		for _, c := range l.things {
			far, is := sentence.Distance(c.Rect, p.box.Inset(around), way)
			if !is || far >= least || !isSet(c) || p.at.In(c.Rect) || c.window.ID != window { // what is in a control is its text
				continue
			}
			if way == "under" && far > belowLabel {
				continue
			}
			t, ok, least = c, true, far
		}
		if ok {
			return t, true
		}
	}
	return t, false
}

// belowLabel is how far below its label a control may be, in pixels.
const belowLabel = 40

// isSet reports whether a thing has a state or value to set.
func isSet(t thing) bool {
	return t.States&(access.Checked|access.Unchecked|access.Indeterminate) != 0 || t.Value != nil || t.Role == access.Combo || t.Role == access.Field && !t.States.Has(access.ReadOnly)
}

// setAt sets the control at a place, and returns what was done.
func (e *Eyes) setAt(ctx context.Context, d *x11.Display, l *look, p place, to string) (done string, err error) {
	if p.thing == nil && slices.ContainsFunc(l.things, func(t thing) bool { return t.States.Has(access.Multiline) && p.at.In(t.Rect) }) {
		return "", &noControl{agent.Failf("%s is a part of a text; select it, and type over it", p.what)}
	}
	if p.thing == nil {
		return e.setSeen(ctx, d, l, p, to)
	}
	t := *p.thing
	switch {
	case t.States&(access.Checked|access.Unchecked|access.Indeterminate) != 0:
		return e.setChecked(ctx, d, p, to)
	case t.Value != nil:
		return e.setValue(ctx, d, p, to)
	case t.Role == access.Combo && !t.States.Has(access.Editable):
		return e.choose(ctx, d, l, p, to)
	case t.Role == access.Field || t.Role == access.Combo || t.Role == access.Cell:
		if err := e.replace(ctx, d, p, to); err != nil {
			return "", err
		}
		return fmt.Sprintf("Replaced the text of %s.", p), nil
	}
	return "", &noControl{agent.Failf("%s has no state and no value; click it, or type into it", p.what)}
}

// noControl is the error for a place without a state, a value or a text to set.
type noControl struct{ message agent.Failure }

// Error returns the message for the model.
func (n *noControl) Error() string { return string(n.message) }

// Unwrap returns the failure of the call.
func (n *noControl) Unwrap() error { return n.message }

// states are words for on and off.
var states = map[string]bool{"on": true, "yes": true, "true": true, "checked": true, "selected": true, "enabled": true, "off": false, "no": false, "false": false, "unchecked": false, "disabled": false}

// stateOf returns whether a text means on or off.
func stateOf(p place, to string) (on bool, err error) {
	on, ok := states[strings.ToLower(strings.TrimSpace(to))]
	if !ok {
		return false, agent.Failf("%s is on or off, and not %q", p.what, to)
	}
	return on, nil
}

// word returns "on" or "off".
func word(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// setChecked clicks on a checkbox, switch or the like if it has another state.
func (e *Eyes) setChecked(ctx context.Context, d *x11.Display, p place, to string) (string, error) {
	on, err := stateOf(p, to)
	if err != nil {
		return "", err
	}
	if p.thing.States.Has(access.Checked) == on && !p.thing.States.Has(access.Indeterminate) {
		return fmt.Sprintf("%s was already %s.", p, word(on)), nil
	}
	if err := d.Click(ctx, p.at, x11.Clicks{}); err != nil {
		return "", err
	}
	t, seen, err := e.settled(ctx, d, p)
	switch {
	case err != nil:
		return "", err
	case !seen: // with a menu that the click has closed
		return fmt.Sprintf("Clicked on %s, which was %s. It is out of sight now, so its state was not checked.", p, word(!on)), nil
	case t.States.Has(access.Checked) != on:
		return "", agent.Failf("%s is still %s after a click", p.what, word(!on))
	}
	return fmt.Sprintf("Set %s to %s.", p, word(on)), nil
}

// settled returns the thing of a place when the screen is calm again. seen is false if it is out of sight then.
func (e *Eyes) settled(ctx context.Context, d *x11.Display, p place) (t thing, seen bool, err error) {
	if _, err := d.Settle(ctx, calm, calmLimit); err != nil {
		return t, false, err
	}
	list, _ := e.things(ctx, d)
	i := slices.IndexFunc(list, func(t thing) bool { return t.ID == p.thing.ID })
	if i < 0 {
		return t, false, nil
	}
	return list[i], true, nil
}

// setValue sets a slider or spinner.
func (e *Eyes) setValue(ctx context.Context, d *x11.Display, p place, to string) (string, error) {
	v := p.thing.Value
	text, share := strings.CutSuffix(strings.TrimSpace(to), "%")
	want, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if share && v.Most != 100 {
		want = v.Least + (v.Most-v.Least)*want/100
	}
	if err != nil || math.IsNaN(want) || want < v.Least || want > v.Most {
		return "", agent.Failf("%s takes a number from %g to %g, and not %q", p.what, v.Least, v.Most, to)
	}
	if err := e.tree.SetValue(ctx, p.thing.ID, want); err != nil {
		if errors.Is(err, access.ErrRefused) && p.thing.Role == access.Spinner {
			err = e.replace(ctx, d, p, text)
		}
		if err != nil {
			return "", agent.Failf("%s: %v", p.what, err)
		}
	}
	t, _, err := e.settled(ctx, d, p)
	if err != nil {
		return "", err
	}
	if t.Value == nil || math.Abs(t.Value.Now-want) > (v.Most-v.Least)/100 {
		return "", agent.Failf("%s does not have the value %g: %s", p.what, want, t.line())
	}
	return fmt.Sprintf("Set %s to %g.", p, t.Value.Now), nil
}

// replace clicks into a field, and replaces its text.
func (e *Eyes) replace(ctx context.Context, d *x11.Display, p place, text string) error {
	if err := d.Click(ctx, p.at, x11.Clicks{}); err != nil {
		return err
	}
	to := d.Active()
	if under, ok := d.WindowAt(p.at); ok {
		to = under
	}
	if err := d.Press(ctx, to, "ctrl", "a"); err != nil {
		return err
	}
	if text == "" {
		return d.Press(ctx, to, "delete")
	}
	return d.Type(ctx, to, text)
}

// choose opens a list, and clicks on the entry with a label.
func (e *Eyes) choose(ctx context.Context, d *x11.Display, l *look, p place, label string) (string, error) {
	if plainName(p.thing.Name) == plainName(label) {
		return fmt.Sprintf("%s was already %q.", p, label), nil
	}
	if err := d.Click(ctx, p.at, x11.Clicks{}); err != nil {
		return "", err
	}
	frame, err := d.Settle(ctx, calm, calmLimit)
	if err != nil {
		return "", err
	}
	entry, _, err := e.within(ctx, d, Target{Text: label}, Window{}, openedBy(d, l.frame, frame))
	if err != nil {
		return "", e.leave(ctx, d, []string{p.what}, err)
	}
	if err := d.Click(ctx, entry.at, x11.Clicks{}); err != nil {
		return "", err
	}
	return fmt.Sprintf("Chose %q in %s.", label, p), nil
}

// setSeen sets a control that only the eyes see: a checkbox or the like by a click if it has another state, and a
// field by replacing its text.
func (e *Eyes) setSeen(ctx context.Context, d *x11.Display, l *look, p place, to string) (string, error) {
	m, err := e.control(ctx, l, p)
	if err != nil {
		return "", err
	}
	if m == nil {
		return "", &noControl{agent.Failf("%s is no control whose state or value can be seen; click it, or type into it", p.what)}
	}
	p = placeOf(geo.Center(m.BBox.Rect()), m.BBox.Rect(), p.what)
	if !elements.Role(m.Role).IsChecked() {
		return fmt.Sprintf("Replaced the text of %s.", p), e.replace(ctx, d, p, to)
	}
	on, err := stateOf(p, to)
	if err != nil {
		return "", err
	}
	if isOn(*m) == on {
		return fmt.Sprintf("%s was already %s.", p, word(on)), nil
	}
	if err := d.Click(ctx, p.at, x11.Clicks{}); err != nil {
		return "", err
	}
	if _, err := d.Settle(ctx, calm, calmLimit); err != nil {
		return "", err
	}
	next, err := e.capture(d)
	if err != nil {
		return "", err
	}
	if again, err := e.control(ctx, next, p); err != nil || again != nil && isOn(*again) != on {
		return "", errors.Join(err, agent.Failf("%s is still %s after a click", p.what, word(!on)))
	}
	return fmt.Sprintf("Set %s to %s.", p, word(on)), nil
}

// isOn reports whether an element shows that it is on.
func isOn(m sdkapi.Element) bool { return slices.Contains(m.States, string(elements.Checked)) }

// control returns the checkbox, switch, radio button or field at a place, or the one whose label is there. It
// returns nil if there is none.
func (e *Eyes) control(ctx context.Context, l *look, p place) (*sdkapi.Element, error) {
	all := math.MaxInt
	got, err := query.Screens{Finder: e.finder, Images: &pictures{now: l.png}}.Elements(ctx, &sdkapi.ScreenElementsRequest{Image: theScreen, MaxResults: &all})
	if err != nil {
		return nil, err
	}
	label := ""
	var named *sdkapi.Element
	for i, m := range got.Elements {
		role, here := elements.Role(m.Role), p.at.In(m.BBox.Rect())
		isControl := role.IsChecked() || role == elements.Field || role == elements.SearchBox
		switch {
		case here && isControl:
			return &got.Elements[i], nil
		case here && !role.Holds() && m.Label != "":
			label = plainName(m.Label)
		}
	}
	for i, m := range got.Elements {
		role := elements.Role(m.Role)
		if label != "" && plainName(m.Label) == label && (role.IsChecked() || role == elements.Field || role == elements.SearchBox) {
			if named != nil {
				return nil, nil //nolint:nilnil // several have the label
			}
			named = &got.Elements[i]
		}
	}
	return named, nil
}
