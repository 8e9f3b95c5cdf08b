package overlay

import (
	"image/color"
	"math"
)

// palette has the colors of marks, in order of use. Any two of them are distinguishable with each
// of the three kinds of color blindness, better than in the set of Okabe and Ito.
var palette = [...]color.NRGBA{
	{0xD8, 0x1F, 0x80, 0xFF}, // pink
	{0x15, 0x40, 0xEE, 0xFF}, // blue
	{0xE5, 0x8A, 0x1F, 0xFF}, // amber
	{0x2F, 0xE0, 0xE6, 0xFF}, // cyan
	{0x7A, 0x10, 0x60, 0xFF}, // plum
	{0xD6, 0xE0, 0x1A, 0xFF}, // lime
	{0x1F, 0x97, 0xF5, 0xFF}, // sky
	{0x73, 0x5E, 0x07, 0xFF}, // olive
}

// PaletteColor returns color n of the palette. n may be any number: after the last color the
// palette begins again.
func PaletteColor(n int) color.NRGBA {
	return palette[(n%len(palette)+len(palette))%len(palette)]
}

var (
	white = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
	ink   = color.NRGBA{0x11, 0x14, 0x1A, 0xFF}
)

// against returns white or ink, whichever has more contrast with c.
func against(c color.NRGBA) color.NRGBA {
	if contrast(white, c) >= contrast(ink, c) {
		return white
	}
	return ink
}

// contrast returns the contrast ratio of WCAG, 1 for equal colors to 21 for black and white. Text
// needs 4.5.
func contrast(a, b color.NRGBA) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance returns the relative luminance of c, 0..1.
func luminance(c color.NRGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// linear converts an sRGB channel to linear intensity, 0..1.
func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}
