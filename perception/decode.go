package perception

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"github.com/windieos/windie/internal/fair"
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
	Width, Height int    // pixels, of the image as it is shown
}

// encoding is how an image is stored.
type encoding struct {
	format
	size image.Point
	turn orientation
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
	{"image/webp", webpMagic, webp.DecodeConfig, webp.Decode},
	{"image/bmp", "BM", bmp.DecodeConfig, bmp.Decode},
}

// webpMagic is how a WebP begins.
const webpMagic = "RIFF????WEBP"

// Decode reads an image whole, as it is shown, its bounds beginning at (0,0). It allocates nothing large for an
// image over the limits, and at most what DecodedBytes says for any other. Its errors are
// InvalidImage, PayloadTooLarge for too many bytes, or ctx's own soon after ctx ends.
func Decode(ctx context.Context, data []byte) (screen *image.NRGBA, h Header, err error) {
	h, f, err := decodeHeader(data)
	if err != nil {
		return nil, h, err
	}
	defer recoverDecoder(&err)
	if f.contentType == "image/png" {
		screen, err = decodePNG(ctx, data, f.size)
	} else if err = checkWhole(f.format, data); err == nil {
		var img image.Image
		if img, err = f.decode(&stoppable{ctx, bytes.NewReader(data)}); err == nil {
			screen, err = toNRGBA(ctx, img, f.size)
		}
	}
	if err == nil {
		screen, err = f.turn.turn(ctx, screen)
	}
	switch {
	case ctx.Err() != nil:
		return nil, h, ctx.Err()
	case err != nil:
		return nil, h, invalid("the %s cannot be decoded; it is damaged or cut short", f.contentType).Because(err)
	}
	return screen, h, nil
}

// checkWhole refuses a file whose decoder would make room for what is not there.
func checkWhole(f format, data []byte) error {
	if f.magic == webpMagic {
		return checkWebPSize(data)
	}
	return nil
}

// stoppable is a reader that fails once ctx has ended.
type stoppable struct {
	ctx  context.Context
	from io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.from.Read(p)
}

// DecodeHeader reads what an image says of itself, and none of its pixels.
func DecodeHeader(data []byte) (Header, error) {
	h, _, err := decodeHeader(data)
	return h, err
}

// decodeHeader checks a header against the limits, and returns how to read the rest.
func decodeHeader(data []byte) (h Header, f encoding, err error) {
	if len(data) > MaxImageBytes {
		return h, f, fault.New("perception.Decode", sdkapi.PayloadTooLarge,
			"the image has %d bytes; at most %d are read", len(data), MaxImageBytes)
	}
	i := slices.IndexFunc(formats, func(f format) bool { return hasMagic(data, f.magic) })
	if i < 0 {
		return h, f, invalid("this is not an image; expected %s", Formats)
	}
	f.format = formats[i]
	if isAnimatedWebP(data) {
		return h, f, invalid("this is an animated WebP, which is not read; send one frame of it as a still image")
	}
	defer recoverDecoder(&err)
	var c image.Config
	if f.magic == webpMagic {
		err = checkWebPHead(data)
	}
	if err == nil {
		c, err = f.config(bytes.NewReader(data))
	}
	if err != nil {
		return h, f, invalid("the %s has no readable header; it is damaged or cut short", f.contentType).Because(err)
	}
	f.size, f.turn = image.Pt(c.Width, c.Height), orientationOf(f.contentType, data)
	shown := f.turn.shown(f.size)
	h = Header{ContentType: f.contentType, Width: shown.X, Height: shown.Y}
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

// bandRows is how many rows are converted at a time.
const bandRows = 64

// toNRGBA converts img to the size that its header says: a GIF's first frame may be smaller. Where img is
// in this form already, its memory is used again.
func toNRGBA(ctx context.Context, img image.Image, size image.Point) (*image.NRGBA, error) {
	full := image.Rectangle{Max: size}
	if img.Bounds() == full {
		switch img := img.(type) {
		case *image.NRGBA:
			return img, nil
		case *image.RGBA:
			if img.Opaque() {
				return &image.NRGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}, nil
			}
		}
	}
	out := image.NewNRGBA(full)
	convert := bandConverter(out, img)
	err := fair.Each(ctx, (size.Y+bandRows-1)/bandRows, func(i int) {
		convert(image.Rect(0, i*bandRows, size.X, (i+1)*bandRows).Intersect(img.Bounds()))
	})
	return out, err
}

// bandConverter returns what writes a part of img to out.
func bandConverter(out *image.NRGBA, img image.Image) func(image.Rectangle) {
	switch img := img.(type) {
	case *image.Paletted:
		return paletteConverter(out, img)
	case *image.YCbCr, *image.Gray, *image.CMYK: // they have no alpha, and draw is fast for RGBA
		opaque := &image.RGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}
		return func(part image.Rectangle) { draw.Draw(opaque, part, img, part.Min, draw.Src) }
	}
	return func(part image.Rectangle) { draw.Draw(out, part, img, part.Min, draw.Src) }
}

// paletteConverter looks pixels up in a full table: a damaged image may point past its palette.
func paletteConverter(out *image.NRGBA, p *image.Paletted) func(image.Rectangle) {
	var table [256]color.NRGBA
	for i, c := range p.Palette[:min(len(p.Palette), len(table))] {
		table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	return func(part image.Rectangle) {
		for y := part.Min.Y; y < part.Max.Y; y++ {
			dst := out.Pix[out.PixOffset(part.Min.X, y):]
			for x, index := range p.Pix[p.PixOffset(part.Min.X, y):][:part.Dx()] {
				c := table[index]
				dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = c.R, c.G, c.B, c.A
			}
		}
	}
}
