package textline

// A speck is a remainder of grain, or of the noise of a photograph, after smoothing. Dots of
// letters are as small, but they are few among the glyphs around them.
const (
	speckSize  = 3  // maximum pixels of each side
	speckReach = 1  // tiles around a tile whose specks count too
	leastSpeck = 24 // minimum specks in these tiles
	speckTimes = 2  // minimum specks for each other glyph
)

// isSpeck reports whether a component is as small as a speck. It may also be the dot of a letter.
func (k *component) isSpeck() bool { return k.width() <= speckSize && k.height() <= speckSize }

// withoutSpecks removes the specks of the tiles in which they are more than the dots of a text.
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

// A tile is a square of the screen. In a tile, text has no more glyphs than 5-pixel letters with
// dots. It also leaves two of five pixels without an edge, unlike photographs and noise.
const (
	tileSize      = 64
	tileMaxGlyphs = 150
	tileMaxEdges  = tileSize * tileSize * 3 / 5
)

type tile struct{ x, y int32 }

// edgesByTile counts the pixels of edges in each tile.
func edgesByTile(runs []run) map[tile]int32 {
	edges := map[tile]int32{}
	var row []int32 // edge pixels in each tile of the current row of tiles
	at := int32(0)
	add := func() {
		for x, n := range row {
			if n > 0 {
				edges[tile{int32(x), at}] = n
			}
		}
		clear(row)
	}
	for _, r := range runs {
		if y := r.y / tileSize; y != at {
			add()
			at = y
		}
		for len(row) <= int(r.x1/tileSize) {
			row = append(row, 0)
		}
		for x := r.x0; x < r.x1; {
			end := min(r.x1, (x/tileSize+1)*tileSize)
			row[x/tileSize] += end - x
			x = end
		}
	}
	add()
	return edges
}

// withoutTexture removes the glyphs of tiles that are too full for text. It returns nil if more
// than maxGlyphs remain.
func withoutTexture(glyphs []component, edges map[tile]int32) []component {
	count := map[tile]int{}
	of := func(k *component) tile { return tile{int32(k.x0 / tileSize), int32(k.y0 / tileSize)} }
	for i := range glyphs {
		count[of(&glyphs[i])]++
	}
	kept := glyphs[:0]
	for _, k := range glyphs {
		if t := of(&k); count[t] <= tileMaxGlyphs && edges[t] <= tileMaxEdges {
			kept = append(kept, k)
		}
	}
	if len(kept) > maxGlyphs {
		return nil
	}
	return kept
}
