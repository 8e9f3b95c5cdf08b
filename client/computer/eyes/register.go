package eyes

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// Programs may say wrong places: LibreOffice has all but its menus too high by the height of its menu bar. So what a program
// says is compared with the picture, and moved if that makes it fit.
const (
	besideLabel = 4 // pixels by which a label may be outside of its thing
	trusted     = 6 // labels that must be in their place for each that is not, so that a window is trusted
)

// register removes the things of a look that the picture contradicts: their label stands elsewhere. Of a window
// with several such things, those without a label in the picture are removed too.
func (e *Eyes) register(ctx context.Context, l *look) error {
	if len(l.things) == 0 {
		return nil
	}
	all := math.MaxInt
	got, err := query.Screens{Finder: e.finder, Images: &pictures{now: l.png}}.Elements(ctx, &sdkapi.ScreenElementsRequest{Image: theScreen, MaxResults: &all})
	if err != nil {
		return err
	}
	labels := map[string][]image.Rectangle{}
	var seen []image.Rectangle
	for _, m := range got.Elements {
		if elements.Role(m.Role).Holds() {
			continue
		}
		seen = append(seen, m.BBox.Rect())
		if name := plainName(m.Label); name != "" {
			labels[name] = append(labels[name], m.BBox.Rect())
		}
	}
	var fits map[uint32]bool
	l.shifts, fits = shiftsOf(l.things, labels, seen)
	shift(l.things, labels, l.shifts)
	l.things, l.poor = registered(l.things, labels, fits)
	return nil
}

const (
	agree    = 4  // pixels by which the middles of a thing and of what is seen of it may differ
	farthest = 80 // pixels by which a program's places may be off
	fewest   = 5  // things that must agree with what is seen
	share    = 3  // one of so many things must agree, so that the others are believed too
)

// shiftsOf returns by how many pixels the picture has the things of each window lower than the program says. It is not 0
// only if at least fewest things then lie on what is seen, and more than twice as many as without. Things whose label is
// on them are where the program says, and do not count. fits says of which windows so many things lie on what is seen that
// the others do too.
func shiftsOf(list []thing, labels map[string][]image.Rectangle, seen []image.Rectangle) (shifts map[uint32]int, fits map[uint32]bool) {
	windows := map[uint32][]thing{}
	for _, t := range list {
		if _, where := labelOf(t, labels); where != onIt {
			windows[t.window.ID] = append(windows[t.window.ID], t)
		}
	}
	shifts, fits = map[uint32]int{}, map[uint32]bool{}
	for id, own := range windows {
		down, agreed := commonest(own, seen), onSeen(own, seen, 0)
		if moved := onSeen(own, seen, down); moved >= fewest && moved > 2*agreed {
			shifts[id], agreed = down, moved
		}
		fits[id] = agreed >= fewest && share*agreed >= len(own)
	}
	return shifts, fits
}

// commonest returns the distance down that most things have from something seen right below them.
func commonest(list []thing, seen []image.Rectangle) int {
	var all []int
	for _, t := range list {
		for _, r := range seen {
			if off := geo.Center(r).Sub(t.point()); max(off.X, -off.X) <= agree && max(off.Y, -off.Y) <= farthest {
				all = append(all, off.Y)
			}
		}
	}
	slices.Sort(all)
	best, most := 0, 0
	for i, end := 0, 0; i < len(all); i++ {
		for end < len(all) && all[end]-all[i] <= 2*agree {
			end++
		}
		if end-i > most {
			best, most = all[(i+end-1)/2], end-i
		}
	}
	return best
}

// onSeen counts the things that lie on what is seen if they are moved down by some pixels.
func onSeen(list []thing, seen []image.Rectangle, down int) (n int) {
	for _, t := range list {
		at := t.point().Add(image.Pt(0, down))
		if slices.ContainsFunc(seen, func(r image.Rectangle) bool {
			off := geo.Center(r).Sub(at)
			return max(off.X, -off.X) <= agree && max(off.Y, -off.Y) <= agree
		}) {
			n++
		}
	}
	return n
}

// shift moves the things of windows whose program says places that are too high, except those whose label is on them.
func shift(list []thing, labels map[string][]image.Rectangle, down map[uint32]int) {
	for i, t := range list {
		if _, where := labelOf(t, labels); where != onIt {
			list[i].Rect = t.Rect.Add(image.Pt(0, down[t.window.ID]))
		}
	}
}

// registered returns the things that the labels of a picture allow, and the windows that lost the others. Of a window whose
// things fit what is seen, only those are lost whose label is elsewhere.
func registered(list []thing, labels map[string][]image.Rectangle, fits map[uint32]bool) (kept []thing, poor map[uint32]bool) {
	right, wrong, poor := map[uint32]int{}, map[uint32]int{}, map[uint32]bool{}
	for _, t := range list {
		switch _, where := labelOf(t, labels); where {
		case onIt:
			right[t.window.ID]++
		case elsewhere:
			wrong[t.window.ID]++
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(t thing) bool {
		_, where := labelOf(t, labels)
		unsure := where == nowhere && !fits[t.window.ID] && trusted*wrong[t.window.ID] > right[t.window.ID]
		poor[t.window.ID] = poor[t.window.ID] || unsure
		return where == elsewhere || unsure
	})
	return slices.DeleteFunc(slices.Clone(list), func(t thing) bool { return isDouble(t, list, labels) }), poor
}

// isDouble reports whether another thing of the same kind, name and place fits the label in the picture better.
func isDouble(t thing, list []thing, labels map[string][]image.Rectangle) bool {
	label, where := labelOf(t, labels)
	if where != onIt {
		return false
	}
	off := func(t thing) int { d := t.point().Sub(geo.Center(label)); return d.X*d.X + d.Y*d.Y }
	return slices.ContainsFunc(list, func(o thing) bool {
		return o.ID != t.ID && o.Role == t.Role && o.Name == t.Name && o.window.ID == t.window.ID && o.Rect.Overlaps(t.Rect) && off(o) < off(t)
	})
}

// Where the label of a thing is.
const (
	nowhere = iota // the picture does not have it, or things of the kind do not show it
	onIt
	elsewhere
)

// labelOf returns the label of a thing in the picture, and where it is.
func labelOf(t thing, labels map[string][]image.Rectangle) (label image.Rectangle, where int) {
	at := labels[plainName(t.Name)]
	if len(at) == 0 || !showsName(t.Role) {
		return label, nowhere
	}
	box := t.Rect.Inset(-besideLabel)
	if i := slices.IndexFunc(at, func(label image.Rectangle) bool { return geo.Center(label).In(box) }); i >= 0 {
		return at[i], onIt
	}
	return label, elsewhere
}

// showsName reports whether things of a role have their name drawn on them.
func showsName(r access.Role) bool {
	switch r {
	case access.Button, access.Checkbox, access.Radio, access.Menu, access.MenuItem, access.Tab, access.Item, access.Cell, access.ColumnHeader, access.RowHeader,
		access.Link, access.Text, access.Heading, access.TreeItem:
		return true
	}
	return false
}
