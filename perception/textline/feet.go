package textline

// feet lists letters by the corner at the left end of their bottom.
type feet map[corner][]component

// A letter beside a stroke shows that the stroke is a letter too. All values but tallStroke are in
// heights of the stroke.
const (
	besideStroke = 0.7  // maximum gap between them; another stroke may be in it, as in "list"
	leastBeside  = 0.5  // minimum height of the letter: an a beside an l
	mostBeside   = 1.2  // maximum height of the letter
	footOff      = 0.06 // maximum difference of their bottoms: an o reaches below the line
	tallStroke   = 200  // maximum pixels of the stroke's height
)

// feetOf lists the glyphs that are wider than strokes. It excludes strokes because the two sides of
// a frame have the same bottom too.
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

// beside reports whether a letter is close beside a stroke, on the same baseline. The side of a
// frame ends below the text inside the frame.
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

// cornerSize is the maximum distance, in pixels, between the ends of the two sides of a round
// corner.
const cornerSize = 12

// cornerOver is how many pixels the level side of a frame may begin beyond its upright side, or the
// reverse. A letter inside a row begins further in, and a letter beside the row further out.
const cornerOver = 2

// corner is a square of the screen with sides of cornerSize pixels. Ends of level rules are found
// by it.
type corner struct{ x, y int }

// cornerAt returns the corner that contains a point of the screen, in pixels.
func cornerAt(x, y int) corner { return corner{x / cornerSize, y / cornerSize} }
