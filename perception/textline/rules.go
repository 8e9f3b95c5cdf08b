package textline

import (
	"context"
	"encoding/binary"
	"image"
	"slices"

	"github.com/windieos/windie/internal/fair"
)

// An edge this long and straight is a rule, a frame or an underline, and not part of a glyph. A
// shorter edge is a side of a tile if it meets edges at both ends that are tileSides times as long.
// All sizes are in pixels; see largeLetters.
const (
	ruleWidth  = 72
	ruleHeight = 64
	// maximum rows that a rule misses where others cross it
	ruleGap       = 3
	touchGap      = 6  // maximum columns that a rule misses where letters touch it
	letterGap     = 16 // maximum rows that a rule misses beside a letter that touches it
	straightPiece = 24 // minimum pixels of a rule's piece between those
	softPiece     = 6  // minimum rows of a soft edge beside a rule
	joinedPiece   = 18 // minimum pixels of a long piece of a broken rule
	joinedPart    = 85 // minimum percent of a broken rule that its pieces cover
	// minimum length of the pieces beside a gap, in gaps, if the gap is larger than ruleGap
	joinedGap  = 5
	tileHeight = 10
	tileSides  = 2
)

// The sizes above apply if the median height of all components is at most largeLetters. If it is
// more, for example on an enlarged screen, a dash or the bar of a letter is as long as a rule
// elsewhere. Then the sizes are multiplied by the median height over smallLetters. Both are in
// pixels.
const (
	largeLetters = 24
	smallLetters = 12
)

// rules are long straight edges: the sides of frames and tiles, and the lines between cells.
type rules struct {
	screen  *image.NRGBA
	scale   float64     // factor for the sizes above, from 1
	level   []stretches // by rows
	upright []stretches // by columns
	touched []stretches // by columns: the rows where letters touch upright rules, which do not hide them
	broken  []broken    // level edges that are straight in parts
	struck  []struck    // lines through text: they are rules except where letters cross them
}

// stretch is a part of a row or column with a straight edge. Both ends are included.
type stretch struct {
	from, to int32
	rule     bool // false: it is straight, but may be short
	soft     bool // it is beside a rule and part of its soft edge
}

type stretches []stretch

// length returns the number of pixels of a stretch, both ends included.
func (s stretch) length() int32 { return s.to - s.from + 1 }

// rules returns the stretches that are rules or parts of one, in the same memory.
func (list stretches) rules() stretches {
	return slices.DeleteFunc(list, func(s stretch) bool { return !s.rule && !s.soft })
}

// has reports whether a stretch covers a position.
func (list stretches) has(at int32) bool {
	for i := range list {
		if s := &list[i]; s.from <= at && at <= s.to {
			return true
		}
	}
	return false
}

// px scales a size to the letters of the screen, and rounds it to pixels.
func (f *rules) px(size float64) int32 { return int32(f.scale*size + 0.5) }

// findRules returns the rules among the runs of a screen, which must be sorted by rows. scale
// multiplies the sizes; it is above 1 for large letters.
func findRules(screen *image.NRGBA, runs []run, scale float64) *rules {
	width, height := int32(0), int32(0)
	for _, r := range runs {
		width, height = max(width, r.x1), max(height, r.y+1)
	}
	f := &rules{screen: screen, scale: scale, level: make([]stretches, height), upright: make([]stretches, width), touched: make([]stretches, width)}
	f.findLevel(runs)
	f.findUpright(runs)
	for y, list := range f.level {
		for i := range list {
			s := &list[i]
			s.rule = s.rule || f.endsAt(s.from, int32(y)) && f.endsAt(s.to, int32(y))
		}
		f.level[y] = list.rules()
	}
	return f
}

// findLevel finds the level edges. Letters or other edges that touch an edge may break it.
func (f *rules) findLevel(runs []run) {
	gap, piece, width := f.px(touchGap), f.px(straightPiece), f.px(ruleWidth)
	for from := 0; from < len(runs); {
		to, straight := from, int32(0)
		for ; to < len(runs) && (to == from || runs[to].y == runs[from].y && runs[to].x0-runs[to-1].x1 <= gap); to++ {
			if n := runs[to].x1 - runs[to].x0; n >= piece && f.isLevel(&runs[to]) {
				straight += n
			}
		}
		s := stretch{from: runs[from].x0, to: runs[to-1].x1 - 1}
		if straight > 0 && 10*straight >= 6*s.length() {
			s.rule = straight >= width
			f.level[runs[from].y] = append(f.level[runs[from].y], f.interrupted(runs[from:to], s)...)
		}
		if s.length() >= width {
			f.broken = append(f.broken, broken{s, runs[from].y})
		}
		from = to
	}
}

