package testkit

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Pen writes text on pictures, for tests of what reads it. The zero value
// writes Go Regular in black, in letters of 16 pixels.
type Pen struct {
	Font []byte      // a TrueType font; default goregular.TTF
	Em   float64     // pixels
	Ink  color.Color // default black
}

// Canvas returns a picture of one color.
func Canvas(width, height int, ground color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	return img
}

// Write draws text with its baseline's left end at (x, y), and returns the box
// of each word's ink, to a pixel.
func (p Pen) Write(img draw.Image, x, y int, text string) []image.Rectangle {
	if p.Ink == nil {
		p.Ink = color.Black
	}
	face := p.face()
	defer face.Close()
	d := font.Drawer{Dst: img, Src: image.NewUniform(p.Ink), Face: face, Dot: fixed.P(x, y)}
	var boxes []image.Rectangle
	for i, word := range strings.Split(text, " ") {
		if i > 0 {
			d.DrawString(" ")
		}
		if word == "" {
			continue
		}
		b, _ := d.BoundString(word)
		boxes = append(boxes, image.Rect(b.Min.X.Floor(), b.Min.Y.Floor(), b.Max.X.Ceil(), b.Max.Y.Ceil()))
		d.DrawString(word)
	}
	return boxes
}

var fonts sync.Map // parsed, by the address of their first byte

// face returns a face of its own: faces are not for several goroutines.
func (p Pen) face() font.Face {
	if p.Font == nil {
		p.Font = goregular.TTF
	}
	parsed, ok := fonts.Load(&p.Font[0])
	if !ok {
		f, err := opentype.Parse(p.Font)
		if err != nil {
			panic(err) // the font is part of the test
		}
		parsed, _ = fonts.LoadOrStore(&p.Font[0], f)
	}
	face, err := opentype.NewFace(parsed.(*opentype.Font), &opentype.FaceOptions{Size: cmp.Or(p.Em, 16), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(err)
	}
	return face
}
