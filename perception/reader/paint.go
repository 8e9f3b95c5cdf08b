package reader

import (
	"image"
	"slices"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// What the pixels of one text have in common, as parts of how far its ink is from its ground: most of them lie between
// the two, as smooth edges do, but for what compression and subpixels add.
const (
	inkLeast    = 0.3  // a pixel further from the ground than this is ink
	offLine     = 0.25 // a pixel further from the line between the two colors than this is of another color
	pastInk     = 1.3  // so is one further along the line
	pastPaper   = -0.25
	mostColored = 0.2  // how many of the ink's pixels may be of other colors
	inkShare    = 0.03 // the color of ink is that of as many of a box's pixels, those that are furthest from the ground
	around      = 2    // pixels of ground around a box
)

// isOneInk reports whether a box has one color of ink on one ground, as text has: icons, photographs and drawings have
// several.
func isOneInk(screen *image.NRGBA, box image.Rectangle) bool {
	box = box.Inset(-around).Intersect(screen.Rect)
	ground := groundOf(screen, box)
	var far [256]int
	each(screen, box, func(c color3) { far[int(c.sub(ground).most())]++ })
	reach, left := 255, int(inkShare*float64(box.Dx()*box.Dy()))
	for ; reach > 0 && left >= far[reach]; reach-- {
		left -= far[reach]
	}
	var ink color3
	n := 0.0
	each(screen, box, func(c color3) {
		if int(c.sub(ground).most()) >= reach {
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
		if float64(d.most()) > inkLeast*float64(reach) {
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

// groundOf returns the color that most pixels of a box are near to.
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

// color3 is red, green and blue, from 0 to 255.
type color3 [3]float64

func (c color3) add(o color3) color3     { return color3{c[0] + o[0], c[1] + o[1], c[2] + o[2]} }
func (c color3) sub(o color3) color3     { return color3{c[0] - o[0], c[1] - o[1], c[2] - o[2]} }
func (c color3) times(by float64) color3 { return color3{c[0] * by, c[1] * by, c[2] * by} }
func (c color3) dot(o color3) float64    { return c[0]*o[0] + c[1]*o[1] + c[2]*o[2] }
func (c color3) most() float64           { return max(c[0], -c[0], c[1], -c[1], c[2], -c[2]) }

// each calls use with the pixels of a box.
func each(screen *image.NRGBA, box image.Rectangle, use func(color3)) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p := screen.Pix[screen.PixOffset(x, y):]
			use(color3{float64(p[0]), float64(p[1]), float64(p[2])})
		}
	}
}

// certainScript is how sure one row of a script must be for its others to be believed. Letters of a script come on a screen
// by the row; wallpaper, half-covered rows and icons look a little like one, each for itself.
const certainScript = 0.95

// withoutFalseScripts leaves out rows that are of no script, though the network took them for one that it does not know.
func withoutFalseScripts(rows []perception.Row, screen *image.NRGBA) []perception.Row {
	rows = slices.DeleteFunc(rows, func(r perception.Row) bool { return r.Script != "" && !isOneInk(screen, r.Box) })
	certain := map[sdkapi.Script]bool{}
	for _, r := range rows {
		certain[r.Script] = certain[r.Script] || r.Confidence >= certainScript
	}
	return slices.DeleteFunc(rows, func(r perception.Row) bool { return r.Script != "" && !certain[r.Script] })
}
