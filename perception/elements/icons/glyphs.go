package icons

import (
	"bytes"
	_ "embed"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Files that gen/draw.mjs writes: a picture of all glyphs, and a list of them.
var (
	//go:embed glyphs.png
	glyphsPicture []byte
	//go:embed glyphs.txt
	glyphsList string
)

// Layout of the picture, as in gen/draw.mjs.
const (
	glyphSide   = 32 // side of a cell in pixels
	glyphsInRow = 32

	sameGlyph = 0.94 // minimum likeness of two glyphs that are the same drawing
)

// glyph is an icon as drawn by an icon set.
type glyph struct {
	set     string
	name    string // in its set
	size    int    // longer side of its ink, in percent of the set's square
	concept int
	shape   shape
}

// library has all glyphs that shapes are compared with.
type library struct {
	concepts []Concept
	glyphs   []glyph
	sketches [][strokes]float32 // of glyphs; in one array, because each match reads all of them
}

// theLibrary loads the library at first use, in a tenth of a second.
var theLibrary = sync.OnceValue(func() *library {
	all, err := readGlyphs()
	if err != nil {
		panic("icons: what is embedded is damaged: " + err.Error())
	}
	return newLibrary(all)
})

// newLibrary returns a library of the glyphs and of plain shapes, without glyphs that look alike.
func newLibrary(glyphs []glyph) *library {
	l := &library{concepts: Concepts(), glyphs: append(thinned(glyphs), plainGlyphs()...)}
	for i := range l.glyphs {
		l.sketches = append(l.sketches, l.glyphs[i].shape.sketch)
	}
	return l
}

// readGlyphs returns the glyphs of the embedded list, in its order. It fails if list, picture and
// lexicon do not fit together.
func readGlyphs() ([]glyph, error) {
	index := map[string]int{}
	for i, c := range Concepts() {
		index[c.Name] = i
	}
	for _, e := range lexicon() {
		if e.Plain {
			index[e.Name] = plain
		}
	}
	cellAt, err := glyphCells()
	if err != nil {
		return nil, err
	}
	var all []glyph
	for line := range strings.Lines(glyphsList) {
		g, err := readGlyph(strings.TrimSpace(line), index)
		if err != nil {
			return nil, err
		}
		mask := cellAt(len(all))
		if mask == nil {
			return nil, fmt.Errorf("the picture glyphs.png has no cell for the line %q", line)
		}
		var ok bool
		if g.shape, ok = shapeOf(mask); !ok {
			return nil, fmt.Errorf("the cell of %q is blank", line)
		}
		all = append(all, g)
	}
	return all, nil
}

// readGlyph parses a line of the list: set, name, size, concept.
func readGlyph(line string, concepts map[string]int) (glyph, error) {
	fields := strings.SplitN(line, " ", 4)
	if len(fields) < 4 {
		return glyph{}, fmt.Errorf("invalid line %q: expected four fields", line)
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return glyph{}, err
	}
	concept, known := concepts[fields[3]]
	if !known {
		return glyph{}, fmt.Errorf("%q is not in lexicon.yaml", fields[3])
	}
	return glyph{set: fields[0], name: fields[1], size: size, concept: concept}, nil
}

// glyphCells returns a function that returns a cell of the picture, or nil past its end.
func glyphCells() (func(i int) *image.Alpha, error) {
	picture, err := png.Decode(bytes.NewReader(glyphsPicture))
	if err != nil {
		return nil, err
	}
	grey, ok := picture.(*image.Gray)
	if !ok || grey.Rect.Dx() != glyphsInRow*glyphSide {
		return nil, fmt.Errorf("glyphs.png has an invalid color type or width: it is an %T of %d pixels per row", picture, picture.Bounds().Dx())
	}
	return func(i int) *image.Alpha {
		at := image.Pt(i%glyphsInRow, i/glyphsInRow).Mul(glyphSide)
		box := image.Rectangle{at, at.Add(image.Pt(glyphSide, glyphSide))}
		if !box.In(grey.Rect) {
			return nil
		}
		return &image.Alpha{Pix: grey.Pix[grey.PixOffset(at.X, at.Y):], Stride: grey.Stride, Rect: box}
	}, nil
}

// thinned removes glyphs that look like an earlier glyph of the same concept.
func thinned(all []glyph) []glyph {
	distinct, first := all[:0], 0 // first is the index of the first kept glyph of the concept
	for _, g := range all {
		if len(distinct) > 0 && distinct[len(distinct)-1].concept != g.concept {
			first = len(distinct)
		}
		if !slices.ContainsFunc(distinct[first:], func(k glyph) bool { return likeness(&k.shape, &g.shape) >= sameGlyph }) {
			distinct = append(distinct, g)
		}
	}
	return distinct
}
