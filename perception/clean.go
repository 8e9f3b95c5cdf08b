package perception

import (
	"context"
	"encoding/binary"
	"image"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/calm"
)

// Clean prepares a decoded screen for reading, in place. It makes the screen opaque, and
// removes grain and compression ripples. It returns the error of ctx soon after ctx ends.
func Clean(ctx context.Context, screen *image.NRGBA) error {
	if err := MakeOpaque(ctx, screen); err != nil {
		return err
	}
	return calm.Calm(ctx, screen, nil)
}

// maxBefore is the maximum number of pixels of a screen whose unfiltered copy is worth its memory.
// Larger screens are photographs, or have large letters.
const maxBefore = 16 << 20

// beforeBytes returns the bytes of the unfiltered copy of a screen of size: 0 if it is too large
// for one.
func beforeBytes(size image.Point) int64 {
	if n := int64(size.X) * int64(size.Y); n <= maxBefore {
		return 4 * n
	}
	return 0
}

// cleaned does the same as Clean. If the screen is not too large, the result also has a copy from
// before the removal of grain and ripples.
func cleaned(ctx context.Context, screen *image.NRGBA) (Screen, error) {
	if err := MakeOpaque(ctx, screen); err != nil {
		return Screen{}, err
	}
	out := ScreenOf(screen)
	if beforeBytes(screen.Rect.Size()) == 0 {
		return out, calm.Calm(ctx, screen, nil)
	}
	err := calm.Calm(ctx, screen, func() {
		out.Before = image.NewNRGBA(screen.Rect)
		copy(out.Before.Pix, screen.Pix)
	})
	return out, err
}

// MakeOpaque blends a screen with a ground, in place, so that all pixels are opaque. The ground is
// white. Light text on a transparent picture would vanish on it: if more than half of the picture is
// transparent and the rest is light, the ground is black. MakeOpaque returns the error of ctx soon
// after ctx ends.
func MakeOpaque(ctx context.Context, screen *image.NRGBA) error {
	bands := make([]coverage, (screen.Rect.Dy()+bandRows-1)/bandRows)
	rows := func(band int, each func([]uint8)) {
		for y := band * bandRows; y < min((band+1)*bandRows, screen.Rect.Dy()); y++ {
			if row := screen.Pix[y*screen.Stride:][:rgba*screen.Rect.Dx()]; !opaque(row) {
				each(row)
			}
		}
	}
	if err := fair.Each(ctx, len(bands), func(i int) { rows(i, bands[i].add) }); err != nil {
		return err
	}
	var all coverage
	for _, b := range bands {
		all.alpha, all.light, all.clear = all.alpha+b.alpha, all.light+b.light, all.clear+b.clear
	}
	if all.clear == 0 {
		return nil
	}
	white := !all.lightAlone(screen.Rect.Dx() * screen.Rect.Dy())
	return fair.Each(ctx, len(bands), func(i int) { rows(i, func(row []uint8) { blend(row, white) }) })
}

// coverage sums pixels of rows that are not opaque: their alpha and its rest, in 255ths of a pixel,
// and their light, which is the green of each pixel times its alpha.
type coverage struct{ alpha, clear, light uint64 }

// add adds the pixels of a row.
func (c *coverage) add(row []uint8) {
	for i := 0; i < len(row); i += rgba {
		a := uint64(row[i+3])
		c.alpha, c.clear, c.light = c.alpha+a, c.clear+0xff-a, c.light+a*uint64(row[i+1])
	}
}

// lightAlone reports whether more than half of a picture of n pixels is transparent, and its visible pixels are light.
func (c coverage) lightAlone(n int) bool {
	const light = 0.75 * 0xff
	return 2*c.clear > 0xff*uint64(n) && float64(c.light) > light*float64(c.alpha)
}

// blend blends one row of pixels with white or black.
func blend(row []uint8, white bool) {
	for i := 0; i < len(row); i += rgba {
		if a := uint32(row[i+3]); a != 0xff {
			row[i], row[i+1], row[i+2], row[i+3] = blended(row[i], a, white), blended(row[i+1], a, white), blended(row[i+2], a, white), 0xff
		}
	}
}

// blended blends one channel of a pixel with white or black. It rounds like package draw.
func blended(v uint8, alpha uint32, white bool) uint8 {
	const full = 0xffff
	ground := uint32(0)
	if white {
		ground = full - alpha*0x101
	}
	return uint8((ground + uint32(v)*0x101*alpha/0xff) >> 8)
}

// opaque reports whether all pixels are opaque. For speed it checks eight or two pixels at a time.
func opaque(pix []uint8) bool {
	all := ^uint64(0)
	for ; len(pix) >= 32; pix = pix[32:] {
		all &= binary.LittleEndian.Uint64(pix) & binary.LittleEndian.Uint64(pix[8:]) & binary.LittleEndian.Uint64(pix[16:]) & binary.LittleEndian.Uint64(pix[24:])
	}
	for ; len(pix) >= 8; pix = pix[8:] {
		all &= binary.LittleEndian.Uint64(pix)
	}
	return all>>24&0xff == 0xff && all>>56 == 0xff && (len(pix) < 4 || pix[3] == 0xff)
}
