package overlay

import "image"

// What Options.Scale is measured in and bounded by.
const (
	referenceSide = 900 // pixels of the shorter side at scale 1
	minScale      = 0.5
	maxScale      = 16
)

// sizes are the measures of a picture's marks, in pixels.
type sizes struct {
	line   int     // thickness of a frame's colored line
	halo   int     // thickness of the edge around lines and tags
	gap    int     // between line and box
	corner float64 // radius of a frame's outer corners
	round  float64 // radius of a tag's corners
	target int     // radius of a target's ring
	em     float64 // size of the letters
	pad    int     // from the side of a tag's halo to its letters
	tag    int     // height of a tag
}

// sizesFor returns the measures for screen by its shorter side, as a long page
// is no larger screen. Letters do not shrink below scale 1.
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

// frame returns how far a frame reaches beyond its box.
func (s sizes) frame() int { return s.halo + s.line + s.gap }
