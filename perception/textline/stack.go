package textline

import (
	"cmp"
	"image"
	"slices"
)

// stacked is the minimum height of a glyph that may consist of letters of several lines, in typical
// heights of its chain.
const stacked = 1.55

// unstack cuts the glyphs of a chain of several lines that touch the next line, and returns all
// glyphs of the chain. It returns nil if no glyph touches the next line.
func (c *chainer) unstack(chain []int) []int {
	typical, several := c.isSeveralLines(chain)
	if !several {
		if len(chain) > fewGlyphs {
			return nil
		}
		return c.replace(nil, chain, c.cutWords)
	}
	low, high := c.byHeight(chain, typical)
	rows := c.rows(low, typical)
	if len(high) == 0 || len(rows) < 2 {
		return c.replace(low, high, c.cutWords)
	}
	return c.replace(low, high, func(k *component) []component { return c.cut(k, rows) })
}

// replace appends the glyphs in high to out, cut to pieces, and sorts out from the left. For a
// glyph that stays whole, pieces returns nil. If all glyphs stay whole, replace returns nil.
func (c *chainer) replace(out, high []int, pieces func(k *component) []component) []int {
	cut := false
	for _, i := range high {
		pieces := pieces(&c.glyphs[i])
		if len(pieces) == 0 {
			out = append(out, i)
			continue
		}
		cut = true
		for _, k := range pieces {
			out = append(out, len(c.glyphs))
			c.glyphs, c.bg, c.parent = append(c.glyphs, k), append(c.bg, c.bg[i]), append(c.parent, 0)
		}
	}
	if !cut {
		return nil
	}
	c.sort(out)
	return out
}

// Limits for a chain that consists of little more than two words that touch, one above the other.
const (
	fewGlyphs = 4 // maximum glyphs of the chain
	// minimum edges in an average row of one of the words, for each edge in the row where they
	// touch
	bridgePart = 3
	wordPart   = 65 // maximum height of one word, in percent of the height of both
)

// cutWords cuts a glyph that consists of two words, one above the other, that touch at a few
// letters. It returns nil for any other glyph.
func (c *chainer) cutWords(k *component) []component {
	h := k.height()
	if k.label < 0 || h < 2*wordHeight || k.width() < h {
		return nil
	}
	if c.members == nil {
		c.members = c.all.byLabel()
	}
	members := c.members(k.label)
	y0 := k.y0 - 1
	at := c.thinnest(members, y0+h*2/5, y0+h*3/5)
	split, _ := slices.BinarySearchFunc(members, at, func(i int32, y int) int { return int(c.all.runs[i].y) - y })
	var edges [3]int // above the row, in the row, and below
	for _, i := range members {
		r := &c.all.runs[i]
		edges[1+cmp.Compare(int(r.y), at)] += int(r.x1 - r.x0)
	}
	if bridgePart*edges[1]*(at-y0) > edges[0] && bridgePart*edges[1]*(k.y1-1-at) > edges[2] {
		return nil
	}
	var pieces []component
	isWord := false
	for _, part := range [][]int32{members[:split], members[split:]} {
		runs := make([]run, 0, len(part))
		for _, i := range part {
			runs = append(runs, c.all.runs[i])
		}
		for _, piece := range connect(c.ctx, runs).list {
			piece.label = -1 // it is not cut again
			isWord = isWord || piece.isWord()
			if 100*piece.height() > wordPart*h {
				return nil
			}
			if !piece.box().Empty() {
				pieces = append(pieces, piece)
			}
		}
	}
	if !isWord {
		return nil
	}
	return pieces
}

// isSeveralLines returns the typical height of a chain's glyphs, and whether the chain is too high
// for one line of them.
func (c *chainer) isSeveralLines(chain []int) (typical int, is bool) {
	typical = c.typicalHeight(chain)
	return typical, float64(c.extent(chain, 0).Dy()) >= 1.9*float64(typical)
}

// bridging has minimum heights of a glyph that may be beside several lines, in typical heights of
// its chain. unbridge tries the largest first, to remove as few glyphs as possible.
var bridging = []float64{2, stacked, 1.25}

// unbridge separates the glyphs that are beside several lines of a chain, such as an icon beside
// two lines. It returns nil if there are none.
func (c *chainer) unbridge(chain []int) (lines, bridges []int) {
	typical, several := c.isSeveralLines(chain)
	if !several {
		return nil, nil
	}
	for _, higher := range bridging {
		var low []int
		for _, i := range chain {
			if float64(c.glyphs[i].height()) <= higher*float64(typical) {
				low = append(low, i)
			}
		}
		if len(low) >= 2 && len(low) < len(chain) {
			lines, bridges = c.between(chain, c.stackedLines(low, typical))
		}
		if len(lines) > 0 && len(bridges) > 0 {
			return lines, bridges
		}
	}
	return nil, nil
}

