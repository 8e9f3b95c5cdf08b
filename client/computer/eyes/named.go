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
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/sdkapi"
)

// kinds are the roles that a word for a kind of element means.
var kinds = map[string][]access.Role{
	"button": {access.Button}, "checkbox": {access.Checkbox, access.Switch}, "check box": {access.Checkbox, access.Switch}, "tick box": {access.Checkbox, access.Switch},
	"radio": {access.Radio}, "radio button": {access.Radio}, "option": {access.Radio, access.Item, access.MenuItem}, "switch": {access.Switch, access.Checkbox}, "toggle": {access.Switch, access.Checkbox, access.Button},
	"slider": {access.Slider}, "spinner": {access.Spinner}, "spin box": {access.Spinner}, "number field": {access.Spinner},
	"field": {access.Field, access.Spinner, access.Combo}, "text field": {access.Field}, "input": {access.Field, access.Spinner}, "text box": {access.Field}, "textbox": {access.Field}, "entry": {access.Field, access.MenuItem, access.Item}, "text area": {access.Field}, "box": {access.Checkbox, access.Field, access.Combo},
	"dropdown": {access.Combo}, "drop-down": {access.Combo}, "combo box": {access.Combo}, "combobox": {access.Combo}, "list box": {access.Combo, access.List},
	"menu": {access.Menu, access.MenuItem}, "menu item": {access.MenuItem, access.Menu}, "item": {access.MenuItem, access.Item, access.TreeItem, access.Cell},
	"tab": {access.Tab}, "sheet": {access.Tab}, "sheet tab": {access.Tab}, "page": {access.Tab},
	"list item": {access.Item, access.Cell}, "row": {access.Item, access.Cell, access.TreeItem}, "file": {access.Item, access.Cell, access.TreeItem}, "folder": {access.Item, access.Cell, access.TreeItem},
	"number": {access.Spinner, access.Field}, "cell": {access.Cell}, "column": {access.ColumnHeader}, "column header": {access.ColumnHeader}, "link": {access.Link}, "label": {access.Text}, "text": {access.Text, access.Field}, "heading": {access.Heading}, "icon": {access.Image}, "image": {access.Image}, "picture": {access.Image},
}

// ordinals are words for a place among equals; -1 is the last.
var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "last": -1}

var (
	articlePattern = regexp.MustCompile(`^(?i:the|a|an) `)
	ordinalPattern = regexp.MustCompile(`^(\d+)(?:st|nd|rd|th)$`)
	calledPattern  = regexp.MustCompile(`^(?i:called|named|labelled|labeled|with the (?:label|name|text)) `)
	besidePattern  = regexp.MustCompile(`^(?i:(.+) (next to|beside|right of|to the right of|left of|to the left of|under|below|above) (?:the )?(.+))$`)
	cellPattern    = regexp.MustCompile(`^(?i:(?:the )?cell )([A-Za-z]{1,3})(\d{1,7})$`)
)

// asked is a description of an element by its kind, its label and its place among equals.
type asked struct {
	roles []access.Role // nil: any that can be acted on
	label string        // "" is any
	nth   int           // from 1; 0 if there is only one; -1 is the last

	anchor, way string // the label of the thing that it is beside, and on which side; empty: it is beside none
}

// parseTarget returns what a description asks for: "the Save button", "checkbox Wrap text", "the second
// slider". It returns false if the description says more than that.
func parseTarget(description string) (a asked, ok bool) {
	if part := besidePattern.FindStringSubmatch(strings.TrimSpace(description)); part != nil {
		if a, ok = parseTarget(part[1]); ok && a.anchor == "" {
			way := strings.Fields(strings.ToLower(part[2]))
			a.way, a.anchor = way[max(0, len(way)-2)], strings.Trim(part[3], `"'“”„‘’`)
			return a, true
		}
	}
	rest := articlePattern.ReplaceAllString(strings.TrimSpace(description), "")
	first, after, _ := strings.Cut(rest, " ")
	if n, ok := ordinals[strings.ToLower(first)]; ok && after != "" {
		a.nth, rest = n, after
	} else if part := ordinalPattern.FindStringSubmatch(first); part != nil && after != "" {
		a.nth, _ = strconv.Atoi(part[1])
		rest = after
	}
	lower := strings.ToLower(rest)
	kind := ""
	for word := range kinds {
		switch {
		case len(word) <= len(kind):
		case lower == word, strings.HasPrefix(lower, word+" "):
			kind = word
			a.label = calledPattern.ReplaceAllString(strings.TrimSpace(rest[len(word):]), "")
		case strings.HasSuffix(lower, " "+word):
			kind = word
			a.label = strings.TrimSpace(rest[:len(rest)-len(word)])
		}
	}
	if kind == "" {
		return a, false
	}
	a.roles, a.label = kinds[kind], strings.Trim(a.label, `"'“”„‘’`)
	return a, true
}

