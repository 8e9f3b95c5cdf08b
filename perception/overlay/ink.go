package overlay

import "image"

// Looking at some points of a spot is enough to distinguish text from background.
const (
	inkRows = 9  // of points in the height of a tag
	inkStep = 24 // of 255, between neighbors; less is a gradient or noise
)

// inked returns the share of points in r on edges, a third in text. A row of
// mostly edges is a line or a border, which a tag may cross.
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

// edgeAt reports whether the pixel at (x,y) differs from the next one right or down.
func (p *placer) edgeAt(x, y int) bool {
	here := p.grey(x, y)
	return differ(here, p.grey(min(x+1, p.screen.Rect.Max.X-1), y)) ||
		differ(here, p.grey(x, min(y+1, p.screen.Rect.Max.Y-1)))
}

// grey returns the brightness of a pixel, 0 to 255.
func (p *placer) grey(x, y int) int {
	px := p.screen.Pix[p.screen.PixOffset(x, y):]
	return (2*int(px[0]) + 5*int(px[1]) + int(px[2])) / 8
}

func differ(a, b int) bool { return a-b >= inkStep || b-a >= inkStep }
