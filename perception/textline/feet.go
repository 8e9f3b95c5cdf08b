package textline

// feet lists letters by where they stand: the corner at the left end of their foot.
type feet map[corner][]component

// Which letter shows that a stroke is one too, in heights of the stroke.
const (
	besideStroke = 0.7  // the widest gap between them: another stroke may stand there, as in list
	leastBeside  = 0.5  // how high it is at least: an a beside an l
	mostBeside   = 1.2  // and at most
	footOff      = 0.06 // how far their feet are off each other: an o reaches below the line
	tallStroke   = 200  // pixels: no letter is taller
)

// feetOf lists the glyphs that are wider than strokes: the sides of a frame stand on one line too.
func feetOf(glyphs []component) feet {
	s := feet{}
	for _, k := range glyphs {
		if k.height() >= cornerSize/2 && !k.isStroke() {
			at := cornerAt(k.x0, k.y1)
			s[at] = append(s[at], k)
		}
	}
	return s
}

// beside reports whether a letter stands close beside a stroke, on the same line. The side of a frame ends below the text
// within it.
func (s feet) beside(k *component) bool {
	h := float64(k.height())
	if h > tallStroke {
		return false
	}
	gap, off := int(besideStroke*h), max(1, int(footOff*h))
	from, to := cornerAt(k.x0-gap-int(mostBeside*h), k.y1-off), cornerAt(k.x1+gap, k.y1+off)
	for y := from.y; y <= to.y; y++ {
		for x := from.x; x <= to.x; x++ {
			for i := range s[corner{x, y}] {
				o := &s[corner{x, y}][i]
				high := float64(o.height()) >= leastBeside*h && float64(o.height()) <= mostBeside*h
				near := o.x0 >= k.x1 && o.x0-k.x1 <= gap || o.x1 <= k.x0 && k.x0-o.x1 <= gap
				if high && near && o.y1 >= k.y1-off && o.y1 <= k.y1+off {
					return true
				}
			}
		}
	}
	return false
}

// cornerSize is how far the sides of a round corner end from each other, in pixels, at most.
const cornerSize = 12

// cornerOver is how far the level side of a frame may begin beyond its upright one, or the upright one beyond it, in pixels: a letter
// in a row begins further within, and one beside it further beyond.
const cornerOver = 2

// corner is a part of the screen, cornerSize a side, that the ends of level rules are found by.
type corner struct{ x, y int }

func cornerAt(x, y int) corner { return corner{x / cornerSize, y / cornerSize} }