// fits reports whether a thing is what is asked for.
func (a asked) fits(t thing) bool {
	if a.roles == nil && !isActed(t.Role) || a.roles != nil && !slices.Contains(a.roles, t.Role) {
		return false
	}
	return a.label == "" || labelled(t, a.label)
}

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
	a := asked{label: t.Text, nth: t.Occurrence}
	b, described := parseTarget(t.Target)
	var found []thing
	if described {
		if b.anchor == "" {
			b.label = cmp.Or(b.label, t.Text)
		}
		found = matching(l.inReach(b), b, region)
	}
	if b.anchor != "" {
		found = nearest(found, l.things, b)
	}
	if len(found) > 0 {
		a = b
	} else if t.Text != "" {
		found = matching(l.things, a, region)
	}
	switch {
	case len(found) == 0:
		return p, false, nil
	case a.nth == -1:
		found = found[len(found)-1:]
	case a.nth > len(found):
		return p, false, severalThings(t, found)
	case a.nth > 0:
		found = found[a.nth-1 : a.nth]
	case len(found) > 1:
		return p, false, severalThings(t, found)
	}
	return placeOfThing(found[0]), true, nil
}

// nearest returns the thing that is nearest to the one with the label a.anchor, in its window, on the side that
// a.way says. It returns none if there is no such thing, or if several have the label.
func nearest(found, all []thing, a asked) []thing {
	var anchors []thing
	for _, t := range all {
		if labelled(t, a.anchor) {
			anchors = append(anchors, t)
		}
	}
	if len(anchors) != 1 {
		return nil
	}
	from, best, least := anchors[0].Rect, -1, 0
	for i, t := range found {
		row := geo.SameLine(t.Rect, from)
		column := t.Rect.Min.X < from.Max.X && from.Min.X < t.Rect.Max.X
		var far int
		switch {
		case t.ID == anchors[0].ID || t.window.ID != anchors[0].window.ID:
			continue
		case (a.way == "right" || a.way == "next" || a.way == "beside") && row && t.Rect.Max.X > from.Max.X:
			far = t.Rect.Min.X - from.Max.X
		case a.way == "left" && row && t.Rect.Min.X < from.Min.X:
			far = from.Min.X - t.Rect.Max.X
		case (a.way == "under" || a.way == "below") && column && t.Rect.Max.Y > from.Max.Y:
			far = t.Rect.Min.Y - from.Max.Y
		case a.way == "above" && column && t.Rect.Min.Y < from.Min.Y:
			far = from.Min.Y - t.Rect.Max.Y
		default:
			continue
		}
		if best < 0 || far < least {
			best, least = i, far
		}
	}
	if best < 0 {
		return nil
	}
	return found[best : best+1]
}

// inReach returns the things that a description may mean: without a label, as "the second slider", those of the
// window that the user works with.
func (l *look) inReach(a asked) []thing {
	if a.label != "" {
		return l.things
	}
	return slices.DeleteFunc(slices.Clone(l.things), func(t thing) bool { return !t.window.Active && !t.popup })
}

// matching returns the things in a region that fit. Of things that lie in each other, such as the field of a combo
// box, it returns the innermost.
func matching(list []thing, a asked, region *sdkapi.Region) (found []thing) {
	for _, t := range list {
		if !a.fits(t) || region != nil && !t.point().In(image.Rect(region.X, region.Y, region.X+region.Width, region.Y+region.Height)) {
			continue
		}
		inner := slices.IndexFunc(found, func(f thing) bool {
			return (f.Rect.In(t.Rect) || t.Rect.In(f.Rect)) && (a.label != "" || geo.Overlap(f.Rect, t.Rect) > 0.5)
		})
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
