// Package describe says in plain words what is on a screen, without a model.
//
//	d := describe.Describe(screen)
//	fmt.Println(d.Prose) // A light page, 1440 x 900. At the top a bar with …
//
// It is for agents and people who cannot see the screen. Descriptions are made from elements by
// rules alone, so the same screen always gets the same one.
package describe

import (
	"image"

	"github.com/windieos/windie/perception/elements"
)

// What a description holds at most. What there is more of is counted.
const (
	MaxRegions  = 60
	MaxControls = 400
	MaxLines    = 600
	MaxColors   = 6
	MaxLabel    = 200 // characters of a label or title; a line of text may have ten times as many
)

// Description is what is on a screen.
type Description struct {
	Prose    string // a few plain sentences
	Size     image.Point
	Theme    Theme
	Colors   []Shade   // of its faces, the largest first
	Regions  []Region  // each after what it is in
	Headings []Line    // in reading order, as are the next two
	Controls []Control // what can be clicked or typed into
	Text     []Line    // all that is written, headings and labels too

	MoreRegions, MoreControls, MoreText int // that were left out
}

// Theme says whether a screen is light or dark.
type Theme string

// The themes. A screen without any area of one color has none.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Shade is a color and the part of the screen that has it.
type Shade struct {
	Name  string // as people call it
	Color elements.Color
	Share float64 // 0 to 1
}

// Kind says what a region is for.
type Kind string

// The kinds of regions.
const (
	Header  Kind = "header"  // a bar at the top
	Footer  Kind = "footer"  // a bar at the bottom
	Sidebar Kind = "sidebar" // a column at a side
	Dialog  Kind = "dialog"  // lies over the rest
	Toolbar Kind = "toolbar" // a bar of icons elsewhere
	Table   Kind = "table"
	List    Kind = "list" // equal things below each other
	Form    Kind = "form" // fields, boxes to check, and the like
	Main    Kind = "main" // the largest of the rest
)

// Region is a part of a screen that has a purpose of its own.
type Region struct {
	Kind          Kind
	Box           image.Rectangle
	Title         string          // its heading, if it has one
	Color         *elements.Color // of its face, if it has one
	Parent        int             // its place in Regions, -1 for the screen itself
	Rows, Columns int             // of a table; of a list, its items and 1
}

// Control is an element that one can act on.
type Control struct {
	Element int // its place in the screen's elements
	Role    elements.Role
	Label   string // what is written in or beside it
	Icon    string // what its icon is, where that is sure
	States  []elements.State
	Color   string // the name of its face's color, or else its ink's; empty for white, grey and black
	Box     image.Rectangle
	Point   image.Point // where to click
	Region  int         // its place in Regions, -1 for none
}

// Line is something written.
type Line struct {
	Text   string
	Box    image.Rectangle
	Region int // its place in Regions, -1 for none
}

// Describe returns what is on a screen.
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

// describer makes one description.
type describer struct {
	screen   *elements.Screen
	out      *Description
	unit     float64
	children [][]int  // by element
	faces    []Region // areas of one color, the largest first
	found    []Region // in no order
	unread   int      // texts in scripts that are not readable
}
