package textline

// A speck is what is left of grain, or of the noise of a photograph, once it was smoothed. Dots of letters are as
// small, but few of the glyphs around them.
const (
	speckSize  = 3  // pixels a side, at most
	speckReach = 1  // tiles around one whose specks count too
	leastSpeck = 24 // in these tiles
	speckTimes = 2  // as many as there are other glyphs
)

func (k *component) isSpeck() bool { return k.width() <= speckSize && k.height() <= speckSize }

// withoutSpecks leaves out the specks where there are more of them than text has dots.
func withoutSpecks(glyphs []component) []component {
	type counted struct{ specks, others int }
	count := map[tile]*counted{}
	of := func(k *component) tile { return tile{int32(k.x0 / tileSize), int32(k.y0 / tileSize)} }
	for i := range glyphs {
		at := of(&glyphs[i])
		if count[at] == nil {
			count[at] = &counted{}
		}
		if glyphs[i].isSpeck() {
			count[at].specks++
		} else {
			count[at].others++
		}
	}
	noisy := map[tile]bool{}
	for at := range count {
		var around counted
		for y := at.y - speckReach; y <= at.y+speckReach; y++ {
			for x := at.x - speckReach; x <= at.x+speckReach; x++ {
				if c := count[tile{x, y}]; c != nil {
					around.specks, around.others = around.specks+c.specks, around.others+c.others
				}
			}
		}
		noisy[at] = around.specks >= leastSpeck && around.specks >= speckTimes*around.others
	}
	kept := glyphs[:0]
	for _, k := range glyphs {
		if !k.isSpeck() || !noisy[of(&k)] {
			kept = append(kept, k)
		}
	}
	return kept
}
