package perception

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"github.com/disintegration/imaging"
	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Limits of an image, checked before its pixels are decoded.
const (
	MaxImageBytes  = 25 << 20   // of the encoded file
	MaxImagePixels = 50_000_000 // width x height
	MaxImageSide   = 32_767     // pixels; the tesseract program takes no more
)

// Formats is what Decode reads, for messages.
const Formats = "PNG, JPEG, GIF, WebP or BMP"

// Header is what an image says of itself.
type Header struct {
	ContentType   string // as image/png
	Width, Height int    // pixels
}

// format reads one kind of image. A '?' in magic stands for any byte.
type format struct {
	contentType string
	magic       string
	config      func(io.Reader) (image.Config, error)
	decode      func(io.Reader) (image.Image, error)
}

// formats is explicit, as linked packages may register decoders in the image package.
var formats = []format{
	{"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	{"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
	{"image/gif", "GIF8?a", gif.DecodeConfig, gif.Decode}, // the first frame
	{"image/webp", "RIFF????WEBP", webp.DecodeConfig, webp.Decode},
	{"image/bmp", "BM", bmp.DecodeConfig, bmp.Decode},
}

// Decode reads an image whole, its bounds beginning at (0,0). It allocates
// nothing large for an image over the limits. Its errors are InvalidImage, or
// PayloadTooLarge for too many bytes.
func Decode(data []byte) (screen *image.NRGBA, h Header, err error) {
	h, f, err := decodeHeader(data)
	if err != nil {
		return nil, h, err
	}
	if f.contentType == "image/png" {
		if screen, ok := decodeScreenPNG(data, image.Pt(h.Width, h.Height)); ok {
			return screen, h, nil
		}
	}
	defer recoverDecoder(&err)
	img, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return nil, h, invalid("the %s cannot be decoded; it is damaged or cut short", f.contentType).Because(err)
	}
	return toNRGBA(img, h), h, nil
}

// DecodeHeader reads what an image says of itself, and none of its pixels.
func DecodeHeader(data []byte) (Header, error) {
	h, _, err := decodeHeader(data)
	return h, err
}

// decodeHeader checks a header against the limits, and returns how to read the rest.
func decodeHeader(data []byte) (h Header, f format, err error) {
	if len(data) > MaxImageBytes {
		return h, f, fault.New("perception.Decode", sdkapi.PayloadTooLarge,
			"the image has %d bytes; at most %d are read", len(data), MaxImageBytes)
	}
	i := slices.IndexFunc(formats, func(f format) bool { return hasMagic(data, f.magic) })
	if i < 0 {
		return h, f, invalid("this is not an image; expected %s", Formats)
	}
	f = formats[i]
	defer recoverDecoder(&err)
	c, err := f.config(bytes.NewReader(data))
	if err != nil {
		return h, f, invalid("the %s has no readable header; it is damaged or cut short", f.contentType).Because(err)
	}
	h = Header{ContentType: f.contentType, Width: c.Width, Height: c.Height}
	switch {
	case c.Width < 1 || c.Height < 1:
		return h, f, invalid("the image is %d x %d pixels; it has none", c.Width, c.Height)
	case c.Width > MaxImageSide || c.Height > MaxImageSide, c.Width*c.Height > MaxImagePixels:
		return h, f, invalid("the image is %d x %d pixels; at most %d in all and %d a side are read: crop or shrink it",
			c.Width, c.Height, MaxImagePixels, MaxImageSide)
	}
	return h, f, nil
}

func hasMagic(data []byte, magic string) bool {
	for i := range len(magic) {
		if i >= len(data) || magic[i] != '?' && data[i] != magic[i] {
			return false
		}
	}
	return true
}

// recoverDecoder turns a decoder's panic on hostile input into an error.
func recoverDecoder(err *error) {
	if r := recover(); r != nil {
		*err = invalid("the image cannot be decoded; it is damaged").Because(fmt.Errorf("decoder panicked: %v", r))
	}
}

func invalid(message string, args ...any) *fault.Error {
	return fault.New("perception.Decode", sdkapi.InvalidImage, message, args...)
}

// toNRGBA converts img to the size of its header: a GIF's first frame may be smaller.
func toNRGBA(img image.Image, h Header) *image.NRGBA {
	full := image.Rect(0, 0, h.Width, h.Height)
	if p, ok := img.(*image.Paletted); ok {
		img = fromPaletted(p)
	}
	if img.Bounds() != full {
		canvas := image.NewNRGBA(full)
		draw.Draw(canvas, full, img, image.Point{}, draw.Src)
		return canvas
	}
	if n, ok := img.(*image.NRGBA); ok {
		return n
	}
	return imaging.Clone(img)
}

// fromPaletted looks pixels up in a full table: a damaged image may point past
// its palette, which panics in imaging's own goroutines, beyond any recover.
func fromPaletted(p *image.Paletted) *image.NRGBA {
	var table [256]color.NRGBA
	for i, c := range p.Palette[:min(len(p.Palette), len(table))] {
		table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	out := image.NewNRGBA(p.Rect)
	for y := range p.Rect.Dy() {
		row := p.Pix[y*p.Stride:][:p.Rect.Dx()]
		dst := out.Pix[y*out.Stride:]
		for x, index := range row {
			c := table[index]
			dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = c.R, c.G, c.B, c.A
		}
	}
	return out
}
