package describe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
)

// Limits of the prose. People listen to it, and the lists contain everything.
const (
	mostRegions = 14
	mostNamed   = 8   // controls of one role in one region
	mostName    = 60  // characters of a name
	mostQuoted  = 300 // characters of the text of one region
	mostBytes   = 6_000
)

// prose describes the screen, a dialog over it, and its parts from top to bottom.
func (d *describer) prose() string {
	out := []string{d.opening()}
	order := d.inOrderOfProse()
	count, length := 0, 0
	for ; count < min(len(order), mostRegions) && length < mostBytes; count++ {
		if sentence := d.sentence(order[count]); sentence != "" {
			out = append(out, sentence)
			length += len(sentence)
		}
	}
	switch more := len(order) - count + d.out.MoreRegions; {
	case more == 1:
		out = append(out, "There is 1 more part.")
	case more > 1:
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

// opening returns the first sentence: the theme, the size in pixels, and at most two colors, each
// of at least a tenth of the screen.
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
	return opening + ", mostly " + joinNames(colors) + "."
}

// ranks is the order of the parts of a region in the prose; kinds not listed have rank 0.
var ranks = map[Kind]int{Dialog: -3, Header: -2, Sidebar: -1, Footer: 1}

// inOrderOfProse returns the indices of the regions in the order of the prose: a dialog first, and
// each region followed by the regions in it.
func (d *describer) inOrderOfProse() (order []int) {
	in := map[int][]int{} // by parent; -1 for the screen, which is also the parent of a dialog
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

// sentence returns the sentence about a region, or "" if there is nothing to report.
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
		return "At the top a bar" + titled(r) + with + "." + d.says(i)
	case Footer:
		return "At the bottom a bar" + with + "." + d.says(i)
	case Sidebar:
		side := "left"
		if r.Box.Min.X > d.out.Size.X/2 {
			side = "right"
		}
		return "At the " + side + " a column" + titled(r) + with + "." + d.says(i)
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
		return "A form" + titled(r) + with + "."
	default:
		return d.mainSentence(i, holds)
	}
}

// titled returns a region's title as an insertion between commas, or "" without a title.
func titled(r *Region) string {
	if r.Title == "" {
		return ""
	}
	return ", " + quote(r.Title) + ","
}

// mainSentence returns the sentence about the main region, whose content is holds.
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

// tableSentence describes a table by its size and its first row, which usually names the columns.
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
	table := fmt.Sprintf("A table of %d rows and %d columns%s", r.Rows, r.Columns, with)
	if len(first) == 0 {
		return table + "."
	}
	return table + ", whose first row is " + joinNames(firstNames(first, mostNamed, quote)) + "."
}

// contents lists the controls that are in a region and in no smaller one.
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

// several lists controls of one role, for example `the button "Save" (blue)` or `3 icon buttons:
// bell, settings and one without a name`.
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
	case len(list) == 1: // it has a name
		return "the " + string(role) + " " + names[0]
	case len(names) == 0:
		return fmt.Sprintf("%d %s", len(list), plurals[role])
	}
	if unnamed > 0 && len(names) <= mostNamed {
		names = append(names, fmt.Sprintf("%d without a name", unnamed))
	}
	return fmt.Sprintf("%d %s: %s", len(list), plurals[role], joinNames(firstNames(names, mostNamed+1, func(s string) string { return s })))
}

// article returns a role with "a" or "an". The role must not be empty.
func article(role string) string {
	if strings.ContainsRune("aeiou", rune(role[0])) {
		return "an " + role
	}
	return "a " + role
}

// nameOf returns the name of a control with its states and, for a button, its color. The name is
// the label or the icon; without both it returns "".
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
		if s != elements.Unchecked { // most checkboxes are unchecked
			more = append(more, string(s))
		}
	}
	if len(more) == 0 {
		return name
	}
	return name + " (" + strings.Join(more, ", ") + ")"
}

// says quotes the beginning of the text in a region, without its title and the labels of its
// controls.
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

// isLabel reports whether a line is the label of a control in a region.
func (d *describer) isLabel(l *Line, region int) bool {
	return slices.ContainsFunc(d.out.Controls, func(c Control) bool {
		return c.Region == region && (c.Label == l.Text || geo.Overlap(c.Box.Intersect(l.Box), l.Box) >= 0.8)
	})
}

// firstNames returns the first limit names, each formatted by put, and the number of the others.
func firstNames(names []string, limit int, put func(string) string) (out []string) {
	for i, n := range names {
		if i == limit && len(names) > limit+1 {
			return append(out, fmt.Sprintf("%d more", len(names)-limit))
		}
		out = append(out, put(n))
	}
	return out
}

// quote returns a name in quotation marks, shortened to mostName characters.
func quote(text string) string { return quoteTo(text, mostName) }

// quoteTo returns a text in quotation marks, shortened to limit characters. It escapes nothing.
func quoteTo(text string, limit int) string { return `"` + cut(text, limit) + `"` }

// joinNames joins names: "a, b and c".
func joinNames(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
