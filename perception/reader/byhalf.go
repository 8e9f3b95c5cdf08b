package reader

import (
	"context"
	"image"

	"github.com/windieos/windie/internal/fair"
)

// Some viewers of remote screens enlarge a screen by half, with smoothing. Each pair of pixels
// becomes three. The middle one is an equal mix of the pair; the outer two are nearly the pair
// itself, shifted outwards by a sixth of a pixel. The pair can be computed from the outer pixels
// and their neighbours, and predicts the middle pixel. On a blurred screen the prediction is good
// as well, but for pixels at other offsets too. The limits below were measured on 49 screens:
// unchanged, blurred, enlarged by 1.25, 2 and 3, and enlarged by half with linear, cubic and
// Lanczos filters, also before JPEG compression of quality 95.
const (
	// mostOff is the maximum prediction error of the middle pixels, as a share of the energy of the
	// differences between neighbouring pixels. Screens enlarged by half have at most .032, half of
	// them at most .005. Unchanged screens have .077 and more.
	mostOff = 0.035
	// mostBeside is the maximum prediction error as a share of the error at other offsets. Half of
	// the screens enlarged by half have .02 to .12. Other screens have .86 and more, except those
	// enlarged to three times their size, which is by half and then to twice.
	mostBeside = 0.5
	// mostLobe is the maximum weight that neighbouring pairs take from the middle pixel. It
	// distinguishes the filters. In half of the screens it is 0 for linear, .05 for cubic and .17
	// for Lanczos filters.
	mostLobe = 0.3
)

// weights computes a pixel of a pair from three pixels of the enlarged screen, in parts of 1024:
// own is its outer pixel in the triple, beside the adjacent pixel of the next triple, middle the
// middle pixel. The weights invert the filter.
type weights struct{ own, beside, middle int32 }

// filters lists the known filters by the minimum lobe that indicates them, highest first.
var filters = []struct {
	lobe float64
	weights
}{
	{0.1, weights{1016, -156, 164}},  // Lanczos with three lobes
	{0.02, weights{1060, -142, 106}}, // Catmull-Rom cubic
	{0, weights{1280, -256, 0}},      // linear
}

// enlargedByHalf returns the weights that invert the enlargement of a screen that was enlarged by
// half with smoothing. For other screens it returns nil.
func enlargedByHalf(screen *image.NRGBA) *weights {
	size := screen.Rect.Size()
	if size.X%3 != 0 || size.Y%3 != 0 || size.X < 12 || size.Y < 12 {
		return nil
	}
	across, is := lobeByHalf(pixelLines{screen.Pix, size.X, 4, size.Y, screen.Stride})
	down, too := lobeByHalf(pixelLines{screen.Pix, size.Y, screen.Stride, size.X, 4})
	if !is || !too {
		return nil
	}
	for i := range filters {
		if (across+down)/2 >= filters[i].lobe {
			return &filters[i].weights
		}
	}
	return nil
}

// pixelLines iterates over rows or columns of pixels. Each of the lines has n pixels, step bytes
// apart; lines are next bytes apart.
type pixelLines struct {
	pix                  []byte
	n, step, lines, next int
}

// lobeByHalf reports whether lines of pixels were enlarged by half, and returns the lobe of the
// filter.
func lobeByHalf(l pixelLines) (lobe float64, is bool) {
	lobe, off, energy := l.off(0)
	if off > mostOff*energy || energy == 0 {
		return 0, false
	}
	for from := 1; from < 3; from++ {
		if _, beside, _ := l.off(from); off > mostBeside*beside {
			return 0, false
		}
	}
	return lobe, true
}

