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

// Limits of an image. The decoder checks them before it decodes pixels.
const (
	MaxImageBytes  = 25 << 20   // maximum bytes of the encoded file
	MaxImagePixels = 50_000_000 // maximum product of width and height, in pixels
	MaxImageSide   = 32_767     // maximum width and height in pixels, the limit of the tesseract program
)

// Formats is the list of image formats that Decode accepts, as text for messages.
const Formats = "PNG, JPEG, GIF, WebP or BMP"

// Header contains the properties of an image that its file header states.
type Header struct {
	ContentType string // MIME type, for example image/png
	// Width and Height are in pixels. They are the size after the rotation that the file specifies.
	Width, Height int
}

// encoding is the format, stored size and orientation of an image file.
type encoding struct {
	format
	size image.Point
	turn orientation
}

// format decodes one file format. A '?' in magic matches any byte. decode gets the size that config
// returned.
type format struct {
	contentType string
	magic       string
	config      func(io.Reader) (image.Config, error)
	decode      func(ctx context.Context, data []byte, size image.Point) (*image.NRGBA, error)
}

// formats lists the decoders explicitly: linked packages may register others in package image. Of an
// animation they decode the first frame.
var formats = []format{
	{"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, decodePNG},
	{"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig, converted(jpeg.Decode)},
	{"image/gif", "GIF8?a", gif.DecodeConfig, converted(gif.Decode)},
	{"image/webp", webpMagic, webp.DecodeConfig, decodeWebP},
	{"image/bmp", "BM", bmp.DecodeConfig, converted(bmp.Decode)},
}

// converted returns the decode function of a format from a decoder of a library.
func converted(decode func(io.Reader) (image.Image, error)) func(context.Context, []byte, image.Point) (*image.NRGBA, error) {
	return func(ctx context.Context, data []byte, size image.Point) (*image.NRGBA, error) {
		img, err := decode(&stoppable{ctx, bytes.NewReader(data)})
		if err != nil {
			return nil, err
		}
		return toNRGBA(ctx, img, size)
	}
}

// notSupported contains the beginnings of picture files that Decode does not accept, with their names.
var notSupported = []struct{ magic, name string }{
	{"????ftyphei", "HEIC"}, {"????ftyphev", "HEIC"}, {"????ftypmif1", "HEIC"}, {"????ftypmsf1", "HEIC"},
	{"????ftypavi", "AVIF"}, {"II*\x00", "TIFF"}, {"MM\x00*", "TIFF"}, {"\x00\x00\x01\x00", "ICO"}, {"%PDF-", "PDF"}, {"<svg", "SVG"},
}

// webpMagic is the beginning of every WebP file.
const webpMagic = "RIFF????WEBP"

// Decode decodes an image and applies its orientation. The bounds of the result begin at (0,0). For
// an image over the limits, Decode allocates little memory; for any other image, it allocates at
// most the bytes that DecodedBytes returns. It fails with InvalidImage, or with PayloadTooLarge for
// a file over MaxImageBytes. It returns the error of ctx soon after ctx ends.
func Decode(ctx context.Context, data []byte) (screen *image.NRGBA, h Header, err error) {
	h, f, err := decodeHeader(data)
	if err != nil {
		return nil, h, err
	}
	defer recoverDecoder(&err)
	if screen, err = f.decode(ctx, data, f.size); err == nil {
		screen, err = f.turn.turn(ctx, screen)
	}
	switch {
	case ctx.Err() != nil:
		return nil, h, ctx.Err()
	case err != nil:
		return nil, h, invalid("cannot decode the %s; it is damaged or incomplete", f.contentType).Because(err)
	}
	return screen, h, nil
}

// stoppable is a reader that fails after ctx has ended.
type stoppable struct {
	ctx  context.Context
	from io.Reader
}

// Read implements io.Reader.
func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.from.Read(p)
}

// DecodeHeader decodes only the header of an image, without its pixels. It fails with the errors of
// Decode.
func DecodeHeader(data []byte) (Header, error) {
	h, _, err := decodeHeader(data)
	return h, err
}

// decodeHeader checks the header against the limits. It returns the header and the encoding of the
// pixels.
func decodeHeader(data []byte) (h Header, f encoding, err error) {
	if len(data) > MaxImageBytes {
		return h, f, fault.New("perception.Decode", sdkapi.PayloadTooLarge,
			"the image has %d bytes; at most %d are allowed", len(data), MaxImageBytes)
	}
	i := slices.IndexFunc(formats, func(f format) bool { return hasMagic(data, f.magic) })
	if i < 0 {
		return h, f, invalid("%s", unknownFormat(data))
	}
	f.format = formats[i]
	defer recoverDecoder(&err)
	var c image.Config
	if f.magic == webpMagic {
		err = checkWebPHead(data)
	}
	if err == nil {
		c, err = f.config(bytes.NewReader(data))
	}
	if err != nil {
		return h, f, invalid("the %s has an invalid header; it is damaged or incomplete", f.contentType).Because(err)
	}
	f.size, f.turn = image.Pt(c.Width, c.Height), orientationOf(f.contentType, data)
	shown := f.turn.shown(f.size)
	h = Header{ContentType: f.contentType, Width: shown.X, Height: shown.Y}
	switch {
	case c.Width < 1 || c.Height < 1:
		return h, f, invalid("the image is empty: %d x %d pixels", c.Width, c.Height)
	case c.Width > MaxImageSide || c.Height > MaxImageSide, c.Width*c.Height > MaxImagePixels:
		return h, f, invalid("the image is %d x %d pixels; at most %d in total and %d per side are allowed; crop or shrink it",
			c.Width, c.Height, MaxImagePixels, MaxImageSide)
	}
	return h, f, nil
}

// unknownFormat returns the message for data that no decoder accepts.
func unknownFormat(data []byte) string {
	for _, n := range notSupported {
		if hasMagic(data, n.magic) {
			return fmt.Sprintf("%s files are not supported; convert the image to PNG or JPEG", n.name)
		}
	}
	return "the data is not an image; expected " + Formats
}

// hasMagic reports whether data begins with magic, in which a '?' matches any byte.
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
		*err = invalid("cannot decode the image; it is damaged").Because(fmt.Errorf("decoder panicked: %v", r))
	}
}

// invalid returns an error INVALID_IMAGE.
func invalid(message string, args ...any) *fault.Error {
	return fault.New("perception.Decode", sdkapi.InvalidImage, message, args...)
}

// bandRows is the number of rows of pixels that one step converts.
const bandRows = 64

// toNRGBA converts img to size, the size in the file's header. The first frame of a GIF may be
// smaller. If img already has the right form, the result shares its memory.
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

// bandConverter returns a function that converts one part of img and writes it to out.
func bandConverter(out *image.NRGBA, img image.Image) func(image.Rectangle) {
	switch img := img.(type) {
	case *image.Paletted:
		return paletteConverter(out, img)
	case *image.YCbCr, *image.Gray, *image.CMYK: // without alpha; draw is fast when it writes RGBA
		opaque := &image.RGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}
		return func(part image.Rectangle) { draw.Draw(opaque, part, img, part.Min, draw.Src) }
	}
	return func(part image.Rectangle) { draw.Draw(out, part, img, part.Min, draw.Src) }
}

// paletteConverter is bandConverter for images with a palette. Its table has all 256 indices, because
// a damaged image may contain indices beyond its palette. Such pixels become transparent.
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
