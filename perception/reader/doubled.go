package reader

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"slices"

	"github.com/windieos/windie/perception"
)

// undoubled undoes the enlargement of a screen by half or to twice or four times its size, as
// virtual machines and scaling clients do. The network reads letters better at their original size
// than with stairs at their edges, or blurred. halves/2 is the scale from the result to the screen:
// 2 halves if nothing was undone.
func undoubled(ctx context.Context, screen perception.Screen) (_ perception.Screen, halves int, err error) {
	for halves = 2; halves < 8; {
		var by *weights
		if halves%2 == 0 {
			by = enlargedByHalf(screen.Before)
		}
		switch {
		case isDoubled(screen.Before):
			halves *= 2
			screen, err = shrinkScreen(ctx, screen, func(img *image.NRGBA) (*image.NRGBA, error) { return halved(img), nil })
		case isSmoothlyDoubled(screen.Before):
			halves *= 2
			screen, err = shrinkScreen(ctx, screen, func(img *image.NRGBA) (*image.NRGBA, error) { return unsmoothed(ctx, img) })
		case by != nil:
			halves = halves * 3 / 2
			screen, err = shrinkScreen(ctx, screen, func(img *image.NRGBA) (*image.NRGBA, error) { return shrunkByHalf(ctx, img, by) })
		default:
			return screen, halves, nil
		}
		if err != nil {
			return screen, halves, err
		}
	}
	return screen, halves, nil
}

// shrinkScreen applies shrink to the unfiltered copy of a screen and cleans the result. The filters
// do not detect grain and ripples that are enlarged, so they run again on the smaller screen.
func shrinkScreen(ctx context.Context, screen perception.Screen, shrink func(*image.NRGBA) (*image.NRGBA, error)) (out perception.Screen, err error) {
	if out.Before, err = shrink(screen.Before); err != nil {
		return out, err
	}
	out.NRGBA = &image.NRGBA{Pix: slices.Clone(out.Before.Pix), Stride: out.Before.Stride, Rect: out.Before.Rect}
	return out, perception.Clean(ctx, out.NRGBA)
}

// isDoubled reports whether each square of two by two pixels has one colour.
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

// enlarged scales the boxes of rows by halves/2, in place, and returns rows.
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
