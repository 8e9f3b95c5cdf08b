package describe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// How much of a kind the prose says: people listen to it, and all is in the lists.
const (
	mostRegions = 14
	mostNamed   = 8   // controls of one role in one place
	mostName    = 60  // characters of a name
	mostQuoted  = 300 // characters of the text of one place
	mostBytes   = 6_000
)

// prose describes the screen, what lies over it, and its parts from top to bottom.
func (d *describer) prose() string {
	out := []string{d.opening()}
	order := d.inOrderOfProse()
	said, length := 0, 0
	for ; said < min(len(order), mostRegions) && length < mostBytes; said++ {
		if sentence := d.sentence(order[said]); sentence != "" {
			out = append(out, sentence)
			length += len(sentence)
		}
	}
	if more := len(order) - said + d.out.MoreRegions; more > 0 {
		out = append(out, fmt.Sprintf("There are %d more parts.", more))
	}
	switch d.unread {
	case 0:
	case 1:
		out = append(out, "One text is in a script that the reader's languages do not have.")
	default:
		out = append(out, fmt.Sprintf("%d texts are in a script that the reader's languages do not have.", d.unread))
	}
	return strings.Join(out, " ")
}

func (d *describer) opening() string {
	size := fmt.Sprintf("%d x %d", d.out.Size.X, d.out.Size.Y)
	if len(d.out.Controls)+len(d.out.Text)+len(d.out.Colors) == 0 {
		return "An image, " + size + ", on which nothing was found."
	}
	opening := strings.TrimSuffix("A "+string(d.out.Theme), " ") + " page, " + size
	var colors []string
	for _, c := range d.out.Colors[:min(2, len(d.out.Colors))] {
		if c.Share >= 0.1 {
			colors = append(colors, c.Name)
		}
	}
	if len(colors) == 0 {
		return opening + "."
	}
	return opening + ", mostly " + and(colors) + "."
}

// ranks is the order of the parts of one part in the prose; all others are 0.
var ranks = map[Kind]int{Dialog: -3, Header: -2, Sidebar: -1, Footer: 1}

// inOrderOfProse orders regions: first what lies over the rest, each followed by what is in it.
func (d *describer) inOrderOfProse() (order []int) {
	in := map[int][]int{} // by parent; -1 for the screen, where a dialog is too
	for i, r := range d.out.Regions {
		if r.Kind == Dialog {
			r.Parent = -1
		}
		in[r.Parent] = append(in[r.Parent], i)
	}
	var add func(parent int)
	add = func(parent int) {
		slices.SortStableFunc(in[parent], func(a, b int) int {
			x, y := &d.out.Regions[a], &d.out.Regions[b]
			return cmp.Or(ranks[x.Kind]-ranks[y.Kind], x.Box.Min.Y-y.Box.Min.Y, x.Box.Min.X-y.Box.Min.X)
		})
		for _, i := range in[parent] {
			order = append(order, i)
			add(i)
		}
	}
	add(-1)
	return order
}

// sentence returns the sentence about a region, "" if there is nothing to say.
func (d *describer) sentence(i int) string {
	r := &d.out.Regions[i]
	holds, with := d.contents(i), ""
	if holds != "" {
		with = " with " + holds
	}
	switch r.Kind {
	case Dialog:
		title := "A dialog"
		if r.Title != "" {
			title = "The dialog " + quote(r.Title)
		}
		return title + " is open over the page" + with + "." + d.says(i)
	case Header:
		return "At the top a bar" + called(r) + with + "." + d.says(i)
	case Footer:
		return "At the bottom a bar" + with + "." + d.says(i)
	case Sidebar:
		side := "left"
		if r.Box.Min.X > d.out.Size.X/2 {
			side = "right"
		}
		return "At the " + side + " a column" + called(r) + with + "." + d.says(i)
	case Toolbar:
		return "A toolbar" + with + "."
	case Table:
		return d.tableSentence(i, with)
	case List:
		switch {
		case r.Rows == 1:
			return fmt.Sprintf("A row of %d%s.", r.Columns, with) + d.says(i)
		case r.Columns > 1:
			return fmt.Sprintf("A grid of %d rows and %d columns%s.", r.Rows, r.Columns, with) + d.says(i)
		}
		return fmt.Sprintf("A list of %d%s.", r.Rows, with) + d.says(i)
	case Form:
		return "A form" + called(r) + with + "."
	default:
		return d.mainSentence(i, holds)
	}
}

func called(r *Region) string {
	if r.Title == "" {
		return ""
	}
	return ", " + quote(r.Title) + ","
}

