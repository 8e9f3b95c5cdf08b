package icons

import (
	"image"
	"math"
)

// Sizes of the description of a shape: a histogram of edge directions in each of cells x cells
// places.
const (
	grid       = 20       // width and height in pixels of the field that a blob is drawn into
	margin     = 1        // free pixels of the field on each side
	cells      = grid / 2 // per side
	directions = 6        // of edges, over half a turn; the side of the ink does not matter
	features   = cells * cells * directions
)

const (
	faint  = 48        // maximum coverage, 0..255, outside a blob
	rimmed = cells + 2 // cells plus one on each side, for edges at the border
	scale  = 512       // length of a shape's edges as a vector
)

// shape is the description of a blob. Its edges are square roots of the amounts of edge, so that
// bold drawing counts little more. All shapes have about the same sum of squares.
type shape struct {
	edges  [features]uint8
	length float32 // of edges as a vector
	sketch [strokes]float32
}

// shapeOf returns the shape of a mask; ok is false if the mask is blank.
func shapeOf(mask *image.Alpha) (s shape, ok bool) {
	box, ok := inkOf(mask)
	if !ok {
		return s, false
	}
	var field [grid * grid]float32
	resample(mask, box, &field)
	return s, s.describe(&field)
}

// rect is a box with fractional pixels.
type rect struct{ left, top, right, bottom float64 }

// inkOf returns the box of a mask's ink, in fractions of a pixel by the coverage at its edges.
func inkOf(mask *image.Alpha) (rect, bool) {
	w, h := mask.Rect.Dx(), mask.Rect.Dy()
	columns, rows := make([]uint8, w), make([]uint8, h)
	for y := range h {
		line := mask.Pix[y*mask.Stride:][:w]
		for x, v := range line {
			columns[x] = max(columns[x], v)
			rows[y] = max(rows[y], v)
		}
	}
	left, right, ok := extent(columns)
	top, bottom, _ := extent(rows)
	return rect{left, top, right, bottom}, ok
}

// extent returns the beginning and end of a row of coverages.
func extent(coverage []uint8) (from, to float64, ok bool) {
	i, j := 0, len(coverage)-1
	for i <= j && coverage[i] <= faint {
		i++
	}
	for j > i && coverage[j] <= faint {
		j--
	}
	if i > j {
		return 0, 0, false
	}
	from, to = float64(i), float64(j+1)
	if i < j {
		from += 1 - min(1, float64(coverage[i])/float64(coverage[i+1]))
		to -= 1 - min(1, float64(coverage[j])/float64(coverage[j-1]))
	}
	return from, to, true
}

// resample draws the content of box into the middle of the field, as large as fits. A pixel of the
// field is the mean of the pixels that it covers; if it covers less than one, it is interpolated.
func resample(mask *image.Alpha, box rect, field *[grid * grid]float32) {
	step := max(box.right-box.left, box.bottom-box.top) / (grid - 2*margin)
	across := spans((box.left+box.right-grid*step)/2, step, mask.Rect.Dx())
	down := spans((box.top+box.bottom-grid*step)/2, step, mask.Rect.Dy())
	var narrow [MaxSide][grid]float32 // the mask's rows in the width of the field
	for y := range narrow[:mask.Rect.Dy()] {
		line := mask.Pix[y*mask.Stride:][:mask.Rect.Dx()]
		for x := range across {
			s := &across[x]
			for i, v := range line[s.from:s.to] {
				narrow[y][x] += s.weights[i] * float32(v)
			}
		}
	}
	for y := range down {
		s, out := &down[y], field[y*grid:][:grid]
		for i := range narrow[s.from:s.to] {
			row, weight := &narrow[s.from+i], s.weights[i]/255
			for x, v := range row {
				out[x] += weight * v
			}
		}
	}
}

// span is the part of a row of pixels that one pixel of the field covers.
type span struct {
	from, to int // the touched pixels
	weights  [MaxSide/(grid-2*margin) + 2]float32
}