// interrupted returns the pieces of the stretch of a row's runs, without the words inside it and
// after it. The title of a frame is such a word.
func (f *rules) interrupted(runs []run, s stretch) (pieces []stretch) {
	least := f.px(straightPiece)
	var line *run               // the last straight run
	from, end := s.from, s.from // where the piece begins, and where the last straight run ends
	cut := func(beside *run, x int32) {
		if a, b := f.title(beside, end, x); b-a >= f.px(leastTitle) {
			if line != nil || a > end {
				pieces = append(pieces, stretch{from: from, to: a - 1, rule: s.rule})
			}
			from = b
		}
	}
	for i := range runs {
		if r := &runs[i]; r.x1-r.x0 >= least && f.isLevel(r) {
			cut(r, r.x0)
			line, end = r, r.x1
		}
	}
	if cut(line, s.to+1); from > s.to {
		return pieces
	}
	s.from = from
	return append(pieces, s)
}

const (
	leastTitle = 12 // minimum pixels of a word in a line
	lineAside  = 5  // pixels from a thin line to the points that show its ground
	// at least this part of a word's width has no edge at the height of the line: a sixth
	titleGround = 6
)

// title returns where the widest word is between x0 and x1 in the row of a straight edge. The edge
// is interrupted there, and the ground shows between the letters. If there is no word, both
// results are equal.
func (f *rules) title(line *run, x0, x1 int32) (from, to int32) {
	x, y := (line.x0+line.x1)/2, line.y
	if x1-x0 < f.px(leastTitle) || y < lineAside || y+1+lineAside >= int32(f.screen.Rect.Dy()) {
		return x0, x0
	}
	over, under := f.at(x, y), f.at(x, y+1)
	isOver, isUnder := alike(f.at(x, y-lineAside), over), alike(f.at(x, y+1+lineAside), under)
	from, to = x0, x0
	at, ground := x0, int32(0) // where the current word begins, and its pixels of ground
	for x := x0; x <= x1; x++ {
		p, q := f.at(x, y), f.at(x, y+1)
		if x == x1 || alike(p, over) && alike(q, under) {
			if x-at > to-from && titleGround*ground >= x-at {
				from, to = at, x
			}
			at, ground = x+1, 0
			continue
		}
		// letters that touch a thin line have its colour
		isLine := !isUnder && alike(p, under) || !isOver && alike(p, over)
		if alike(p, q) && !isLine {
			ground++
		}
	}
	return from, to
}

// alike reports whether two pixels differ by at most threshold in each colour channel.
func alike(p, q uint32) bool { return !differ(p, q) }

// at returns a pixel in the byte order of memory, for alike and differ. The pixel must be inside the screen.
func (f *rules) at(x, y int32) uint32 {
	return binary.LittleEndian.Uint32(f.screen.Pix[int(y)*f.screen.Stride+4*int(x):])
}

// turns is the maximum percentage of neighbouring pixels that differ along a straight edge. Along
// the edges of adjacent letters more differ. cutTurns is the maximum on the far side of an edge
// that cuts letters off: more differ on the side of the letters.
const (
	turns    = 35
	cutTurns = 4
)

// isLevel reports whether a run is a straight edge between the row above and the row below it.
func (f *rules) isLevel(r *run) bool {
	return f.turnsAlong(r, r.y, turns) || f.turnsAlong(r, r.y+1, cutTurns)
}

// turnsAlong reports whether at most part percent of the neighbouring pixels in row y differ along
// a run.
func (f *rules) turnsAlong(r *run, y int32, part int32) bool {
	row := f.screen.Pix[int(y)*f.screen.Stride:]
	n := int32(0)
	for x := r.x0; x+1 < r.x1; x++ {
		if differ(binary.LittleEndian.Uint32(row[4*x:]), binary.LittleEndian.Uint32(row[4*x+4:])) {
			n++
		}
	}
	return 100*n <= part*(r.x1-r.x0)
}