// between separates the glyphs that are beside both lines of a pair, and the glyphs inside them,
// from the other glyphs of a chain. It returns nil for more than maxStacked such glyphs.
func (c *chainer) between(chain []int, pairs [][2]image.Rectangle) (lines, bridges []int) {
	for _, i := range chain {
		box := c.glyphs[i].box()
		bridge := slices.ContainsFunc(pairs, func(p [2]image.Rectangle) bool { return spans(box, p[0]) && spans(box, p[1]) })
		within := slices.ContainsFunc(bridges, func(k int) bool { return box.In(c.glyphs[k].box()) })
		if !bridge && !within {
			lines = append(lines, i)
			continue
		}
		if bridges = append(bridges, i); len(bridges) > maxStacked {
			return nil, nil
		}
	}
	return lines, bridges
}

// spans reports whether a box covers at least 40 percent of a line's height.
func spans(box, line image.Rectangle) bool {
	return 5*(min(box.Max.Y, line.Max.Y)-max(box.Min.Y, line.Min.Y)) >= 2*line.Dy()
}

// unrow splits a chain of several lines into the lines. Glyphs too high for one line are an
// additional last part. It returns nil if the chain is one line or its lines overlap.
func (c *chainer) unrow(chain []int) (parts [][]int) {
	typical, several := c.isSeveralLines(chain)
	if !several {
		return nil
	}
	low, high := c.byHeight(chain, typical)
	rows := c.rows(low, typical)
	for n := 1; n < len(rows); n++ {
		if rows[n].y0 < rows[n-1].y1-1 {
			return nil
		}
	}
	if len(rows) < 2 {
		return nil
	}
	parts = make([][]int, len(rows))
	for _, i := range low {
		g, n := &c.glyphs[i], 0
		for n+1 < len(rows) && g.y0+g.y1 > rows[n].y1+rows[n+1].y0 {
			n++
		}
		parts[n] = append(parts[n], i)
	}
	if len(high) > 0 {
		parts = append(parts, high)
	}
	return parts
}

// byHeight splits a chain into the glyphs that fit into one line and those that are higher.
func (c *chainer) byHeight(chain []int, typical int) (low, high []int) {
	for _, i := range chain {
		if float64(c.glyphs[i].height()) > stacked*float64(typical) {
			high = append(high, i)
		} else {
			low = append(low, i)
		}
	}
	return low, high
}

// hanging is the minimum distance from the baseline down to a glyph of the next line, in typical
// heights of the chain. An example is a quote that link took for a mark under a g.
const hanging = 0.6

// unhang separates the glyphs that begin far below the baseline of a chain. It returns nil if there
// are none.
func (c *chainer) unhang(chain []int) (line, below []int) {
	typical, tallest := c.typicalHeight(chain), 0
	for _, i := range chain {
		tallest = max(tallest, c.glyphs[i].height())
	}
	// the bottoms of letters; marks do not count, because a line may have more quotes than letters
	var feet []int
	for _, i := range chain {
		if g := &c.glyphs[i]; 4*g.height() >= 3*tallest {
			feet = append(feet, g.y1)
		}
	}
	if len(feet) == 0 {
		return nil, nil
	}
	slices.Sort(feet)
	low := feet[(len(feet)-1)/2] + int(hanging*float64(typical)+0.5)
	for _, i := range chain {
		if g := &c.glyphs[i]; g.y0 < low || g.isDash() { // an underscore is as low
			line = append(line, i)
		} else {
			below = append(below, i)
		}
	}
	if len(below) == 0 {
		return nil, nil
	}
	return line, below
}

// maxStacked is the maximum number of lines beside icons, with separate words counted, and the
// maximum number of pieces of icons. More are texture. The limit bounds the work, because
// stackedLines compares each with each.
const maxStacked = 64

// stackedLines returns the pairs of lines of which the first is right above the second. It returns
// nil for more than maxStacked lines.
func (c *chainer) stackedLines(glyphs []int, typical int) (pairs [][2]image.Rectangle) {
	c.link(glyphs)
	byRoot := map[int32]image.Rectangle{}
	for _, i := range glyphs {
		root := c.root(int32(i))
		byRoot[root] = byRoot[root].Union(c.glyphs[i].box())
	}
	if len(byRoot) > maxStacked {
		return nil
	}
	for _, a := range byRoot {
		for _, b := range byRoot {
			apart := a.Max.Y <= b.Min.Y+b.Dy()/4 && min(a.Dy(), b.Dy()) > minGlyphHeight
			shared := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
			if apart && 2*shared >= min(a.Dx(), b.Dx()) && min(a.Dx(), b.Dx()) >= typical {
				pairs = append(pairs, [2]image.Rectangle{a, b})
			}
		}
	}
	return pairs
}

