package eyes

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/sdkapi"
)

// treeRetry is how long the tree is not asked after it could not be read.
const treeRetry = 30 * time.Second

// noWindow stands for a window that a program has not named in time.
const noWindow = 0

// thing is what a program says of an element of its own.
type thing struct {
	access.Node
	window x11.Window // that it is in; for a popup the one that owns it
	popup  bool       // it is in a menu or another window that the window manager does not know
	in     string     // the named thing around it, for example `dialog "Save As"`; may be empty
}

// point returns where to click on the thing.
func (t thing) point() image.Point { return t.Rect.Min.Add(t.Rect.Size().Div(2)) }

// things returns what the programs say of the elements in sight: by window from front to back, in
// reading order, and the windows of which some are missing, because the program was too slow. It returns
// none if there is no accessibility bus. Things whose window this screen does not have are left out.
func (e *Eyes) things(ctx context.Context, d *x11.Display) (list []thing, cut map[uint32]bool) {
	if time.Now().Before(e.noTree) {
		return nil, nil
	}
	windows, err := e.lookAtTree(ctx, d)
	if err != nil {
		e.noTree = time.Now().Add(treeRetry)
		return nil, nil
	}
	shown, err := d.Windows()
	if err != nil {
		return nil, nil
	}
	shown = slices.DeleteFunc(shown, func(w x11.Window) bool { return w.Minimized })
	var popups []image.Rectangle
	scales := map[int]int{} // by process
	cut = map[uint32]bool{}
	for _, w := range windows {
		own, popup, ok := windowOf(w, shown)
		if !ok || w.Relative {
			cut[noWindow] = cut[noWindow] || w.Cut || w.Silent // it may be any
			continue
		}
		scale := scales[w.PID]
		if !popup {
			if scale = scaleOf(w.Rect, own.Rect); scale == 0 {
				continue // the program says something else of its place than the screen
			}
			scales[w.PID] = scale
		} else if scale == 0 {
			continue
		}
		cut[own.ID] = cut[own.ID] || w.Cut || w.Silent
		scaled(&w, scale)
		if popup {
			popups = append(popups, w.Rect)
		}
		list = append(list, thingsIn(w, own, popup)...)
	}
	list = slices.DeleteFunc(list, func(t thing) bool { return !inSight(t, shown, popups) })
	rank := func(t thing) int {
		if t.popup {
			return -1
		}
		return slices.IndexFunc(shown, func(w x11.Window) bool { return w.ID == t.window.ID })
	}
	slices.SortStableFunc(list, func(a, b thing) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		if a.Rect.Min.Y < b.Rect.Max.Y-b.Rect.Dy()/2 && b.Rect.Min.Y < a.Rect.Max.Y-a.Rect.Dy()/2 { // a row
			return a.Rect.Min.X - b.Rect.Min.X
		}
		return a.Rect.Min.Y - b.Rect.Min.Y
	})
	return list, cut
}

// lookAtTree reads the tree. It belongs to the display: of another display's session it is none of ours. The
// user's own session is asked first, because only there can accessibility be switched on.
func (e *Eyes) lookAtTree(ctx context.Context, d *x11.Display) ([]access.Window, error) {
	if e.tree == nil {
		address := d.AccessBus()
		if e.screen.IsOwn() {
			address = ""
		} else if address == "" {
			return nil, access.ErrNoBus
		}
		tree, err := access.Open(ctx, address)
		if err != nil {
			return nil, err
		}
		tree.Options = e.patience
		e.tree = tree
	}
	return e.tree.Look(ctx)
}

// windowOf returns the window on the screen that a window of the tree is. A window of the same program that
// the window manager does not know is a popup, such as a menu.
func windowOf(w access.Window, shown []x11.Window) (own x11.Window, popup, ok bool) {
	for _, x := range shown {
		if x.Title == w.Title && (x.PID == w.PID || x.PID == 0) && scaleOf(w.Rect, x.Rect) > 0 {
			return x, false, true
		}
	}
	for _, x := range shown {
		if x.PID != 0 && x.PID == w.PID {
			return x, true, w.Title == "" || w.Role == access.Menu
		}
	}
	return own, false, false
}

// decoration is the most that a window manager adds to a side of a window, in pixels.
const decoration = 80

// scaleOf returns how many pixels of the screen one pixel of a program is, from what both say of a window: 1 to 3,
// or 0 if they say something else. With GDK_SCALE=2 it is 2.
func scaleOf(program, screen image.Rectangle) int {
	near := func(a, b int) bool { return max(a-b, b-a) <= decoration }
	for scale := 1; scale <= 3; scale++ {
		p := image.Rectangle{program.Min.Mul(scale), program.Max.Mul(scale)}
		if near(p.Min.X, screen.Min.X) && near(p.Min.Y, screen.Min.Y) && near(p.Max.X, screen.Max.X) && near(p.Max.Y, screen.Max.Y) {
			return scale
		}
	}
	return 0
}

