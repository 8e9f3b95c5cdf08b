// Package geo measures boxes: image.Rectangle has no area, no middle and no overlap as a share.
package geo

import (
	"image"
	"slices"
)

// Center returns the pixel in the middle of box.
func Center(box image.Rectangle) image.Point { return box.Min.Add(box.Max).Div(2) }

// Area returns the number of pixels in box.
func Area(box image.Rectangle) int { return box.Dx() * box.Dy() }

// Overlap returns the part, 0 to 1, of what two boxes cover that they share.
func Overlap(a, b image.Rectangle) float64 {
	shared := Area(a.Intersect(b))
	return float64(shared) / float64(max(1, Area(a)+Area(b)-shared))
}

// Pad returns box with x more pixels on its left and right, and y more above
// and below. An empty box grows too.
func Pad(box image.Rectangle, x, y int) image.Rectangle {
	return image.Rect(box.Min.X-x, box.Min.Y-y, box.Max.X+x, box.Max.Y+y)
}

// SameLine reports whether two boxes share half of the lower one's height.
func SameLine(a, b image.Rectangle) bool {
	return 2*(min(a.Max.Y, b.Max.Y)-max(a.Min.Y, b.Min.Y)) >= min(a.Dy(), b.Dy())
}

// SameColumn reports whether two boxes share half of the narrower one's width.
func SameColumn(a, b image.Rectangle) bool {
	return 2*(min(a.Max.X, b.Max.X)-max(a.Min.X, b.Min.X)) >= min(a.Dx(), b.Dx())
}

// Line is boxes beside each other.
type Line struct {
	Box   image.Rectangle
	Items []image.Rectangle
}

// Lines sorts boxes into lines, from top to bottom. A box belongs to the line
// before it if the middle of each is at the height of the other.
func Lines(boxes []image.Rectangle) (lines []Line) {
	slices.SortStableFunc(boxes, func(a, b image.Rectangle) int { return Center(a).Y - Center(b).Y })
	for _, b := range boxes {
		if last := len(lines) - 1; last >= 0 && Center(b).Y < lines[last].Box.Max.Y && Center(lines[last].Box).Y > b.Min.Y {
			lines[last] = Line{lines[last].Box.Union(b), append(lines[last].Items, b)}
		} else {
			lines = append(lines, Line{b, []image.Rectangle{b}})
		}
	}
	return lines
}

// Joined sorts boxes from left to right, and joins those at most gap pixels apart.
func Joined(boxes []image.Rectangle, gap int) (apart []image.Rectangle) {
	slices.SortFunc(boxes, func(a, b image.Rectangle) int { return a.Min.X - b.Min.X })
	for _, b := range boxes {
		if last := len(apart) - 1; last >= 0 && b.Min.X-apart[last].Max.X <= gap {
			apart[last] = apart[last].Union(b)
		} else {
			apart = append(apart, b)
		}
	}
	return apart
}

// Unit returns the pixels of a screen for one of a screen with 96 dots an inch,
// where the boxes of writing are usual pixels high. It is 1 for fewer than least
// heights, and for smaller writing.
func Unit(heights []int, least, usual int) float64 {
	if len(heights) < least {
		return 1
	}
	slices.Sort(heights)
	return max(1, float64(heights[len(heights)/2])/float64(usual))
}

// Abs returns the distance of n from 0.
func Abs(n int) int { return max(n, -n) }
