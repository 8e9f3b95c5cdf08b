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

// Programs may say wrong places: of LibreOffice's elements many are higher than the picture by the height of its
// menu bar. So what a program says is compared with the labels in the picture.
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
	for _, m := range got.Elements {
		if name := plainName(m.Label); name != "" && !elements.Role(m.Role).Holds() {
			labels[name] = append(labels[name], m.BBox.Rect())
		}
	}
	l.things, l.poor = registered(l.things, labels)
	return nil
}

// registered returns the things that the labels of a picture allow, and the windows that lost the others.
func registered(list []thing, labels map[string][]image.Rectangle) (kept []thing, poor map[uint32]bool) {
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
		unsure := where == nowhere && trusted*wrong[t.window.ID] > right[t.window.ID]
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