// findUpright finds the upright rules.
func (f *rules) findUpright(runs []run) {
	open := make([]stretch, len(f.upright)) // the current edge of each column
	height, tile, soft := f.px(ruleHeight), f.px(tileHeight), f.px(softPiece)
	end := func(x int32) {
		s := open[x]
		s.rule = s.length() >= height || s.length() >= tile && f.meets(x, s.from, s.length()) && f.meets(x, s.to, s.length()) && f.reaches(x, s)
		if s.length() >= soft {
			f.upright[x] = append(f.upright[x], s)
		}
	}
	for x := range open {
		open[x] = stretch{from: 0, to: -2 - ruleGap}
	}
	for _, r := range runs {
		for x := r.x0; x < r.x1; x++ {
			s := &open[x]
			if s.to+1 != r.y && !f.goesOn(x, s.to, r.y) {
				end(x)
				s.from = r.y
			}
			s.to = r.y
		}
	}
	for x := range open {
		end(int32(x))
	}
	for x := range f.upright {
		f.join(int32(x), height)
		f.extend(int32(x), tile, f.px(letterGap))
		for _, s := range f.upright[x] {
			if s.rule {
				f.touched[x] = append(f.touched[x], f.touching(int32(x), s, 1)...)
				letters := f.touching(int32(x), s, 2)
				f.widen(x-1, s, letters)
				f.widen(x+1, s, letters)
			}
		}
	}
	for x, list := range f.upright {
		f.upright[x] = list.rules()
	}
}

// extend makes rules of the pieces at x that are at least height long and continue a rule behind a
// gap. The colours beside the piece and beside the rule must be the same. Letters that touch the
// rule cause the gap.
func (f *rules) extend(x, height, gap int32) {
	list := f.upright[x]
	goesOn := func(s, rule *stretch, away int32) bool {
		return s.rule || rule.rule && s.length() >= height && away <= gap && f.partAlike(x, *s, *rule)
	}
	for i := 1; i < len(list); i++ {
		list[i].rule = goesOn(&list[i], &list[i-1], list[i].from-list[i-1].to)
	}
	for i := len(list) - 2; i >= 0; i-- {
		list[i].rule = goesOn(&list[i], &list[i+1], list[i+1].from-list[i].to)
	}
}

// partAlike reports whether two stretches of an edge at x separate about the same colours. A letter
// and a rule above it do not.
func (f *rules) partAlike(x int32, a, b stretch) bool {
	for column := x; column <= x+1; column++ {
		p, isP := f.commonest(column, a)
		q, isQ := f.commonest(column, b)
		if isP && isQ && differ(p, q) {
			return false
		}
	}
	return true
}

// widen marks the pieces of a column beside a rule as soft, except the strokes of letters. A
// blurred edge is several pixels wide, and letters that touch it break it.
func (f *rules) widen(x int, rule stretch, letters stretches) {
	if x < 0 || x >= len(f.upright) {
		return
	}
	for i := range f.upright[x] {
		if s := &f.upright[x][i]; s.from >= rule.from && s.to <= rule.to && !letters.has((s.from+s.to)/2) {
			s.soft = true
		}
	}
}

// Limits for letters that share an edge with a block because they touch its side, for example at
// the edge of a terminal.
const (
	leastTouch = 4  // minimum rows on which a letter touches a rule
	mostTouch  = 16 // maximum rows; a caret touches it on more
	touchWide  = 16 // maximum pixels of a letter beside the rule
)

// touching returns the rows where strokes of letters touch a rule at x from one side. pixels is the
// number of columns that it compares on each side. It returns nil if one of the columns has no common
// colour.
func (f *rules) touching(x int32, rule stretch, pixels int32) (letters stretches) {
	if x+1 < pixels || int(x+pixels) >= f.screen.Rect.Dx() {
		return nil
	}
	var colours [4]uint32 // of the compared columns, from the left
	for i := range 2 * pixels {
		var ok bool
		if colours[i], ok = f.commonest(x+1-pixels+i, rule); !ok {
			return nil
		}
	}
	// the current rows have a stroke on the same side: -1, 1, or 0 without one
	from, last := rule.from, int32(0)
	for y := rule.from; y <= rule.to+1; y++ {
		side := int32(0)
		if y <= rule.to {
			side = f.stroke(x, y, colours[:pixels], colours[pixels:2*pixels])
		}
		if side == last {
			continue
		}
		if n := y - from; last != 0 && n >= f.px(leastTouch) && n <= f.px(mostTouch) {
			letters = append(letters, stretch{from: from, to: y - 1})
		}
		from, last = y, side
	}
	return letters
}