// scaled converts a window and its nodes to pixels of the screen.
func scaled(w *access.Window, scale int) {
	times := func(r image.Rectangle) image.Rectangle { return image.Rectangle{r.Min.Mul(scale), r.Max.Mul(scale)} }
	w.Rect = times(w.Rect)
	for i := range w.Nodes {
		w.Nodes[i].Rect = times(w.Nodes[i].Rect)
	}
}

// thingsIn returns the elements of a window that a user can name or act on.
func thingsIn(w access.Window, own x11.Window, popup bool) (list []thing) {
	around := make([]string, len(w.Nodes)) // for each node, the named thing that its content is in
	for i, n := range w.Nodes {
		in := ""
		if n.Parent >= 0 {
			in = around[n.Parent]
			if outer := w.Nodes[n.Parent]; n.Name == "" && n.Role == access.Field && outer.Role == access.Combo {
				n.Name = outer.Name // the field of an editable list
			}
		}
		around[i] = in
		switch n.Role {
		case access.Dialog, access.Panel, access.Toolbar, access.Table, access.List, access.Menu, access.TreeView:
			if n.Name != "" {
				around[i] = fmt.Sprintf("%s %q", n.Role, n.Name)
			}
		}
		// An open menu hangs over the window, and is drawn where the menu says.
		over := popup || n.Parent >= 0 && !w.Rect.Inset(-2).Overlaps(n.Rect) || isIn(w.Nodes, i, access.Menu)
		if isActed(n.Role) || n.Role == access.Table || n.Name != "" && isTold(n.Role) {
			list = append(list, thing{Node: n, window: own, popup: over, in: in})
		}
	}
	return list
}

// isIn reports whether a node is below one of a role.
func isIn(nodes []access.Node, i int, role access.Role) bool {
	for p := nodes[i].Parent; p >= 0; p = nodes[p].Parent {
		if nodes[p].Role == role {
			return true
		}
	}
	return false
}

// isActed reports whether things of a role can be clicked, set or typed into.
func isActed(r access.Role) bool {
	switch r {
	case access.Button, access.Checkbox, access.Radio, access.Switch, access.Slider, access.Spinner, access.Field, access.Combo, access.Menu, access.MenuItem,
		access.Tab, access.Item, access.Cell, access.ColumnHeader, access.TreeItem, access.Link:
		return true
	}
	return false
}

// isTold reports whether things of a role inform a user.
func isTold(r access.Role) bool {
	return r == access.Text || r == access.Heading || r == access.Image || r == access.Progress || r == access.Notice
}

// inSight reports whether no other window covers the middle of a thing.
func inSight(t thing, shown []x11.Window, popups []image.Rectangle) bool {
	at := t.point()
	if t.popup {
		return true
	}
	if slices.ContainsFunc(popups, func(r image.Rectangle) bool { return at.In(r) }) {
		return false
	}
	i := slices.IndexFunc(shown, func(w x11.Window) bool { return at.In(w.Rect) })
	return i >= 0 && shown[i].ID == t.window.ID
}

// shownStates are the states that a user sees.
const shownStates = access.Checked | access.Unchecked | access.Indeterminate | access.Selected | access.Focused | access.Disabled | access.Expanded | access.Collapsed |
	access.ReadOnly | access.Invalid | access.Pressed

// longestText is the maximum length of a field's text in a line, in characters.
const longestText = 80

// line describes a thing in one line of text.
func (t thing) line() string {
	var b strings.Builder
	b.WriteString(string(t.Role))
	if t.Name != "" {
		fmt.Fprintf(&b, " %q", t.Name)
	}
	if text := []rune(t.Text); len(text) > 0 && t.Text != t.Name {
		cut := ""
		if len(text) > longestText {
			text, cut = text[:longestText], "…"
		}
		fmt.Fprintf(&b, ", text %q%s", string(text), cut)
	}
	if t.Value != nil {
		fmt.Fprintf(&b, ", %g of %g to %g", t.Value.Now, t.Value.Least, t.Value.Most)
	}
	if t.Place != nil {
		fmt.Fprintf(&b, ", row %d, column %d", t.Place.Row+1, t.Place.Column+1)
	}
	if s := t.States & shownStates; s != 0 {
		b.WriteString(", " + s.String())
	}
	if t.in != "" {
		b.WriteString(", in " + t.in)
	}
	return b.String()
}

// at describes a thing by its line and click point.
func (t thing) at() string { return fmt.Sprintf("%s at %d,%d", t.line(), t.point().X, t.point().Y) }

// covers reports whether an element that the eyes see is the thing, or a part of it, so that it need not be
// listed twice. A text of several lines has lines of its own.
func (t thing) covers(m sdkapi.Element) bool {
	box := m.BBox.Rect()
	both := box.Intersect(t.Rect)
	switch {
	case both.Empty() || t.States.Has(access.Multiline):
		return false
	case m.Label != "" && strings.Contains(plainName(t.Name), plainName(m.Label)):
		return true
	}
	return 10*both.Dx()*both.Dy() > 6*box.Dx()*box.Dy()
}
