package reader

import (
	"context"
	"image"

	"github.com/windieos/windie/internal/fair"
)

// A screen that was enlarged by half with smoothing, as a viewer of a remote screen enlarges it, has three pixels for each two: the one in
// the middle is made of both alike, and the others are nearly the two themselves, a sixth of a pixel farther out. What the two were follows
// from their neighbours, and what is in the middle from them. That is so on a blurred screen too, but there for pixels at other
// places as well. Both were measured on 49 screens as they are, blurred, enlarged by 1.25, 2 and 3, and enlarged by half by lines, by
// cubics and by Lanczos's filter, before JPEG of quality 95 too.
const (
	// mostOff is how much of the energy of a screen's differences the pixels in the middle may be off. Those of screens that were
	// enlarged by half are off by .032 at most, half of them by .005; those of screens as they are by .077 and more.
	mostOff = 0.035
	// mostBeside is how much of that it is at most for other places. Of screens that were enlarged by half it is .02 to .12 for half of
	// them; of others .86 and more, but of those that were enlarged to three times their size, which are enlarged by half and twice.
	mostBeside = 0.5
	// mostLobe is how much pixels beside the two take from the middle at most. It distinguishes filters: half of the screens have 0 where
	// lines were drawn, .05 for cubics and .17 for Lanczos's filter.
	mostLobe = 0.3
)

// weights are by how much a pixel that two of three are made of is its own outer one of the three, the one beside that in the next
// three, and the one in the middle, in parts of 1024. They solve for the pixel what the filter makes of it and its neighbours.
type weights struct{ own, beside, middle int32 }

// filters are those that screens are enlarged by, each with the lobe that is the least for it.
var filters = []struct {
	lobe float64
	weights
}{
	{0.1, weights{1016, -156, 164}},  // Lanczos's, three lobes
	{0.02, weights{1060, -142, 106}}, // Catmull and Rom's cubics
	{0, weights{1280, -256, 0}},      // lines
}

// enlargedByHalf returns the weights that a screen is shrunk by which was enlarged by half with smoothing; nil for others.
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

// pixelLines are lines of n pixels that are step bytes apart each; the lines are next bytes apart.
type pixelLines struct {
	pix                  []byte
	n, step, lines, next int
}

// lobeByHalf returns the lobe of the filter that lines of pixels were enlarged by, and whether they were enlarged by half.
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

// off returns the lobe that explains the middle ones of three pixels each, from one on, best, the energy of what they are off all the
// same, and that of all differences.
func (l pixelLines) off(from int) (lobe, off, energy float64) {
	var own, both, bulges float64
	every := max(1, l.lines/sampledLines)
	for at := every / 2; at < l.lines; at += every {
		line := l.pix[at*l.next+1:] // green is nearest to brightness
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

// outer returns what a pixel was made of whose neighbour is of the next pair, where lines were drawn through the pixels of the smaller
// screen: each is five sixths its own, and a sixth of the other's.
func outer(other, own int) int { return min(max((5*own-other+2)/4, 0), 255) }

// shrunkByHalf returns the screen that was enlarged by half.
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

// shrink writes the row that a row which was enlarged by half was made of. What is beside the row is as its ends.
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

// join writes the row that rows which were enlarged by half were made of.
func (w *weights) join(to, own, beside, middle []byte) {
	own, beside, middle = own[:len(to)], beside[:len(to)], middle[:len(to)]
	for i := range to {
		to[i] = w.origin(own[i], beside[i], middle[i])
	}
}

// origin returns the pixel that two of three were made of.
func (w *weights) origin(own, beside, middle byte) byte {
	v := (w.own*int32(own) + w.beside*int32(beside) + w.middle*int32(middle) + 512) >> 10
	if uint32(v) > 255 { // below 0, or above
		v = ^(v >> 31) & 255
	}
	return byte(v)
}
