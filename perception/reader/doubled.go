package reader

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"slices"

	"github.com/windieos/windie/perception"
)

// undoubled returns a screen without the pixels that only repeat others, and how many halves of its pixels are one of the result's,
// a side: 2 unless the screen was enlarged, by half or to twice or four times its size, as the screens of virtual machines are
// and those that a client scales. Letters are read better at their own size than with stairs at their edges, or blurred.
func undoubled(ctx context.Context, screen perception.Screen) (_ perception.Screen, halves int, err error) {
	for halves = 2; halves < 8; {
		var by *weights
		if halves%2 == 0 {
			by = enlargedByHalf(screen.Before)
		}
		switch {
		case isDoubled(screen.Before):
			halves *= 2
			screen, err = smaller(ctx, screen, func(img *image.NRGBA) (*image.NRGBA, error) { return halved(img), nil })
		case isSmoothlyDoubled(screen.Before):
			halves *= 2
			screen, err = smaller(ctx, screen, func(img *image.NRGBA) (*image.NRGBA, error) { return unsmoothed(ctx, img) })
		case by != nil:
			halves = halves * 3 / 2
			screen, err = smaller(ctx, screen, func(img *image.NRGBA) (*image.NRGBA, error) { return shrunkByHalf(ctx, img, by) })
		default:
			return screen, halves, nil
		}
		if err != nil {
			return screen, halves, err
		}
	}
	return screen, halves, nil
}

// smaller returns a screen that shrink has made smaller, cleaned anew: grain and ripples that were enlarged are not taken for such.
func smaller(ctx context.Context, screen perception.Screen, shrink func(*image.NRGBA) (*image.NRGBA, error)) (out perception.Screen, err error) {
	if out.Before, err = shrink(screen.Before); err != nil {
		return out, err
	}
	out.NRGBA = &image.NRGBA{Pix: slices.Clone(out.Before.Pix), Stride: out.Before.Stride, Rect: out.Before.Rect}
	return out, perception.Clean(ctx, out.NRGBA)
}

// isDoubled reports whether all squares of two by two pixels are of one colour.
func isDoubled(screen *image.NRGBA) bool {
	size := screen.Rect.Size()
	if size.X < 2 || size.Y < 2 || size.X%2 != 0 || size.Y%2 != 0 {
		return false
	}
	for y := 0; y < size.Y; y += 2 {
		row := screen.Pix[y*screen.Stride:][:4*size.X]
		for x := 0; x < len(row); x += 8 {
			if binary.LittleEndian.Uint32(row[x:]) != binary.LittleEndian.Uint32(row[x+4:]) {
				return false
			}
		}
		if !bytes.Equal(row, screen.Pix[(y+1)*screen.Stride:][:4*size.X]) {
			return false
		}
	}
	return true
}

// halved returns every second pixel of every second row.
func halved(screen *image.NRGBA) *image.NRGBA {
	half := image.NewNRGBA(image.Rect(0, 0, screen.Rect.Dx()/2, screen.Rect.Dy()/2))
	for y := range half.Rect.Dy() {
		from, to := screen.Pix[2*y*screen.Stride:], half.Pix[y*half.Stride:]
		for x := range half.Rect.Dx() {
			copy(to[4*x:4*x+4], from[8*x:8*x+4])
		}
	}
	return half
}

// enlarged returns rows where they stand on a screen that is so many halves as large.
func enlarged(rows []perception.Row, halves int) []perception.Row {
	times := func(b image.Rectangle) image.Rectangle {
		return image.Rectangle{b.Min.Mul(halves).Div(2), b.Max.Mul(halves).Add(image.Pt(1, 1)).Div(2)}
	}
	for i := range rows {
		rows[i].Box = times(rows[i].Box)
		for j := range rows[i].Words {
			rows[i].Words[j].Box = times(rows[i].Words[j].Box)
		}
	}
	return rows
}
