package perception

import (
	"context"
	"encoding/binary"
	"image"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/perception/calm"
)

// Clean makes a decoded screen what is read, in its own memory: laid on a white page, and without grain and the
// ripples of compression.
func Clean(ctx context.Context, screen *image.NRGBA) error {
	if err := OnWhite(ctx, screen); err != nil {
		return err
	}
	return calm.Calm(ctx, screen, nil)
}

// maxBefore is how many pixels a screen has at most that is kept as it was before it was cleaned. Larger ones are photographs
// or of large letters.
const maxBefore = 16 << 20

// beforeBytes returns the most memory that a screen of a size takes as it was.
func beforeBytes(size image.Point) int64 {
	if n := int64(size.X) * int64(size.Y); n <= maxBefore {
		return 4 * n
	}
	return 0
}

// cleaned is Clean that keeps the screen as it was before grain and ripples were taken out, unless it is too large.
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

// OnWhite lays a screen on a white page, as people see it, in its own memory. When ctx ends it returns its error soon.
func OnWhite(ctx context.Context, screen *image.NRGBA) error {
	return fair.Each(ctx, (screen.Rect.Dy()+bandRows-1)/bandRows, func(i int) {
		for y := i * bandRows; y < min((i+1)*bandRows, screen.Rect.Dy()); y++ {
			rowOnWhite(screen.Pix[y*screen.Stride:][:4*screen.Rect.Dx()])
		}
	})
}

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

// onWhite returns what a channel of a pixel is on white, as package draw rounds it.
func onWhite(v uint8, alpha uint32) uint8 {
	const most = 0xffff
	return uint8((most - alpha*0x101 + uint32(v)*0x101*alpha/0xff) >> 8)
}

// opaque reports whether no pixel is transparent, eight and two at a time.
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
