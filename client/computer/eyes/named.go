package eyes

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/commander/sentence"
	"github.com/windieos/windie/sdkapi"
)

var cellPattern = regexp.MustCompile(`^(?i:(?:the )?cell )([A-Za-z]{1,3})(\d{1,7})$`)

// labelled reports whether a label is the whole name of a thing, or a field's whole text. Case, mnemonics and
// what ends a name, such as an ellipsis, do not count.
func labelled(t thing, label string) bool {
	want := plainName(label)
	return want != "" && (plainName(t.Name) == want || t.Name == "" && !t.States.Has(access.Multiline) && plainName(t.Text) == want)
}

// plainName returns a name for comparison.
func plainName(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	return strings.TrimRight(strings.TrimSuffix(s, "..."), "….: ")
}

// byTree returns the place of a target that the programs name themselves. ok is false if they do not name
// it: then the eyes look for it. It fails if several things have the name.
func (e *Eyes) byTree(ctx context.Context, l *look, t Target, region *sdkapi.Region) (p place, ok bool, err error) {
	if len(l.things) == 0 || t.Near != "" {
		return p, false, nil
	}
	if part := cellPattern.FindStringSubmatch(t.Target); part != nil {
		return e.cell(ctx, l, part[1], part[2])
	}
	list := slices.DeleteFunc(slices.Clone(l.things), func(t thing) bool {
		return region != nil && !t.point().In(image.Rect(region.X, region.Y, region.X+region.Width, region.Y+region.Height))
	})
	found := described(list, t)
	if len(found) == 0 && t.Text != "" {
		found = withName(list, t.Text)
		switch {
		case t.Occurrence > len(found):
			return p, false, severalThings(t, found)
		case t.Occurrence > 0:
			found = found[t.Occurrence-1 : t.Occurrence]
		}
	}
	switch len(found) {
	case 0:
		return p, false, nil
	case 1:
		return placeOfThing(found[0]), true, nil
	}
	return p, false, severalThings(t, found)
}

// described returns the things that a target describes by its words for a kind, an ordinal or a place: "checkbox Wrap text",
// "the second slider". If the words name the kind alone, the target's text is the name.
func described(list []thing, t Target) (found []thing) {
	said := make([]sentence.Thing, len(list))
	for i, one := range list {
		said[i] = one.said()
	}
	n, ok := sentence.Find(t.Target, said)
	if !ok || n.Part {
		return nil
	}
	for _, i := range n.Things {
		found = append(found, list[i])
	}
	if n.Label == "" && n.Nth == 0 && t.Text != "" {
		found = withName(found, t.Text)
	}
	return found
}

// withName returns the things that can be acted on and have a name. Of things that lie in each other, such as the field of a
// combo box, it returns the innermost.
func withName(list []thing, name string) (found []thing) {
	for _, t := range list {
		if !isActed(t.Role) || !labelled(t, name) {
			continue
		}
		inner := slices.IndexFunc(found, func(f thing) bool { return f.Rect.In(t.Rect) || t.Rect.In(f.Rect) })
		switch {
		case inner < 0:
			found = append(found, t)
		case t.Rect.In(found[inner].Rect):
			found[inner] = t
		}
	}
	return found
}

// severalThings returns the error for several things of one name.
func severalThings(t Target, found []thing) error {
	f := fault.New("eyes.tree", sdkapi.AmbiguousMatch, "%d elements are %q; choose one by occurrence, or by mark", len(found), cmp.Or(t.Text, t.Target))
	f.Details.ResolverPayload = &sdkapi.ResolverPayload{Query: cmp.Or(t.Text, t.Target)}
	for _, one := range found {
		at := one.point()
		f.Details.ResolverPayload.Candidates = append(f.Details.ResolverPayload.Candidates, sdkapi.Target{
			Line: one.line(), Row: sdkapi.Row{Text: one.Name, Center: sdkapi.Point{X: at.X, Y: at.Y}, BBox: boxOf(one.Rect)},
		})
	}
	return f
}

// severalPlaces returns the error for several places that a sentence may mean.
func severalPlaces(said string, list []place) error {
	message := fmt.Sprintf("%d elements are %q; choose one", len(list), said)
	if len(list) == 1 {
		message = fmt.Sprintf("%q is not the whole name of the element; choose it if it is meant", said)
	}
	f := fault.New("eyes.sentence", sdkapi.AmbiguousMatch, "%s", message)
	f.Details.ResolverPayload = &sdkapi.ResolverPayload{Query: said}
	for _, p := range list[:min(len(list), 10)] {
		line, name := p.what, p.what
		if p.thing != nil {
			line, name = p.thing.line(), p.thing.Name
		}
		f.Details.ResolverPayload.Candidates = append(f.Details.ResolverPayload.Candidates, sdkapi.Target{
			Line: line, Row: sdkapi.Row{Text: name, Center: sdkapi.Point{X: p.at.X, Y: p.at.Y}, BBox: boxOf(p.box)},
		})
	}
	return f
}

// cell returns the place of a cell of the sheet or table in front, by its name such as B7.
func (e *Eyes) cell(ctx context.Context, l *look, letters, number string) (p place, ok bool, err error) {
	column := 0
	for _, r := range strings.ToUpper(letters) {
		column = 26*column + int(r-'A') + 1
	}
	row, _ := strconv.Atoi(number) // the pattern limits it
	for _, table := range l.tables {
		n, err := e.tree.Cell(ctx, table.ID, row-1, column-1)
		if err != nil {
			continue
		}
		one := thing{Node: n, window: table.window}
		one.Rect = one.Rect.Add(image.Pt(0, l.shifts[table.window.ID]))
		if n.Rect.Empty() || !one.point().In(table.Rect) {
			return p, false, fault.New("eyes.tree", sdkapi.TextNotFound, "the cell %s%s is out of sight; scroll to it first", strings.ToUpper(letters), number)
		}
		p = placeOfThing(one)
		p.what = fmt.Sprintf("the cell %s%s", strings.ToUpper(letters), number)
		return p, true, nil
	}
	return p, false, nil
}
