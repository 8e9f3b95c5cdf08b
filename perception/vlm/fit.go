package vlm

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// limits are the sizes of image that the models of a family do not resize. Servers resize other
// images silently, and pixels in the answer then refer to an image of unknown size.
type limits struct {
	pixels    int // maximum width x height
	least     int // minimum width x height; 0 for no limit
	long      int // maximum of the longer side; 0 for no limit
	short     int // maximum of the shorter side; 0 for no limit
	multiples int // each side is a multiple of this; 0 and 1 allow any
}

// fit returns the largest size within the limits that nearly keeps the ratio of size's sides.
func (l limits) fit(size image.Point) image.Point {
	w, h := float64(size.X), float64(size.Y)
	scale := min(1, math.Sqrt(float64(l.pixels)/(w*h)))
	if l.long > 0 {
		scale = min(scale, float64(l.long)/max(w, h))
	}
	if l.short > 0 {
		scale = min(scale, float64(l.short)/min(w, h))
	}
	fitted := image.Pt(l.side(w*scale, math.Floor), l.side(h*scale, math.Floor))
	if fitted.X*fitted.Y < l.least {
		scale = math.Sqrt(float64(l.least) / (w * h))
		fitted = image.Pt(l.side(w*scale, math.Ceil), l.side(h*scale, math.Ceil))
	}
	// If one side is a single multiple, the other may be too long.
	m := l.multiple()
	fitted.X = min(fitted.X, max(m, l.pixels/fitted.Y/m*m))
	fitted.Y = min(fitted.Y, max(m, l.pixels/fitted.X/m*m))
	return fitted
}

// multiple returns the number that sides are multiples of, at least 1.
func (l limits) multiple() int { return max(l.multiples, 1) }

// side returns a length as a multiple of l.multiple, rounded by round and never 0.
func (l limits) side(length float64, round func(float64) float64) int {
	m := l.multiple()
	return max(1, int(round(length/float64(m)))) * m
}

// Size of the part of the screen for a second look.
const (
	cropRatio = 0.5 // share of the screen's sides
	minCrop   = 256 // minimum pixels a side, if the screen has them
)

// crop returns the part of a screen around a point for a second look: half the screen's sides, or
// as much as the family accepts without resizing.
func (l limits) crop(screen image.Rectangle, around image.Point) image.Rectangle {
	full := screen.Size()
	half := func(side int) int { return min(side, max(minCrop, int(float64(side)*cropRatio))) }
	size := image.Pt(half(full.X), half(full.Y))
	fitted := l.fit(size)
	// no larger, so that the part is not resampled
	size = image.Pt(min(size.X, fitted.X), min(size.Y, fitted.Y))
	corner := around.Sub(size.Div(2))
	corner.X = min(max(corner.X, screen.Min.X), screen.Max.X-size.X)
	corner.Y = min(max(corner.Y, screen.Min.Y), screen.Max.Y-size.Y)
	return image.Rectangle{Min: corner, Max: corner.Add(size)}
}

// picture is a part of a screen in the form sent to a model.
type picture struct {
	region image.Rectangle // of the screen
	size   image.Point     // of the sent image
	data   []byte          // a JPEG
}

// quality is the JPEG quality. At 90 small letters remain clean, in half the bytes and time of a
// PNG.
const quality = 90

// picture returns a part of a screen in a size that the family accepts.
func (l limits) picture(screen *image.NRGBA, region image.Rectangle) (picture, error) {
	p := picture{region: region, size: l.fit(region.Size())}
	shown := opaque(screen.SubImage(region).(*image.NRGBA))
	switch {
	case p.size == region.Size():
	case p.size.X <= region.Dx() && p.size.Y <= region.Dy():
		shown = shrink(shown, p.size)
	default:
		shown = opaque(imaging.Resize(shown, p.size.X, p.size.Y, imaging.Linear))
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, shown, &jpeg.Options{Quality: quality}); err != nil {
		return p, fault.New("vlm.picture", sdkapi.InvalidImage, "the gateway cannot prepare the image for the vision model").Because(err)
	}
	p.data = out.Bytes()
	return p, nil
}

// toScreen converts a position on the sent image to a pixel of the screen; ok is false for a
// position outside of the image. The far edges count as the last pixels, because 1000 of 1000 means
// the edge.
func (p picture) toScreen(x, y float64) (image.Point, bool) {
	if !(x >= 0 && y >= 0 && x <= float64(p.size.X) && y <= float64(p.size.Y)) { // NaN is outside
		return image.Point{}, false
	}
	scaled := func(v float64, sent, from, to int) int {
		return min(from+int(v*float64(to-from)/float64(sent)), to-1)
	}
	return image.Pt(
		scaled(x, p.size.X, p.region.Min.X, p.region.Max.X),
		scaled(y, p.size.Y, p.region.Min.Y, p.region.Max.Y),
	), true
}
