package elements

import (
	"context"
	_ "embed"
	"image"
	"slices"
	"sync"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/trees"
)

// actedFile is the model that judges an element by itself. amongFile is the model that judges it by
// the elements around it too.
var (
	//go:embed acted.trees
	actedFile []byte
	//go:embed among.trees
	amongFile []byte
)

// judges are the two models: alone judges an element by itself, among also by the elements around
// it.
type judges struct{ alone, among *trees.Model }

// theJudges decodes the models at the first call. It panics if an embedded file is damaged.
var theJudges = sync.OnceValue(func() judges {
	width := len(new(finder).width())
	load := func(name string, data []byte, width int) *trees.Model {
		m, err := trees.Decode(data, width)
		if err != nil {
			panic("elements: " + name + ": " + err.Error())
		}
		return m
	}
	return judges{load("acted.trees", actedFile, width), load("among.trees", amongFile, width+amongSize)}
})

// acted returns the probability that each element is clickable. It returns nil after ctx ends.
func (f *finder) acted() []float64 {
	x, by := f.newFeatures(), theJudges()
	alone, rows := make([]float64, len(f.list)), make([][]float32, len(f.list))
	for i := range f.list {
		if f.ended() {
			return nil
		}
		rows[i] = slices.Clone(x.of(i))
		alone[i] = by.alone.Predict(rows[i])
	}
	for i, around := range Among(f.list, alone, f.unit) {
		alone[i] = by.among.Predict(append(rows[i], around...))
	}
	return smoothed(f.list, alone, f.unit)
}

// Limits of the probability that an element is clickable.
const (
	leastActed = 0.60 // minimum for elements that the rules consider clickable
	leastShape = 0.06 // minimum for fields and controls, whose shape says more
	mostPlain  = 0.85 // minimum to make an element clickable that the rules do not consider so
)

// leastOf returns the minimum probability for an element to stay clickable.
func leastOf(e *Element) float64 {
	if e.kind == control && e.Role == IconButton { // in a title bar
		return 0
	}
	switch e.Role {
	case SearchBox, Dropdown, Checkbox, Radio, Toggle: // their content shows their role
		return 0
	case Field, TextArea, Slider:
		return leastShape
	}
	return leastActed
}

// width returns the features of an empty element. The decoder of the models needs their count.
func (f *finder) width() []float32 {
	g := &finder{ctx: context.Background(), img: image.NewNRGBA(image.Rect(0, 0, 1, 1)), unit: 1, list: []Element{{Ink: &Color{}, Parent: -1, on: -1}}, children: make([][]int, 1)}
	return g.newFeatures().of(0)
}

// Examples returns the elements that the rules find on a screen, and the features of each element.
// The features are for the training of the models. unit is the number of pixels that correspond to
// one pixel at 96 dots per inch.
func Examples(ctx context.Context, img *image.NRGBA, rows []perception.Row) (list []Element, features [][]float32, unit float64, err error) {
	f, err := find(ctx, img, rows)
	if err != nil || f == nil {
		return nil, nil, 1, err
	}
	x := f.newFeatures()
	for i := range f.list {
		features = append(features, slices.Clone(x.of(i)))
	}
	return f.list, features, f.unit, ctx.Err()
}

// sift lets the models judge which elements are clickable, and corrects the roles that the rules
// set.
func (f *finder) sift() {
	acted := f.acted()
	if acted == nil {
		return
	}
	gone := make([]bool, len(f.list))
	for i := range f.list {
		e := &f.list[i]
		switch {
		case e.Role.IsActedOn() && acted[i] < leastOf(e):
			gone[i] = f.demote(i)
		case !e.Role.IsActedOn() && acted[i] >= mostPlain && !f.isInActed(i, acted):
			f.promote(i)
		}
	}
	f.remove(gone)
}

// demote gives an element that is not clickable another role. It reports whether to remove the
// element.
func (f *finder) demote(i int) (gone bool) {
	e := &f.list[i]
	switch e.kind {
	case phrase:
		e.Role = Text
	case cell, line, tab:
		c := f.contentOf(i)
		if len(c.texts)+len(c.symbols) < 2 || e.Box.Dx() < f.px(200) {
			return true
		}
		e.Role, e.States = Row, nil
	case control:
		e.Role, e.States = Icon, nil
	default:
		c := f.contentOf(i)
		switch {
		case len(c.texts) == 1 && e.Box.Dy() <= f.px(28) && e.Box.Dx() <= f.px(160):
			e.Role = Badge
		case e.Box.Dx() >= f.px(300) && len(c.texts) >= 2 && e.Box.Dy() <= f.px(90):
			e.Role = Row
		default:
			e.Role, e.Label = Panel, ""
		}
	}
	return false
}

// promote gives a clickable element a clickable role. Pictures and panels become buttons if they
// are as small as buttons.
func (f *finder) promote(i int) {
	e := &f.list[i]
	switch e.Role {
	case Text, Heading:
		e.Role = Link
	case Icon:
		e.Role = IconButton
	case Picture:
		if e.kind == symbol || f.isButtonSized(e.Box) {
			e.Role = IconButton
		}
	case Badge:
		e.Role = Button
	case Panel:
		f.promotePanel(i)
	}
}

// promotePanel makes a button of a small face with a text or an icon.
func (f *finder) promotePanel(i int) {
	e := &f.list[i]
	c := f.contentOf(i)
	switch {
	case !f.isButtonSized(e.Box) || len(c.controls) > 0 || len(c.texts) > 2:
		return
	case len(c.texts) > 0:
		e.Role, e.Label = Button, f.labelOf(i)
	case e.Box.Dx() <= f.px(90):
		e.Role = IconButton
	default:
		return
	}
	f.takeInk(i)
}

// isInActed reports whether an element is inside a clickable element.
func (f *finder) isInActed(i int, acted []float64) bool {
	for p := f.list[i].Parent; p >= 0; p = f.list[p].Parent {
		if f.list[p].Role.IsActedOn() && acted[p] >= leastActed {
			return true
		}
	}
	return false
}

// remove removes elements. Their content moves to their parents.
func (f *finder) remove(gone []bool) {
	to := make([]int, len(f.list))
	kept := f.list[:0]
	for i, e := range f.list {
		if gone[i] {
			to[i] = -1
			if e.Parent >= 0 {
				to[i] = to[e.Parent]
			}
			continue
		}
		if e.Parent >= 0 {
			e.Parent = to[e.Parent]
		}
		to[i] = len(kept)
		kept = append(kept, e)
	}
	f.list = kept
	f.children = make([][]int, len(kept))
	for i, e := range kept {
		if e.Parent >= 0 {
			f.children[e.Parent] = append(f.children[e.Parent], i)
		}
	}
}
