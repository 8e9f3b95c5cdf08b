package elements

import (
	"image"

	"github.com/windieos/windie/perception/geo"
)

// ownPart is the minimum share of a control that an inner control covers if both are one target,
// such as a link in its button. A smaller inner control is a target of its own, such as the cross
// of a tab.
const ownPart = 0.15

// Mark is an element that is to be marked on a picture.
type Mark struct {
	// Element is the index of the element in the list of elements.
	Element int
	// Keep has the boxes of the element's texts and icons. The number that is drawn for the
	// mark must not cover them.
	Keep []image.Rectangle
}

// Marks returns the elements to mark on a picture by default: those that can be clicked or typed
// into. If several boxes belong to the same control, Marks returns only the outermost box.
func Marks(list []Element) []Mark {
	inner := make([][]int, len(list)) // for each clickable element, the nearest clickable elements inside it
	outer := make([]int, len(list))
	for i := range list {
		outer[i] = -1
		if !list[i].Role.IsActedOn() {
			continue
		}
		for p := list[i].Parent; p >= 0 && outer[i] < 0; p = list[p].Parent {
			if list[p].Role.IsActedOn() {
				outer[i] = p
				inner[p] = append(inner[p], i)
			}
		}
	}
	var marks []Mark
	for i := range list {
		if !list[i].Role.IsActedOn() || outer[i] >= 0 && isOneThing(list, outer[i], i, len(inner[outer[i]])) {
			continue
		}
		marks = append(marks, Mark{Element: i, Keep: shownIn(list, i)})
	}
	return marks
}

// isOneThing reports whether an element and one of the n clickable elements inside it are the same
// target.
func isOneThing(list []Element, outer, inner, n int) bool {
	return n == 1 && float64(geo.Area(list[inner].Box)) >= ownPart*float64(geo.Area(list[outer].Box))
}

// shownIn returns the boxes of the texts and icons in an element, or the element's own box if there
// are none.
func shownIn(list []Element, i int) (boxes []image.Rectangle) {
	for j := i + 1; j < len(list); j++ {
		switch list[j].Role {
		case Text, Heading, Link, Icon:
		default:
			continue
		}
		for p := list[j].Parent; p >= i; p = list[p].Parent {
			if p == i {
				boxes = append(boxes, list[j].Box)
				break
			}
		}
	}
	if boxes == nil {
		boxes = []image.Rectangle{list[i].Box}
	}
	return boxes
}