// stroke returns the side of x on which a stroke begins in row y: -1 for left, 1 for right, 0
// without a stroke. left and right are the usual colours of the columns beside x.
func (f *rules) stroke(x, y int32, left, right []uint32) int32 {
	n := int32(len(left))
	onLeft, onRight := false, false
	for i := range n {
		onLeft = onLeft || differ(f.at(x+1-n+i, y), left[i])
		onRight = onRight || differ(f.at(x+1+i, y), right[i])
	}
	ground, side, from := right[n-1], int32(1), x+n
	switch {
	case onLeft == onRight:
		return 0
	case onLeft:
		ground, side, from = left[0], -1, x+1-n
	}
	for range f.px(touchWide) {
		if from += side; from < 0 || from >= int32(f.screen.Rect.Dx()) {
			return 0
		}
		if alike(f.at(from, y), ground) {
			return side
		}
	}
	return 0
}

// commonest returns the colour of more than half of the pixels in a column along a stretch. The
// second result is false if there is no such colour.
func (f *rules) commonest(x int32, s stretch) (colour uint32, is bool) {
	n := int32(0)
	for y := s.from; y <= s.to; y++ {
		switch p := f.at(x, y); {
		case n == 0:
			colour, n = p, 1
		case p == colour:
			n++
		default:
			n--
		}
	}
	n = 0
	for y := s.from; y <= s.to; y++ {
		if f.at(x, y) == colour {
			n++
		}
	}
	return colour, 2*n > s.length()
}

// goesOn reports whether an upright edge that ended at row last continues at row y. Only level
// edges that cross it may be between.
func (f *rules) goesOn(x, last, y int32) bool {
	if y-last > 1+ruleGap {
		return false
	}
	for row := last + 1; row < y; row++ {
		if !slices.ContainsFunc(f.level[row], func(s stretch) bool { return s.from <= x && x <= s.to }) {
			return false
		}
	}
	return true
}

// meets reports whether an upright edge of the given length ends at a level edge that is at least
// tileSides times as long.
func (f *rules) meets(x, y, length int32) bool {
	for row := max(0, y-1); row <= y+1 && int(row) < len(f.level); row++ {
		for _, s := range f.level[row] {
			if s.length() >= tileSides*length && s.from-2 <= x && x <= s.to+2 {
				return true
			}
		}
	}
	return false
}

// reaches reports whether an upright edge separates left from right up to the level edges at both
// ends. A letter between these edges, whose blur touches them, does not.
func (f *rules) reaches(x int32, s stretch) bool {
	from, to := s.from, s.to
	for i := range min(lineWidth, s.length()/2) {
		if f.level[s.from+i].has(x) {
			from = s.from + i + 1
		}
		if f.level[s.to-i].has(x) {
			to = s.to - i - 1
		}
	}
	return differ(f.at(x, from), f.at(x+1, from)) && differ(f.at(x, to), f.at(x+1, to))
}

// endsAt reports whether a level edge ends at an upright rule.
func (f *rules) endsAt(x, y int32) bool {
	for column := max(0, x-2); column <= x+2 && int(column) < len(f.upright); column++ {
		for at := y - 2; at <= y+2; at++ {
			if f.upright[column].has(at) {
				return true
			}
		}
	}
	return false
}

// ruledRuns is how many runs one task of without handles.
const ruledRuns = 4096

// without returns the runs without rules. After ctx ends the result is incomplete.
func (f *rules) without(ctx context.Context, runs []run) []run {
	parts := make([][]run, (len(runs)+ruledRuns-1)/ruledRuns)
	_ = fair.Each(ctx, len(parts), func(i int) { // the caller checks ctx
		parts[i] = f.withoutIn(runs[i*ruledRuns : min(len(runs), (i+1)*ruledRuns)])
	})
	return f.joined(slices.Concat(parts...))
}

