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
	MaxLabel    = 200 // maximum characters of a label or title; a line of text may have ten times as many
)

// Description is the content of a screen.
type Description struct {
	Prose string // a few plain sentences
	// Size is in pixels.
	Size image.Point
	// Theme is empty if no area has one color.
	Theme    Theme
	Colors   []Shade   // of its faces, largest first
	Regions  []Region  // parents before children
	Headings []Line    // in reading order, like Controls and Text
	Controls []Control // elements that can be clicked or typed into
	Text     []Line    // all text, including headings and labels

	MoreRegions, MoreControls, MoreText int // number of unlisted ones
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
	// Color is the one with the largest area among the colors of this name.
	Color elements.Color
	Share float64 // 0..1
}

// Kind is the purpose of a region.
type Kind string

// Values of Kind.
const (
	Header  Kind = "header"  // a bar at the top
	Footer  Kind = "footer"  // a bar at the bottom
	Sidebar Kind = "sidebar" // a column at a side
	Dialog  Kind = "dialog"  // covers other content
	Toolbar Kind = "toolbar" // a bar of icons elsewhere
	Table   Kind = "table"
	List    Kind = "list" // similar things below each other, or in a grid
	Form    Kind = "form" // fields, checkboxes and similar controls
	Main    Kind = "main" // the largest of the other areas
)

// Region is a part of a screen with its own purpose.
type Region struct {
	// Kind is the purpose.
	Kind Kind
	// Box is in pixels of the screen.
	Box           image.Rectangle
	Title         string          // its heading, or empty
	Color         *elements.Color // of its face; nil if it has none
	Parent        int             // index in Regions; -1 for the screen itself
	Rows, Columns int             // of a table, or of a list and its columns; otherwise 0
}

// Control is an element that can be clicked or typed into.
type Control struct {
	Element int // index in the screen's elements
	// Role is the element's role.
	Role  elements.Role
	Label string // text in or beside it, or empty
	Icon  string // the name of its icon; empty if unsure
	// States are the element's states.
	States []elements.State
	Color  string // name of its face's color, or else of its ink's; empty for white, grey and black
	// Box is in pixels of the screen.
	Box    image.Rectangle
	Point  image.Point // the point to click
	Region int         // index in Regions; -1 for none
}

// Line is a line of text.
type Line struct {
	// Text is the text, shortened to at most ten times MaxLabel characters.
	Text string
	// Box is in pixels of the screen.
	Box    image.Rectangle
	Region int // index in Regions; -1 for none
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
