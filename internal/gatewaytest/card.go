package gatewaytest

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Card is a small picture, as a PNG, whose text any reader reads: "Check out"
// once and "Add to cart" twice.
var Card = sync.OnceValue(func() []byte { return Screen("Check out", "Add to cart", "Add to cart") })

// Screen is a picture, as a PNG, that has lines of text one below the other.
func Screen(lines ...string) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 360, 10+50*len(lines)))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for i, line := range lines {
		write(img, 20, 40+50*i, line)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err) // memory does not fail
	}
	return out.Bytes()
}

// write draws text with its baseline's left end at (x, y).
func write(img draw.Image, x, y int, text string) {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the font is part of the program
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 24, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(err)
	}
	d := font.Drawer{Dst: img, Src: image.NewUniform(color.Black), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(text)
}
