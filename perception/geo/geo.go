// Package geo measures boxes. It has functions that image.Rectangle lacks, such as area, centre and
// relative overlap.
package geo

import (
	"image"
	"slices"
)

// Center returns the pixel in the middle of box.
func Center(box image.Rectangle) image.Point { return box.Min.Add(box.Max).Div(2) }

// Area returns the number of pixels in box.
func Area(box image.Rectangle) int { return box.Dx() * box.Dy() }

// Overlap returns the area of the intersection of two boxes, divided by the area of their union:
// 0..1.
func Overlap(a, b image.Rectangle) float64 {
	shared := Area(a.Intersect(b))
	return float64(shared) / float64(max(1, Area(a)+Area(b)-shared))
}

// Pad returns box extended by x pixels on the left and right, and by y pixels above and below. It
// extends an empty box too.
func Pad(box image.Rectangle, x, y int) image.Rectangle {
	return image.Rect(box.Min.X-x, box.Min.Y-y, box.Max.X+x, box.Max.Y+y)
}

// SameLine reports whether two boxes overlap vertically by at least half of the smaller height.
func SameLine(a, b image.Rectangle) bool {
	return 2*(min(a.Max.Y, b.Max.Y)-max(a.Min.Y, b.Min.Y)) >= min(a.Dy(), b.Dy())
}

// SameColumn reports whether two boxes overlap horizontally by at least half of the smaller width.
func SameColumn(a, b image.Rectangle) bool {
	return 2*(min(a.Max.X, b.Max.X)-max(a.Min.X, b.Min.X)) >= min(a.Dx(), b.Dx())
}

// Line is a group of boxes that are next to each other on one line.
type Line struct {
	// Box is the union of Items.
	Box image.Rectangle
	// Items are in no particular horizontal order.
	Items []image.Rectangle
}

// Lines groups boxes into lines, from top to bottom, and sorts boxes in place. A box belongs to the
// same line as the previous box if the middle of each box is within the height of the other box.
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

// Joined sorts boxes in place from left to right, and joins neighbouring boxes that are at most gap
// pixels apart. It returns the joined boxes.
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

// Unit estimates the scale of a screen from the heights of its boxes of text. The scale is the
// median height divided by normal, which is the usual height at 96 dots per inch. The result is at
// least 1. If the number of heights is below minimum, the result is 1. Unit sorts heights.
func Unit(heights []int, minimum, normal int) float64 {
	if len(heights) < minimum {
		return 1
	}
	slices.Sort(heights)
	return max(1, float64(heights[len(heights)/2])/float64(normal))
}

// Order compares boxes by their middles from a side ("left", "right", "top" or "bottom"), or in
// reading order if from is "".
func Order(from string, a, b image.Rectangle) int {
	p, r := Center(a), Center(b)
	switch from {
	case "left":
		return p.X - r.X
	case "right":
		return r.X - p.X
	case "top":
		return p.Y - r.Y
	case "bottom":
		return r.Y - p.Y
	}
	if p.Y < b.Min.Y || r.Y < a.Min.Y {
		return p.Y - r.Y
	}
	return p.X - r.X
}

// Abs returns the absolute value of n.
func Abs(n int) int { return max(n, -n) }
