package eyes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/sdkapi"
)

// changes are the changes of the screen after an action.
type changes struct {
	Done     string   `json:"done"`
	Same     bool     `json:"same" doc:"Nothing on the screen changed, so the action probably had no effect."`
	Silent   string   `json:"silent,omitempty" doc:"Title of the window whose program does not respond."`
	Appeared []string `json:"appeared,omitempty"`
	Vanished []string `json:"vanished,omitempty"`
	Changed  []string `json:"changed,omitempty"`
	Share    float64  `json:"share,omitempty" doc:"How much of the screen changed, from 0 (nothing) to 1 (all of it)."`
	Window   string   `json:"active_window,omitempty"`
	Took     took     `json:"took_ms,omitzero"`

	frame *x11.Frame
	show  bool
}

// Content implements agent.Contenter.
func (c changes) Content() []agent.Part {
	var parts []agent.Part
	if c.show && c.frame != nil {
		parts = append(parts, agent.Image("image/png", c.frame.PNG()))
	}
	return append(parts, agent.Text(c.text()))
}

// after returns c with what was done, the active window, and the picture if it is wanted.
func (c changes) after(d *x11.Display, done string, in Shown) changes {
	c.Done, c.show, c.Window = done, in.Picture, title(d)
	return c
}

// text describes the changes for a model.
func (c changes) text() string {
	var b strings.Builder
	b.WriteString(c.Done)
	if c.Same {
		b.WriteString("\nNothing on the screen changed.")
	}
	if c.Silent != "" {
		fmt.Fprintf(&b, "\nThe program of the window %q does not respond.", c.Silent)
	}
	for _, list := range []struct {
		title string
		items []string
	}{{"Appeared", c.Appeared}, {"Vanished", c.Vanished}, {"Changed", c.Changed}} {
		if len(list.items) > 0 {
			fmt.Fprintf(&b, "\n%s: %s", list.title, strings.Join(list.items, "; "))
		}
	}
	if c.Share > 0 && len(c.Appeared)+len(c.Vanished)+len(c.Changed) == 0 {
		fmt.Fprintf(&b, "\n%.1f %% of the screen changed, but no text or element.", 100*c.Share)
	}
	if c.Window != "" {
		fmt.Fprintf(&b, "\nActive window: %q", c.Window)
	}
	return b.String()
}

// changesOf describes a difference: what the programs say has changed since the last look, and what only the eyes see.
func changesOf(diff *sdkapi.ScreenDiffResult, last, next *look) changes {
	before := last.things
	c := changes{Same: diff.Same, Share: diff.Share, frame: next.frame}
	c.addThings(last, next)
	seen := func(box sdkapi.Box, label string) bool { // by a program too
		m := sdkapi.Element{BBox: box, Label: label}
		covers := func(t thing) bool { return t.covers(m) }
		return slices.ContainsFunc(next.things, covers) || slices.ContainsFunc(before, covers)
	}
	for _, r := range diff.Rows.Appeared {
		if !seen(r.BBox, r.Text) {
			c.Appeared = append(c.Appeared, row(r))
		}
	}
	for _, r := range diff.Rows.Vanished {
		if !seen(r.BBox, r.Text) {
			c.Vanished = append(c.Vanished, row(r))
		}
	}
	for _, r := range diff.Rows.Changed {
		if !seen(r.After.BBox, r.After.Text) {
			c.Changed = append(c.Changed, fmt.Sprintf("%q changed to %s", r.Before.Text, row(r.After)))
		}
	}
	if len(next.things) > 0 && len(before) > 0 { // colors and shapes of what programs name are no news
		return c
	}
	for _, e := range diff.Elements.Appeared {
		if named(e) {
			c.Appeared = append(c.Appeared, element(e))
		}
	}
	for _, e := range diff.Elements.Vanished {
		if named(e) {
			c.Vanished = append(c.Vanished, element(e))
		}
	}
	for _, e := range diff.Elements.Changed {
		c.Changed = append(c.Changed, element(e.After)+" ("+strings.Join(e.What, ", ")+")")
	}
	return c
}

// addThings adds what the programs say has changed, at most maxChanges of each kind. What a look has missed has
// neither appeared nor vanished.
func (c *changes) addThings(last, next *look) {
	before, now := last.things, next.things
	if len(before) == 0 || len(now) == 0 {
		return
	}
	was := map[access.ID]thing{}
	for _, t := range before {
		was[t.ID] = t
	}
	for _, t := range now {
		old, known := was[t.ID]
		delete(was, t.ID)
		switch {
		case !known && !last.cut[t.window.ID] && len(c.Appeared) < maxChanges:
			c.Appeared = append(c.Appeared, t.at())
		case known && old.line() != t.line() && len(c.Changed) < maxChanges:
			c.Changed = append(c.Changed, t.at())
		}
	}
	for _, t := range before {
		if _, gone := was[t.ID]; gone && !next.cut[t.window.ID] && len(c.Vanished) < maxChanges {
			c.Vanished = append(c.Vanished, strings.TrimSpace(string(t.Role)+" "+quoted(t.Name)))
		}
	}
}

// named reports whether an element has a label or an icon.
func named(e sdkapi.Element) bool { return e.Label != "" || e.Icon != "" }

// row describes a row of text by its text and click point.
func row(r sdkapi.Row) string {
	return fmt.Sprintf("%q at %d,%d", r.Text, r.Center.X, r.Center.Y)
}

// element describes an element by its line and click point.
func element(e sdkapi.Element) string {
	return fmt.Sprintf("%s at %d,%d", e.Line, e.BBox.X+e.BBox.Width/2, e.BBox.Y+e.BBox.Height/2)
}