// typicalHeight returns the median height of a chain's glyphs, without marks. Strokes count only if
// there are no other letters. Dots count only if there are fewer than two other glyphs and no
// letters that touch.
func (c *chainer) typicalHeight(chain []int) int {
	tallest, written := 0, false
	for _, i := range chain {
		tallest, written = max(tallest, c.glyphs[i].height()), written || c.glyphs[i].isWord()
	}
	var heights, strokes, dots []int
	for _, i := range chain {
		g := &c.glyphs[i]
		dash := g.isDash() && 3*g.height() <= tallest
		switch h := g.height(); {
		case h < minGlyphHeight || dash || 5*h <= tallest:
		case g.isDot() && 3*h <= tallest: // or a small letter beside an icon
			dots = append(dots, h)
		case g.isStroke():
			strokes = append(strokes, h)
		default:
			heights = append(heights, h)
		}
	}
	if len(heights)+len(strokes) < 2 && !written {
		heights = append(heights, dots...)
	}
	if len(heights) == 0 {
		heights, strokes = strokes, nil
	}
	if len(heights)+len(strokes) < 2 {
		return tallest
	}
	slices.Sort(heights)
	return heights[(len(heights)-1)/2]
}

// level is the rows of pixels that a line covers, from y0 up to but not including y1.
type level struct{ y0, y1 int }

// rows returns the lines of glyphs from the top. A line has at least two glyphs.
func (c *chainer) rows(glyphs []int, typical int) []level {
	middle := func(i int) int { return c.glyphs[i].y0 + c.glyphs[i].y1 }
	var list []int
	for _, i := range glyphs {
		if 2*c.glyphs[i].height() >= typical {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(i, j int) int { return middle(i) - middle(j) })
	var out []level
	for n := 0; n < len(list); {
		end := n + 1
		for end < len(list) && middle(list[end])-middle(list[end-1]) < typical && middle(list[end])-middle(list[n]) < 2*typical {
			end++
		}
		l := level{c.glyphs[list[n]].y0, c.glyphs[list[n]].y1}
		for _, i := range list[n:end] {
			l = level{min(l.y0, c.glyphs[i].y0), max(l.y1, c.glyphs[i].y1)}
		}
		if end-n >= 2 {
			out = append(out, l)
		}
		n = end
	}
	return out
}

// cut returns the pieces of a glyph, one or more for each line that it covers. It returns nil if
// the glyph covers fewer than two lines.
func (c *chainer) cut(k *component, rows []level) []component {
	on := slices.DeleteFunc(slices.Clone(rows), func(l level) bool { return min(l.y1, k.y1)-max(l.y0, k.y0) < -1 })
	if len(on) < 2 || k.label < 0 {
		return nil
	}
	if c.members == nil {
		c.members = c.all.byLabel()
	}
	members := c.members(k.label)
	var pieces []component
	from := 0
	for n := range on {
		end := len(members)
		if n+1 < len(on) {
			at := c.thinnest(members, min(on[n].y1, on[n+1].y0)-1, min(max(on[n].y1, on[n+1].y0), k.y1-2))
			end, _ = slices.BinarySearchFunc(members, at, func(i int32, y int) int { return int(c.all.runs[i].y) - y })
		}
		if from < end {
			runs := make([]run, 0, end-from)
			for _, i := range members[from:end] {
				runs = append(runs, c.all.runs[i])
			}
			for _, piece := range connect(c.ctx, runs).list {
				piece.label = -1 // it is not cut again
				if !piece.box().Empty() {
					pieces = append(pieces, piece)
				}
			}
		}
		from = end
	}
	return pieces
}

// thinnest returns the row from y0 to y1 in which a component has the fewest edges. members are the
// indices of its runs.
func (c *chainer) thinnest(members []int32, y0, y1 int) int {
	count := make([]int32, max(0, y1-y0)+1)
	for _, i := range members {
		if r := &c.all.runs[i]; int(r.y) >= y0 && int(r.y) < y0+len(count) {
			count[int(r.y)-y0] += r.x1 - r.x0
		}
	}
	best := 0
	for i, n := range count {
		if n < count[best] {
			best = i
		}
	}
	return y0 + best
}
