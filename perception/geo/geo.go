// Package geo measures boxes: image.Rectangle has no area, no middle and no overlap
// as a share.
package geo

import "image"

// Center returns the pixel in the middle of box.
func Center(box image.Rectangle) image.Point { return box.Min.Add(box.Max).Div(2) }

// Area returns the number of pixels in box.
func Area(box image.Rectangle) int { return box.Dx() * box.Dy() }

// Overlap returns the part, 0 to 1, that two boxes share of what they cover
// together.
func Overlap(a, b image.Rectangle) float64 {
	shared := Area(a.Intersect(b))
	return float64(shared) / float64(max(1, Area(a)+Area(b)-shared))
}

// Pad returns box with x more pixels on its left and right, and y more above
// and below. An empty box grows too.
func Pad(box image.Rectangle, x, y int) image.Rectangle {
	return image.Rect(box.Min.X-x, box.Min.Y-y, box.Max.X+x, box.Max.Y+y)
}

// SameLine reports whether two boxes share at least half of the lower one's
// height.
func SameLine(a, b image.Rectangle) bool {
	return 2*(min(a.Max.Y, b.Max.Y)-max(a.Min.Y, b.Min.Y)) >= min(a.Dy(), b.Dy())
}

// SameColumn reports whether two boxes share at least half of the narrower one's
// width.
func SameColumn(a, b image.Rectangle) bool {
	return 2*(min(a.Max.X, b.Max.X)-max(a.Min.X, b.Min.X)) >= min(a.Dx(), b.Dx())
}

// Abs returns the distance of n from 0.
func Abs(n int) int { return max(n, -n) }