// withoutIn returns the given runs without rules.
func (f *rules) withoutIn(runs []run) []run {
	out := make([]run, 0, len(runs)+len(runs)/8)
	for _, r := range runs {
		from := r.x0
		level := f.level[r.y]
		for x := r.x0; x < r.x1; x++ {
			if level.has(x) || f.upright[x].has(r.y) && !f.touched[x].has(r.y) {
				if x > from {
					out = append(out, run{y: r.y, x0: from, x1: x})
				}
				from = x + 1
			}
		}
		if from < r.x1 {
			out = append(out, run{y: r.y, x0: from, x1: r.x1})
		}
	}
	return out
}

// part reports whether an upright rule separates box a from box b, right of it, and is longer than
// both are high.
func (f *rules) part(a, b image.Rectangle) bool {
	top, bottom := max(a.Min.Y, b.Min.Y), min(a.Max.Y, b.Max.Y)
	middle, height := int32(top+bottom)/2, int32(max(a.Dy(), b.Dy()))
	for x := max(0, min(a.Max.X, b.Min.X)-2); x <= max(a.Max.X, b.Min.X) && x < len(f.upright); x++ {
		for _, s := range f.upright[x] {
			if s.rule && s.from <= middle && middle <= s.to && s.length() > height+2 {
				return true
			}
		}
	}
	return false
}

// join makes rules of the pieces in a column that together are at least height long with few gaps,
// such as box-drawing characters. At least a third of the length must be long pieces: the
// strokes of letters below each other are shorter. Most pieces must not be brackets, which have
// feet. The colours along the edge must be few, unlike noise.
func (f *rules) join(x, height int32) {
	list, least, gap := f.upright[x], f.px(joinedPiece), f.px(ruleGap)
	for i := 0; i < len(list); {
		end, sum, long := i, int32(0), int32(0)
		for ; end < len(list); end++ {
			n := list[end].length()
			if end > i && list[end].from-list[end-1].to-1 > max(gap, min(n, list[end-1].length())/joinedGap) {
				break
			}
			sum += n
			if n >= least {
				long += n
			}
		}
		span := list[end-1].to - list[i].from + 1
		if span >= height && 100*sum >= joinedPart*span && 3*long >= span && f.isUpright(x, list[i].from, list[end-1].to) && !f.areBrackets(x, list[i:end]) {
			for k := i; k < end; k++ {
				list[k].rule = true
			}
		}
		i = end
	}
}

// A bracket has feet: ink beside both ends of its stroke.
const (
	footRows   = 3 // rows at each end of the stroke in which the foot is looked for
	footBeside = 5 // the foot reaches this part of the stroke's length beside it: a fifth
	leastFoot  = 3 // minimum pixels of the foot's reach
	mostFoot   = 6 // maximum
)

// areBrackets reports whether more than half of the length of an edge's pieces at x are strokes of
// brackets.
func (f *rules) areBrackets(x int32, pieces []stretch) bool {
	brackets, all := int32(0), int32(0)
	for _, s := range pieces {
		all += s.length()
		if f.hasFeet(x, s) {
			brackets += s.length()
		}
	}
	return 2*brackets > all
}

// hasFeet reports whether a stroke has ink beside it on one side at both ends, and ground beside
// most of it.
func (f *rules) hasFeet(x int32, s stretch) bool {
	beside := min(max(s.length()/footBeside, leastFoot), mostFoot)
	for _, column := range [...]int32{x + 1 - beside, x + beside} {
		if column < 0 || int(column) >= f.screen.Rect.Dx() {
			continue
		}
		ground, ok := f.commonest(column, s)
		top, bottom := false, false
		for i := range int32(footRows) {
			top = top || differ(f.at(column, s.from+i), ground)
			bottom = bottom || differ(f.at(column, s.to-i), ground)
		}
		if ok && top && bottom {
			return true
		}
	}
	return false
}

// isUpright reports whether an edge is a straight edge between left and right. It applies the limit
// turns only on the left side of the edge.
func (f *rules) isUpright(x, from, to int32) bool {
	n, at := int32(0), int(from)*f.screen.Stride+4*int(x)
	for range to - from {
		if differ(binary.LittleEndian.Uint32(f.screen.Pix[at:]), binary.LittleEndian.Uint32(f.screen.Pix[at+f.screen.Stride:])) {
			n++
		}
		at += f.screen.Stride
	}
	return 100*n <= turns*(to-from)
}
