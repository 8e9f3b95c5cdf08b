package overlay

import "image"

// Unit and limits of Options.Scale.
const (
	referenceSide = 900 // pixels of the shorter side at scale 1
	minScale      = 0.5
	maxScale      = 16
)

// sizes has the measures of a picture's marks, in pixels.
type sizes struct {
	line   int     // thickness of a frame's colored line
	halo   int     // thickness of the edge around lines and tags
	gap    int     // between line and box
	corner float64 // radius of a frame's outer corners
	round  float64 // radius of a tag's corners
	target int     // radius of a target's ring
	em     float64 // size of the letters
	pad    int     // distance from the side of a tag's halo to its letters
	tag    int     // height of a tag
}

// sizesFor returns the measures for a scale; 0 selects the scale by the shorter side of the screen,
// because a long page is not a larger screen. An automatic scale is at least 1.
func sizesFor(screen image.Rectangle, scale float64) sizes {
	if scale == 0 {
		scale = max(1, float64(min(screen.Dx(), screen.Dy()))/referenceSide)
	}
	scale = min(max(scale, minScale), maxScale)
	whole := func(x float64) int { return max(1, int(x*scale+0.5)) }
	return sizes{
		line: whole(1.6), halo: whole(0.8), gap: whole(1), corner: 5 * scale, round: 4 * scale,
		target: whole(9), em: 12 * scale, pad: whole(4), tag: whole(18),
	}
}

// frame returns the distance between the outer edge of a frame and its box.
func (s sizes) frame() int { return s.halo + s.line + s.gap }
