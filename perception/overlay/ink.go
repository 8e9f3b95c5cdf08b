package overlay

import "image"

// Sampling some points of a spot suffices to distinguish text from background.
const (
	inkRows = 9  // rows of points in the height of a tag
	inkStep = 24 // minimum difference of brightness between neighbors, 0..255; less is a gradient or noise
)

// inked returns the share of points in r that lie on edges, 0..1; in text it is about a third. It
// ignores rows of points with mostly edges, because those are lines or borders, which a tag may
// cross.
func (p *placer) inked(r image.Rectangle) float64 {
	step := max(r.Dy()/inkRows, 1)
	total, points := 0, 0
	for y := r.Min.Y; y < r.Max.Y; y += step {
		edges, columns := 0, 0
		for x := r.Min.X; x < r.Max.X; x += step {
			columns++
			if p.edgeAt(x, y) {
				edges++
			}
		}
		points += columns
		if 4*edges < 3*columns {
			total += edges
		}
	}
	return float64(total) / float64(points)
}

// edgeAt reports whether the pixel at (x,y) differs from its right or lower neighbor.
func (p *placer) edgeAt(x, y int) bool {
	here := p.grey(x, y)
	return differ(here, p.grey(min(x+1, p.screen.Rect.Max.X-1), y)) ||
		differ(here, p.grey(x, min(y+1, p.screen.Rect.Max.Y-1)))
}

// grey returns the brightness of a pixel, 0..255.
func (p *placer) grey(x, y int) int {
	px := p.screen.Pix[p.screen.PixOffset(x, y):]
	return (2*int(px[0]) + 5*int(px[1]) + int(px[2])) / 8
}

// differ reports whether two brightnesses differ enough for the edge of a letter.
func differ(a, b int) bool { return a-b >= inkStep || b-a >= inkStep }
