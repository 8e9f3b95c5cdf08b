package perception

import (
	"context"
	"encoding/binary"
	"image"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/calm"
)

// Clean prepares a decoded screen for reading, in place. It blends the screen with a white
// background, and removes grain and compression ripples. It returns the error of ctx soon after ctx
// ends.
func Clean(ctx context.Context, screen *image.NRGBA) error {
	if err := OnWhite(ctx, screen); err != nil {
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
	if err := OnWhite(ctx, screen); err != nil {
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

// OnWhite blends a screen with a white background, in place, so that all pixels are opaque. It
// returns the error of ctx soon after ctx ends.
func OnWhite(ctx context.Context, screen *image.NRGBA) error {
	return fair.Each(ctx, (screen.Rect.Dy()+bandRows-1)/bandRows, func(i int) {
		for y := i * bandRows; y < min((i+1)*bandRows, screen.Rect.Dy()); y++ {
			rowOnWhite(screen.Pix[y*screen.Stride:][:4*screen.Rect.Dx()])
		}
	})
}

// rowOnWhite blends one row of pixels, of four bytes each, with white.
func rowOnWhite(row []uint8) {
	if opaque(row) {
		return
	}
	for i := 0; i < len(row); i += 4 {
		if a := uint32(row[i+3]); a != 0xff {
			row[i], row[i+1], row[i+2], row[i+3] = onWhite(row[i], a), onWhite(row[i+1], a), onWhite(row[i+2], a), 0xff
		}
	}
}

// onWhite blends one channel of a pixel with white. It rounds like package draw.
func onWhite(v uint8, alpha uint32) uint8 {
	const opaqueWhite = 0xffff
	return uint8((opaqueWhite - alpha*0x101 + uint32(v)*0x101*alpha/0xff) >> 8)
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
