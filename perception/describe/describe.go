// Package describe describes a screen in plain words, without a model.
//
//	d := describe.Describe(screen)
//	fmt.Println(d.Prose) // A light page, 1440 x 900. At the top a bar with …
//
// The descriptions are for agents, and for people who cannot see the screen. Only rules create them
// from the elements, so the same screen always has the same description.
package describe

import (
	"image"

	"github.com/windieos/windie/perception/elements"
)

// Maximum numbers of listed parts. The description counts those beyond.
const (
	MaxRegions  = 60
	MaxControls = 400
	MaxLines    = 600
	MaxColors   = 6
	MaxLabel    = 200 // maximum characters of a label or title; the maximum for a line of text is ten times MaxLabel
)

// Description is the content of a screen.
type Description struct {
	// Prose describes the screen in a few plain sentences.
	Prose string
	// Size is the size of the screen, in pixels.
	Size image.Point
	// Theme says whether the screen is light or dark. Theme is empty if no area of the screen has a
	// single color.
	Theme Theme
	// Colors has the colors of the screen's surfaces. The color with the largest share comes first.
	Colors []Shade
	// Regions has the parts of the screen. A region comes before the regions inside it.
	Regions []Region
	// Headings has the headings in reading order. Controls and Text are also in reading order.
	Headings []Line
	// Controls has the elements that can be clicked or typed into.
	Controls []Control
	// Text has the lines of text, including headings and labels.
	Text []Line

	// MoreRegions, MoreControls and MoreText are the numbers of items that the lists omit.
	MoreRegions, MoreControls, MoreText int
}

// Theme says whether a screen is light or dark.
type Theme string

// Values of Theme. A screen without an area of one color has the theme "".
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Shade is a color and the share of the screen that has this color.
type Shade struct {
	Name string // the common name of the color
	// Color is an exact color. If several colors have this name, it is the one with the largest
	// area.
	Color elements.Color
	Share float64 // share of the screen's area, 0..1
}

// Kind is the purpose of a region.
type Kind string

// Values of Kind.
const (
	Header  Kind = "header"  // a bar at the top
	Footer  Kind = "footer"  // a bar at the bottom
	Sidebar Kind = "sidebar" // a column at a side
	Dialog  Kind = "dialog"  // a box that covers other content
	Toolbar Kind = "toolbar" // a bar of icons in any other place
	Table   Kind = "table"
	List    Kind = "list" // similar items in a column or a grid
	Form    Kind = "form" // a group of fields, checkboxes and similar controls
	Main    Kind = "main" // the largest area that is not of another kind
)

// Region is a part of a screen with its own purpose.
type Region struct {
	// Kind is the purpose of the region.
	Kind Kind
	// Box is the area of the region, in pixels of the screen.
	Box image.Rectangle
	// Title is the heading of the region; empty if it has none.
	Title string
	// Color is the background color of the region; nil if it has none.
	Color *elements.Color
	// Parent is the index in Regions of the region that contains this one. -1 means that only the
	// screen contains it.
	Parent int
	// Rows and Columns are the numbers of rows and columns of a table or a list. They are 0 for
	// other kinds of regions.
	Rows, Columns int
}

// Control is an element that can be clicked or typed into.
type Control struct {
	// Element is the index of the control in the screen's elements.
	Element int
	// Role is the element's role.
	Role elements.Role
	// Label is the text in the control or beside it; empty if there is none.
	Label string
	// Icon is the name of the control's icon; empty if the name is uncertain.
	Icon string
	// States are the element's states.
	States []elements.State
	// Color is the name of the background color. If the background is white, grey or black, Color
	// is the name of the color of the text or icon. If both colors are white, grey or black, Color
	// is empty.
	Color string
	// Box is in pixels of the screen.
	Box image.Rectangle
	// Point is the point to click.
	Point image.Point
	// Region is the index in Regions of the region that contains the control, or -1.
	Region int
}

// Line is a line of text.
type Line struct {
	// Text is the text, shortened to at most ten times MaxLabel characters.
	Text string
	// Box is in pixels of the screen.
	Box image.Rectangle
	// Region is the index in Regions of the region that contains the line, or -1.
	Region int
}

// Describe returns the description of a screen.
func Describe(screen *elements.Screen) *Description {
	d := &describer{screen: screen, unit: unitOf(screen.Rows), out: &Description{Size: image.Pt(screen.Width, screen.Height)}}
	d.children = make([][]int, len(screen.Elements))
	for i, e := range screen.Elements {
		if e.Parent >= 0 {
			d.children[e.Parent] = append(d.children[e.Parent], i)
		}
	}
	d.addColors()
	d.addControls()
	d.addText()
	d.addRegions()
	d.out.Prose = d.prose()
	return d.out
}

// describer builds one description.
type describer struct {
	screen   *elements.Screen
	out      *Description
	unit     float64
	children [][]int  // by element
	faces    []Region // areas of one color, largest first
	found    []Region // unsorted
	unread   int      // number of texts in unreadable scripts
}
