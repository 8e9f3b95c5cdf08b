package perception

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"

	"github.com/windieos/windie/internal/fair"
)

// orientation is the Exif number of how a file's pixels are stored. A turned camera stores them in
// the order of its sensor and notes the orientation. The zero value and 1 mean upright.
type orientation int

// Exif numbers the orientations from 1 to 8.
const (
	upright      orientation = 1
	lastTurn     orientation = 8
	firstOnASide orientation = 5 // from here on, stored rows are shown as columns
)

// turned reports whether the shown picture differs from the stored one.
func (o orientation) turned() bool { return o > upright }

// shown returns the size of the picture as shown, given its stored size.
func (o orientation) shown(stored image.Point) image.Point {
	if o >= firstOnASide {
		return image.Pt(stored.Y, stored.X)
	}
	return stored
}

// stored returns the position in the file of the pixel shown at a point. size is the stored size.
func (o orientation) stored(at, size image.Point) image.Point {
	if o >= firstOnASide {
		at.X, at.Y = at.Y, at.X
	}
	switch o {
	case 2, 3, 7, 8:
		at.X = size.X - 1 - at.X
	}
	switch o {
	case 3, 4, 6, 7:
		at.Y = size.Y - 1 - at.Y
	}
	return at
}

// turn returns the picture as shown. An upright picture is returned unchanged.
func (o orientation) turn(ctx context.Context, img *image.NRGBA) (*image.NRGBA, error) {
	if !o.turned() {
		return img, nil
	}
	size := img.Rect.Size()
	out := image.NewNRGBA(image.Rectangle{Max: o.shown(size)})
	width, height := out.Rect.Dx(), out.Rect.Dy()
	// Along a shown row, the offset in the file grows by the same step from pixel to pixel.
	from, next := o.stored(image.Pt(0, 0), size), o.stored(image.Pt(1, 0), size)
	step := img.PixOffset(next.X, next.Y) - img.PixOffset(from.X, from.Y)
	err := fair.Each(ctx, (height+bandRows-1)/bandRows, func(band int) {
		for y := band * bandRows; y < min(height, (band+1)*bandRows); y++ {
			first := o.stored(image.Pt(0, y), size)
			at, dst := img.PixOffset(first.X, first.Y), out.Pix[out.PixOffset(0, y):]
			for x := range width {
				copy(dst[rgba*x:], img.Pix[at:at+rgba])
				at += step
			}
		}
	})
	return out, err
}

// orientationOf returns the orientation that a file states in its Exif data: upright if there is
// none or it is invalid.
func orientationOf(contentType string, data []byte) orientation {
	switch contentType {
	case "image/jpeg":
		return exifOrientation(jpegExif(data))
	case "image/png":
		return exifOrientation(pngExif(data))
	case "image/webp":
		return exifOrientation(webpExif(data))
	}
	return upright
}

// exifMark begins the Exif data of a JPEG, and of some other files.
var exifMark = []byte("Exif\x00\x00")

// jpegExif returns the Exif data of a JPEG, or nil. It searches only before the picture.
func jpegExif(data []byte) []byte {
	const app1 = 0xe1
	for s := range jpegSegments(data) {
		if s.frame() || s.marker == startOfScan {
			return nil
		}
		if exif, ok := bytes.CutPrefix(s.body, exifMark); ok && s.marker == app1 {
			return exif
		}
	}
	return nil
}

// pngExif returns the Exif data of a PNG, or nil.
func pngExif(data []byte) []byte {
	const signature = 8
	for rest := data[min(signature, len(data)):]; len(rest) >= lengthAndType; {
		length := uint64(binary.BigEndian.Uint32(rest))
		if length > uint64(len(rest)-lengthAndType) {
			return nil
		}
		if string(rest[4:8]) == "eXIf" {
			return rest[lengthAndType:][:length]
		}
		rest = rest[min(uint64(len(rest)), lengthAndType+length+checksum):]
	}
	return nil
}

// webpExif returns the Exif data of a WebP, or nil. Only the extended format (VP8X) can have any.
func webpExif(data []byte) []byte {
	if firstWebPChunk(data) != "VP8X" {
		return nil
	}
	for name, body := range webpChunks(data) {
		if name == "EXIF" {
			return bytes.TrimPrefix(body, exifMark)
		}
	}
	return nil
}

// exifOrientation finds the orientation in Exif data. The data is a TIFF without a picture: a head,
// and a list of entries at the offset that the head names.
func exifOrientation(tiff []byte) orientation {
	const head, entry = 8, 12
	const tag, short = 0x0112, 3
	if len(tiff) < head {
		return upright
	}
	order := map[string]binary.ByteOrder{"II*\x00": binary.LittleEndian, "MM\x00*": binary.BigEndian}[string(tiff[:4])]
	if order == nil {
		return upright
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return upright
	}
	list := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(list) < entry {
			return upright
		}
		if order.Uint16(list) == tag {
			if o := orientation(order.Uint16(list[8:])); order.Uint16(list[2:]) == short && o >= upright && o <= lastTurn {
				return o
			}
			return upright
		}
		list = list[entry:]
	}
	return upright
}