// spans returns the span of each pixel along a side of the field, over n pixels.
func spans(start, step float64, n int) (all [grid]span) {
	wide := max(step, 1)
	for i := range all {
		middle := start + (float64(i)+0.5)*step
		low, high := middle-wide/2, middle+wide/2
		s := &all[i]
		s.from = min(n, max(0, int(math.Floor(low))))
		s.to = max(s.from, min(n, int(math.Ceil(high))))
		for k := s.from; k < s.to; k++ {
			s.weights[k-s.from] = float32((min(high, float64(k+1)) - max(low, float64(k))) / wide)
		}
	}
	return all
}

// describe sets the edges and the sketch. It returns false if the field has no edges.
func (s *shape) describe(field *[grid * grid]float32) bool {
	soft := blurred(field)
	var found [rimmed * rimmed * directions]float32
	for y := range grid {
		for x := range grid {
			dx := soft[y*grid+min(x+1, grid-1)] - soft[y*grid+max(x-1, 0)]
			dy := soft[min(y+1, grid-1)*grid+x] - soft[max(y-1, 0)*grid+x]
			if dx*dx+dy*dy > 1e-4 {
				addEdge(&found, x, y, dx, dy)
			}
		}
	}
	var kept [features]float32
	var sum float32
	for y := range cells {
		copy(kept[y*cells*directions:][:cells*directions], found[((y+1)*rimmed+1)*directions:])
	}
	for _, v := range kept {
		sum += v
	}
	if sum == 0 {
		return false
	}
	var squares uint32
	for i, v := range kept {
		s.edges[i] = uint8(min(255, float32(math.Sqrt(float64(v/sum)))*scale+0.5))
		squares += uint32(s.edges[i]) * uint32(s.edges[i])
	}
	s.length = float32(math.Sqrt(float64(squares)))
	s.outline()
	return true
}

// addEdge adds the edge at a pixel to the nearest two directions and four cells.
func addEdge(found *[rimmed * rimmed * directions]float32, x, y int, dx, dy float32) {
	strength := float32(math.Sqrt(math.Sqrt(float64(dx*dx + dy*dy))))
	turn := halfTurn(dx, dy) * directions
	first := int(turn)
	part := turn - float32(first)
	first %= directions
	second := (first + 1) % directions

	// Cells are two pixels wide. The neighbouring cells are on the side of the cell where the pixel
	// is.
	home := ((y/2+1)*rimmed + x/2 + 1) * directions
	across, down := (2*(x%2)-1)*directions, (2*(y%2)-1)*rimmed*directions
	for i, at := range [4]int{home, home + across, home + down, home + across + down} {
		cell, weight := found[at:][:directions], strength*[4]float32{9, 3, 3, 1}[i]
		cell[first] += weight * (1 - part)
		cell[second] += weight * part
	}
}

// halfTurn returns the direction of an edge, 0..1 for half a turn. It is faster than math.Atan2.
func halfTurn(dx, dy float32) float32 {
	if dy < 0 {
		dx, dy = -dx, -dy
	}
	quarter := func(low, high float32) float32 { // for at most an eighth of a turn
		r := low / high
		return r * (0.25 + 0.087*(1-r))
	}
	switch {
	case dx >= dy:
		return quarter(dy, dx)
	case dx >= 0:
		return 0.5 - quarter(dx, dy)
	case -dx < dy:
		return 0.5 + quarter(-dx, dy)
	default:
		return 1 - quarter(dy, -dx)
	}
}

// blurred returns the field with each pixel averaged with its neighbours.
func blurred(field *[grid * grid]float32) *[grid * grid]float32 {
	var across, both [grid * grid]float32
	for i := range field {
		sum := 2 * field[i]
		if i%grid > 0 {
			sum += field[i-1]
		}
		if i%grid < grid-1 {
			sum += field[i+1]
		}
		across[i] = sum / 4
	}
	for i := range across {
		sum := 2 * across[i]
		if i >= grid {
			sum += across[i-grid]
		}
		if i < grid*(grid-1) {
			sum += across[i+grid]
		}
		both[i] = sum / 4
	}
	return &both
}
