package perception

import (
	"bytes"
	"encoding/binary"
)

// unfilter undoes the filter of a row in place. pixel is the bytes of a pixel, at least 1. It
// returns false for an unknown filter.
func unfilter(row, above []byte, pixel int) bool {
	filter, row, above := row[0], row[1:], above[1:]
	switch filter {
	case 0:
	case 1:
		for i := pixel; i < len(row); i++ {
			row[i] += row[i-pixel]
		}
	case 2:
		addBytes(row, above)
	case 3:
		for i := range pixel {
			row[i] += above[i] / 2
		}
		for i := pixel; i < len(row); i++ {
			row[i] += byte((int(row[i-pixel]) + int(above[i])) / 2)
		}
	case 4:
		paeth(row, above, pixel)
	default:
		return false
	}
	return true
}

// addBytes adds each byte of b to the same byte of a, eight at a time. The sums wrap.
func addBytes(a, b []byte) {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	for len(a) >= 8 && len(b) >= 8 {
		x, y := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		binary.LittleEndian.PutUint64(a, ((x&low)+(y&low))^((x^y)&high))
		a, b = a[8:], b[8:]
	}
	for i := range a {
		a[i] += b[i]
	}
}

// paeth undoes the Paeth filter. If the left pixel equals the pixel above it, the filter predicts
// the pixel above the current one. On screens this prediction is mostly right for many pixels, so
// paeth copies them from the row above.
func paeth(row, above []byte, pixel int) {
	above = above[:len(row)]
	for i := 0; i+pixel <= len(row); i += pixel {
		if row[i] == 0 && (i == 0 || bytes.Equal(row[i-pixel:i], above[i-pixel:i])) {
			if n := zeros(row[i:]) / pixel * pixel; n > 0 {
				copy(row[i:i+n], above[i:])
				i += n - pixel
				continue
			}
		}
		for k := i; k < i+pixel; k++ {
			left, corner := 0, 0
			if i > 0 {
				left, corner = int(row[k-pixel]), int(above[k-pixel])
			}
			row[k] += predict(left, int(above[k]), corner)
		}
	}
}

// zeros returns the number of leading zero bytes.
func zeros(b []byte) int {
	n := 0
	for len(b) >= n+8 && binary.LittleEndian.Uint64(b[n:]) == 0 {
		n += 8
	}
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// predict returns the neighbour nearest to left + up - corner, by PNG's definition. Of equals it
// prefers left, then up.
func predict(left, up, corner int) byte {
	toLeft, toUp := up-corner, left-corner
	toCorner := max(toLeft+toUp, -toLeft-toUp)
	toLeft, toUp = max(toLeft, -toLeft), max(toUp, -toUp)
	if toLeft <= toUp && toLeft <= toCorner {
		return byte(left)
	}
	if toUp <= toCorner {
		return byte(up)
	}
	return byte(corner)
}
