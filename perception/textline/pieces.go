package textline

import "encoding/binary"

// join makes rules of the pieces in a column that are a height together and leave out little, as of characters that draw
// boxes. A third of it is of pieces of a least length: the strokes of letters below each other, with what parts their
// rows, are shorter, and brackets have feet; and unlike noise it is of few colours.
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

// What a bracket has beside its stroke at its ends.
const (
	footRows   = 3 // of the stroke's end, at most
	footBeside = 5 // what part of the stroke's length its foot reaches beside it: a fifth
	leastFoot  = 3 // pixels beside it, at least
	mostFoot   = 6
)

// areBrackets reports whether most of the pieces of an edge at x are strokes of brackets.
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

// hasFeet reports whether ink goes on to one side of a stroke at both of its ends, where most of it has ground beside it.
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

// isUpright reports whether an edge is of what is on its left to what is on its right, as isLevel does of a run.
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