// mainSentence is about what is in no smaller part.
func (d *describer) mainSentence(i int, holds string) string {
	title := d.out.Regions[i].Title
	var out string
	switch {
	case title != "" && holds != "":
		out = "The main part, " + quote(title) + ", has " + holds + "."
	case title != "":
		out = "The main part is " + quote(title) + "."
	case holds != "":
		out = "The main part has " + holds + "."
	default:
		return strings.TrimSpace(d.says(i))
	}
	return out + d.says(i)
}

// tableSentence names a table's size and its first row, which mostly names columns.
func (d *describer) tableSentence(i int, with string) string {
	r := &d.out.Regions[i]
	var first []string
	top := r.Box.Max.Y
	for _, l := range d.out.Text {
		if l.Region == i {
			if l.Box.Min.Y > top {
				break
			}
			top = l.Box.Max.Y
			first = append(first, l.Text)
		}
	}
	return fmt.Sprintf("A table of %d rows and %d columns%s, whose first row is %s.", r.Rows, r.Columns, with, and(some(first, mostNamed, quote)))
}

// contents names the controls that are in a region and in no smaller one.
func (d *describer) contents(region int) string {
	var roles []elements.Role
	by := map[elements.Role][]*Control{}
	for i := range d.out.Controls {
		c := &d.out.Controls[i]
		if c.Region != region {
			continue
		}
		if by[c.Role] == nil {
			roles = append(roles, c.Role)
		}
		by[c.Role] = append(by[c.Role], c)
	}
	var parts []string
	for _, role := range roles {
		parts = append(parts, several(role, by[role]))
	}
	if len(parts) > 2 {
		return strings.Join(parts[:len(parts)-1], "; ") + "; and " + parts[len(parts)-1]
	}
	return strings.Join(parts, " and ")
}

// several names controls of one role: `the button "Save" (blue)`, `3 icon
// buttons: bell, settings and one without a name`.
func several(role elements.Role, list []*Control) string {
	var names []string
	times, unnamed := map[string]int{}, 0
	for _, c := range list {
		name := nameOf(c)
		if name == "" {
			unnamed++
		} else if times[name]++; times[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if n := times[name]; n > 1 {
			names[i] = fmt.Sprintf("%s (%d times)", name, n)
		}
	}
	switch {
	case len(list) == 1 && unnamed == 1:
		return article(string(role))
	case len(list) == 1: // nothing is without a name
		return "the " + string(role) + " " + names[0]
	case len(names) == 0:
		return fmt.Sprintf("%d %s", len(list), plurals[role])
	}
	if unnamed > 0 && len(names) <= mostNamed {
		names = append(names, fmt.Sprintf("%d without a name", unnamed))
	}
	return fmt.Sprintf("%d %s: %s", len(list), plurals[role], and(some(names, mostNamed+1, func(s string) string { return s })))
}

func article(role string) string {
	if strings.ContainsRune("aeiou", rune(role[0])) {
		return "an " + role
	}
	return "a " + role
}

// nameOf returns what a control is called, with its states and, of a button, its color.
func nameOf(c *Control) string {
	name := c.Icon
	if c.Label != "" {
		name = quote(c.Label)
	}
	if name == "" {
		return ""
	}
	var more []string
	if c.Color != "" && c.Role == elements.Button {
		more = append(more, c.Color)
	}
	for _, s := range c.States {
		if s != elements.Unchecked { // as most are
			more = append(more, string(s))
		}
	}
	if len(more) == 0 {
		return name
	}
	return name + " (" + strings.Join(more, ", ") + ")"
}

// says quotes the beginning of what is written in a region besides controls and title.
func (d *describer) says(region int) string {
	var words []string
	length := 0
	for _, l := range d.out.Text {
		if l.Region != region || l.Text == d.out.Regions[region].Title || d.isLabel(&l, region) {
			continue
		}
		words = append(words, l.Text)
		if length += len(l.Text); length > mostQuoted {
			break
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " It says: " + quoteTo(strings.Join(words, " "), mostQuoted) + "."
}

// isLabel reports whether a line is what a control of its region is called.
func (d *describer) isLabel(l *Line, region int) bool {
	return slices.ContainsFunc(d.out.Controls, func(c Control) bool {
		return c.Region == region && (c.Label == l.Text || geo.Overlap(c.Box.Intersect(l.Box), l.Box) >= 0.8)
	})
}

// some returns the first of names, each as put says, and how many more there are.
func some(names []string, most int, put func(string) string) (out []string) {
	for i, n := range names {
		if i == most && len(names) > most+1 {
			return append(out, fmt.Sprintf("%d more", len(names)-most))
		}
		out = append(out, put(n))
	}
	return out
}

func quote(text string) string { return quoteTo(text, mostName) }

func quoteTo(text string, most int) string { return `"` + cut(text, most) + `"` }

// and joins names: "a, b and c".
func and(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
