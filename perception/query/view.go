package query

import (
	"context"
	"image"
	"slices"
	"sync"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/choice"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// View is a screen, or a part of a screen, with its elements. Coordinates begin at the top left of
// the part. A View never changes.
type View struct {
	*elements.Screen
	// Region is the part that the view shows, in pixels of the whole screen. If the view shows the
	// whole screen, Region has the screen's bounds.
	Region image.Rectangle

	source perception.Source
	places []int // indices of the elements on the whole screen; nil if the view is the whole screen

	once  sync.Once
	lines *choice.Lines // see Lines
}

// View returns a view of region on the screen src. An empty region means the whole screen. A region
// that extends beyond the screen is cut off, but it must overlap the screen. View fails like
// perception.Scenes.Scene.
func (f *Finder) View(ctx context.Context, src perception.Source, region image.Rectangle) (*View, error) {
	whole, err := f.screens.Screen(ctx, src)
	if err != nil {
		return nil, err
	}
	all := bounds(whole.Scene)
	if region.Empty() || all.In(region) {
		return &View{Screen: whole, Region: all, source: src}, nil
	}
	v := &View{Region: region.Intersect(all), source: src}
	v.Screen = &elements.Screen{Scene: &perception.Scene{
		Header: perception.Header{ContentType: whole.ContentType, Width: v.Region.Dx(), Height: v.Region.Dy()},
		SHA256: whole.SHA256, Reading: whole.Reading, Rows: cutRows(whole.Rows, v.Region),
	}}
	v.take(whole.Elements)
	return v, nil
}

// take fills the view with the elements that are at least half inside it, and with their
// containers.
func (v *View) take(list []elements.Element) {
	placed := make([]int, len(list)) // index in the view's list plus 1; 0 if missing
	v.places = []int{}
	for i, e := range list {
		box := e.Box.Intersect(v.Region)
		if box.Empty() || !e.Role.Holds() && 2*geo.Area(box) < geo.Area(e.Box) {
			continue
		}
		e.Box = box.Sub(v.Region.Min)
		for e.Parent >= 0 && placed[e.Parent] == 0 {
			e.Parent = list[e.Parent].Parent
		}
		if e.Parent >= 0 {
			e.Parent = placed[e.Parent] - 1
		}
		v.Elements, v.places = append(v.Elements, e), append(v.places, i)
		placed[i] = len(v.places)
	}
}

// Place returns the index of the view's element i among the elements of the whole screen.
func (v *View) Place(i int) int {
	if v.places == nil {
		return i
	}
	return v.places[i]
}

// Lines returns the lines of text about the elements.
func (v *View) Lines() *choice.Lines {
	v.once.Do(func() { v.lines = choice.New(v.Screen) })
	return v.lines
}

// Blank reports whether the view is empty: it has no elements except containers such as panels.
func (v *View) Blank() bool {
	return !slices.ContainsFunc(v.Elements, func(e elements.Element) bool { return !e.Role.Holds() })
}

// cutRows returns the words whose middles are in a region, by rows, in coordinates of the region.
func cutRows(rows []perception.Row, region image.Rectangle) (in []perception.Row) {
	has := func(w perception.Word) bool { return geo.Center(w.Box).In(region) }
	for _, r := range rows {
		from := slices.IndexFunc(r.Words, has)
		if from < 0 {
			continue
		}
		to := from + 1
		for to < len(r.Words) && has(r.Words[to]) {
			to++
		}
		part := r.Part(from, to)
		part.Box = part.Box.Intersect(region).Sub(region.Min)
		part.Words = slices.Clone(part.Words)
		for i := range part.Words {
			part.Words[i].Box = part.Words[i].Box.Intersect(region).Sub(region.Min)
		}
		in = append(in, part)
	}
	return in
}

// At returns the index of the smallest element that contains the point p of the view, or -1 if p is
// outside of all elements.
func (v *View) At(p image.Point) int {
	best := -1
	for i, e := range v.Elements {
		if p.In(e.Box) && (best < 0 || geo.Area(e.Box) <= geo.Area(v.Elements[best].Box)) {
			best = i
		}
	}
	return best
}

// isList reports whether an element contains rows or menu items. Such an element is a list,
// whatever its role.
func (v *View) isList(i int) bool {
	for j, e := range v.Elements {
		if j != i && (e.Role == elements.Row || e.Role == elements.MenuItem) && e.Parent == i {
			return true
		}
	}
	return false
}
