package elements

import (
	"image"
	"slices"
)

// Limits of an icon that consists of lines, such as a menu's or a list's, in usual pixels.
const (
	lineGap   = 7  // maximum gap between lines
	bulletGap = 6  // maximum gap between a line and the dot or digit before it
	mostLines = 30 // maximum height of the icon
)

// add unites b with o.
func (b *blob) add(o blob) { b.box, b.area = b.box.Union(o.box), b.area+o.area }

// stacked unites the lines of an icon, and the dots or digits before them, to one blob.
func (f *finder) stacked(list []blob) []blob {
	slices.SortStableFunc(list, func(a, b blob) int { return a.box.Min.Y - b.box.Min.Y })
	var stacks, rest []blob
	lines := make([]int, 0, len(list)) // count for each stack
	for _, b := range list {
		if f.ended() {
			return nil
		}
		if !f.isLine(b.box) {
			rest = append(rest, b)
			continue
		}
		at := slices.IndexFunc(stacks, func(s blob) bool { return f.continues(s.box, b.box) })
		if at < 0 {
			stacks, lines = append(stacks, b), append(lines, 1)
			continue
		}
		stacks[at].add(b)
		lines[at]++
	}
	for i := range stacks {
		if lines[i] < 3 || f.ended() {
			continue
		}
		rest = slices.DeleteFunc(rest, func(b blob) bool {
			bullet := f.isBullet(stacks[i].box, b.box)
			if bullet {
				stacks[i].add(b)
			}
			return bullet
		})
	}
	return append(rest, stacks...)
}

// isLine reports whether a box is a short level line: at most 3 usual pixels high, at least 6 wide,
// and at least 2.5 times as wide as high.
func (f *finder) isLine(b image.Rectangle) bool {
	return b.Dy() <= f.px(3) && b.Dx() >= f.px(6) && 2*b.Dx() >= 5*b.Dy()
}

// continues reports whether a line is the next one of a stack.
func (f *finder) continues(stack, line image.Rectangle) bool {
	gap := line.Min.Y - stack.Max.Y
	shared := min(stack.Max.X, line.Max.X) - max(stack.Min.X, line.Min.X)
	return gap > 0 && gap <= f.px(lineGap) && 2*shared >= min(stack.Dx(), line.Dx()) && stack.Union(line).Dy() <= f.px(mostLines)
}

// isBullet reports whether a small blob is just before a line of a stack.
func (f *finder) isBullet(stack, b image.Rectangle) bool {
	gap := stack.Min.X - b.Max.X
	return gap >= 0 && gap <= f.px(bulletGap) && max(b.Dx(), b.Dy()) <= f.px(6) && b.Min.Y >= stack.Min.Y-f.px(3) && b.Max.Y <= stack.Max.Y+f.px(3)
}
