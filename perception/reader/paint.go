package reader

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// Colours of a text, relative to the contrast between its ink and its ground. Smooth edges lie
// between the two colours; compression and subpixel rendering add small deviations.
const (
	inkLeast = 0.3 // minimum distance from the ground of a pixel of ink
	// maximum distance from the line between the two colours; a pixel farther away has another
	// colour
	offLine     = 0.25
	pastInk     = 1.3 // maximum and minimum position along that line; 0 is the ground, 1 the ink
	pastPaper   = -0.25
	mostColored = 0.2 // maximum number of pixels of other colours, as a share of the ink's pixels
	// share of the box's pixels, those farthest from the ground, whose mean is the colour of ink
	inkShare = 0.03
	around   = 2 // pixels of ground around a box
)

// isOneInk reports whether a box has one colour of ink on one ground, like text. Icons, photographs
// and drawings have several.
func isOneInk(screen *image.NRGBA, box image.Rectangle) bool {
	box = box.Inset(-around).Intersect(screen.Rect)
	ground := groundOf(screen, box)
	var far [256]int
	each(screen, box, func(c color3) { far[int(c.sub(ground).maxChannel())]++ })
	reach, left := 255, int(inkShare*float64(box.Dx()*box.Dy()))
	for ; reach > 0 && left >= far[reach]; reach-- {
		left -= far[reach]
	}
	var ink color3
	n := 0.0
	each(screen, box, func(c color3) {
		if int(c.sub(ground).maxChannel()) >= reach {
			ink, n = ink.add(c), n+1
		}
	})
	line := ink.times(1 / max(n, 1)).sub(ground)
	length := line.dot(line)
	if length == 0 {
		return false
	}
	inked, off := 0, 0
	each(screen, box, func(c color3) {
		d := c.sub(ground)
		if float64(d.maxChannel()) > inkLeast*float64(reach) {
			inked++
		}
		along := d.dot(line) / length
		beside := d.sub(line.times(along))
		if along > pastInk || along < pastPaper || beside.dot(beside) > offLine*offLine*length {
			off++
		}
	})
	return float64(off) <= mostColored*float64(inked)
}

// groundOf returns the mean colour of the most common shade in a box.
func groundOf(screen *image.NRGBA, box image.Rectangle) color3 {
	const shades = 16
	count, sum := make([]int, shades*shades*shades), make([]color3, shades*shades*shades)
	best := 0
	each(screen, box, func(c color3) {
		k := (int(c[0])/shades*shades+int(c[1])/shades)*shades + int(c[2])/shades
		count[k]++
		sum[k] = sum[k].add(c)
		if count[k] > count[best] {
			best = k
		}
	})
	return sum[best].times(1 / float64(max(count[best], 1)))
}

// color3 has red, green and blue, each 0..255, or the difference of two such colours.
type color3 [3]float64

// add returns the sum of two colours, channel by channel.
func (c color3) add(o color3) color3 { return color3{c[0] + o[0], c[1] + o[1], c[2] + o[2]} }

// sub returns the difference of two colours, channel by channel. Channels may be negative.
func (c color3) sub(o color3) color3 { return color3{c[0] - o[0], c[1] - o[1], c[2] - o[2]} }

// times multiplies each channel by a factor.
func (c color3) times(by float64) color3 { return color3{c[0] * by, c[1] * by, c[2] * by} }

// dot returns the scalar product of two colours as vectors.
func (c color3) dot(o color3) float64 { return c[0]*o[0] + c[1]*o[1] + c[2]*o[2] }

// maxChannel returns the largest absolute value of a channel.
func (c color3) maxChannel() float64 { return max(c[0], -c[0], c[1], -c[1], c[2], -c[2]) }

// each calls use with each pixel of a box.
func each(screen *image.NRGBA, box image.Rectangle, use func(color3)) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p := screen.Pix[screen.PixOffset(x, y):]
			use(color3{float64(p[0]), float64(p[1]), float64(p[2])})
		}
	}
}

// certainScript is the minimum confidence of at least one row of a script, 0..1; without one, all
// rows of that script are discarded. Text in a script usually fills several rows. Wallpaper,
// half-covered rows and icons look only a little like a script.
const certainScript = 0.95

// withoutFalseScripts removes rows that the network wrongly took for an unknown script.
func withoutFalseScripts(rows []perception.Row, screen *image.NRGBA) []perception.Row {
	rows = slices.DeleteFunc(rows, func(r perception.Row) bool { return r.Script != "" && !isOneInk(screen, r.Box) })
	certain := map[sdkapi.Script]bool{}
	for _, r := range rows {
		certain[r.Script] = certain[r.Script] || r.Confidence >= certainScript
	}
	return slices.DeleteFunc(rows, func(r perception.Row) bool { return r.Script != "" && !certain[r.Script] })
}