// off fits the lobe that best predicts the middle pixels of triples, the first of which begins at
// from. It returns the lobe, the energy of the remaining error, and the energy of all differences
// between neighbours.
func (l pixelLines) off(from int) (lobe, off, energy float64) {
	var own, both, bulges float64
	every := max(1, l.lines/sampledLines)
	for at := every / 2; at < l.lines; at += every {
		line := l.pix[at*l.next+1:] // green is closest to brightness
		pixel := func(i int) int { return int(line[i*l.step]) }
		for i := from + 3; i+3 < l.n; i += 3 {
			left, a, b, c, right := pixel(i-1), pixel(i), pixel(i+1), pixel(i+2), pixel(i+3)
			first, second := outer(left, a), outer(right, c)
			missing := float64(2*b-first-second) / 2
			bulge := float64(first+second-outer(a, left)-outer(c, right)) / 2
			own, both, bulges = own+missing*missing, both+missing*bulge, bulges+bulge*bulge
			energy += float64((b-a)*(b-a) + (c-b)*(c-b) + (right-c)*(right-c))
		}
	}
	if bulges > 0 {
		lobe = min(max(both/bulges, 0), mostLobe)
	}
	return lobe, own - 2*lobe*both + lobe*lobe*bulges, energy
}

// outer returns the original pixel of own, assuming a linear filter. other is the adjacent pixel of
// the next triple. Each of the two is 5/6 of its own original and 1/6 of the other's.
func outer(other, own int) int { return min(max((5*own-other+2)/4, 0), 255) }

// shrunkByHalf returns the original of a screen that was enlarged by half.
func shrunkByHalf(ctx context.Context, screen *image.NRGBA, by *weights) (*image.NRGBA, error) {
	size := screen.Rect.Size()
	small := image.NewNRGBA(image.Rect(0, 0, size.X/3*2, size.Y/3*2))
	narrow := make([]byte, small.Stride*size.Y)
	row := func(y int) []byte { return narrow[min(max(y, 0), size.Y-1)*small.Stride:][:small.Stride] }
	err := fair.Each(ctx, (size.Y+bandHeight-1)/bandHeight, func(band int) {
		for y := band * bandHeight; y < min((band+1)*bandHeight, size.Y); y++ {
			by.shrink(row(y), screen.Pix[y*screen.Stride:][:4*size.X])
		}
	})
	if err != nil {
		return nil, err
	}
	return small, fair.Each(ctx, (size.Y/3+bandHeight-1)/bandHeight, func(band int) {
		for i := band * bandHeight; i < min((band+1)*bandHeight, size.Y/3); i++ {
			to, middle := small.Pix[2*i*small.Stride:], row(3*i+1)
			by.join(to[:small.Stride], row(3*i), row(3*i-1), middle)
			by.join(to[small.Stride:][:small.Stride], row(3*i+2), row(3*i+3), middle)
		}
	})
}

// shrink computes a row of the original from a row enlarged by half. Beyond its ends a row repeats
// its last pixels.
func (w *weights) shrink(to, from []byte) {
	for i := 0; 12*i < len(from); i++ {
		left, right := from[max(12*i-4, 0):][:4], from[min(12*i+12, len(from)-4):][:4]
		three, two := from[12*i:][:12], to[8*i:][:8]
		for c := range 4 {
			two[c] = w.origin(three[c], left[c], three[4+c])
			two[4+c] = w.origin(three[8+c], right[c], three[4+c])
		}
	}
}

// join computes a row of the original from three rows enlarged by half.
func (w *weights) join(to, own, beside, middle []byte) {
	own, beside, middle = own[:len(to)], beside[:len(to)], middle[:len(to)]
	for i := range to {
		to[i] = w.origin(own[i], beside[i], middle[i])
	}
}

// origin returns the original pixel of own, given the adjacent pixel of the next triple and the
// middle pixel.
func (w *weights) origin(own, beside, middle byte) byte {
	v := (w.own*int32(own) + w.beside*int32(beside) + w.middle*int32(middle) + 512) >> 10
	if uint32(v) > 255 { // clamp to 0..255
		v = ^(v >> 31) & 255
	}
	return byte(v)
}
