package reader

import (
	"context"
	"encoding/binary"
	"image"

	"github.com/windieos/windie/internal/fair"
)

// A screen that was enlarged to twice its size with smoothing has no more detail than the original,
// and the network reads its blurred letters worse. Two properties together identify such a screen:
// pixels from the same original differ less than neighbours from different ones; and the screen,
// halved and enlarged again with a linear filter, is nearly unchanged. Other screens, even blurred
// or compressed ones, do not have both. The limits were measured on 82 screens: unchanged, blurred,
// enlarged by 1.25 and 1.5, and enlarged to twice their size with linear, cubic and Lanczos
// filters, before and after JPEG compression.
const (
	// mostWithin is the maximum energy of differences within pairs of pixels, as a share of the
	// energy across pairs. Enlarged screens have .28 to .78, others about 1.
	mostWithin = 0.8
	// mostResidual is the maximum energy lost by halving and enlarging, as a share of the energy of
	// all differences. Enlarged screens have at most .058; others .145 and more, and screens
	// blurred by a pixel .018 and more.
	mostResidual = 0.065
	// sampledLines is the approximate number of rows, and of columns, to sample.
	sampledLines = 48
)

// isSmoothlyDoubled reports whether a screen was enlarged to twice its size with smoothing.
func isSmoothlyDoubled(screen *image.NRGBA) bool {
	size := screen.Rect.Size()
	if size.X%2 != 0 || size.Y%2 != 0 || size.X < 8 || size.Y < 8 {
		return false
	}
	return areDoubled(screen.Pix, size.X, 4, size.Y, screen.Stride) && areDoubled(screen.Pix, size.Y, screen.Stride, size.X, 4)
}

// areDoubled reports whether lines of pixels were enlarged to twice their length. Each line has n
// pixels, step bytes apart; lines are next bytes apart.
func areDoubled(pix []byte, n, step, lines, next int) bool {
	every := max(1, lines/sampledLines)
	var within, across, residual int
	for l := every / 2; l < lines; l += every {
		w, a := pairs(pix[l*next+1:], n, step) // green is closest to brightness
		within, across = within+w, across+a
	}
	if within+across == 0 || float64(within) > mostWithin*float64(across) {
		return false
	}
	line, half := make([]int, n), make([]int, n/2)
	for l := every / 2; l < lines; l += every {
		for i, at := 0, l*next+1; i < n; i, at = i+1, at+step {
			line[i] = int(pix[at])
		}
		residual += lost(line, half)
	}
	return float64(residual) <= mostResidual*float64(within+across)
}

// pairs returns the energy of the differences within pairs of a line's n pixels, and across pairs.
func pairs(line []byte, n, step int) (within, across int) {
	last := int(line[0])
	for i, at := 1, step; i+1 < n; i, at = i+2, at+2*step {
		b, c := int(line[at]), int(line[at+step])
		within += (b - last) * (b - last)
		across += (c - b) * (c - b)
		last = c
	}
	return within, across
}

// lost returns the energy that a line loses when it is halved, into half, and enlarged again with a
// linear filter.
func lost(line, half []int) int {
	last := len(half) - 1
	for i := range half {
		half[i] = origin(line[max(0, 2*i-1)], line[2*i], line[2*i+1], line[min(len(line)-1, 2*i+2)])
	}
	sum := 0
	for i, h := range half {
		left, right := (half[max(0, i-1)]+3*h+2)/4, (half[min(last, i+1)]+3*h+2)/4
		sum += (line[2*i]-left)*(line[2*i]-left) + (line[2*i+1]-right)*(line[2*i+1]-right)
	}
	return sum
}

// origin returns the original of two pixels, b and c, between a and d. It assumes a linear filter,
// which puts each pixel a quarter of an original pixel off its centre.
func origin(a, b, c, d int) int { return min(max((3*(b+c)-a-d+2)/4, 0), 255) }

// unsmoothed returns the original of a screen that was enlarged to twice its size with smoothing.
func unsmoothed(ctx context.Context, screen *image.NRGBA) (*image.NRGBA, error) {
	size := screen.Rect.Size().Div(2)
	half, narrow := image.NewNRGBA(image.Rectangle{Max: size}), make([]byte, 8*size.X*size.Y)
	row := func(y int) []byte { return narrow[min(max(y, 0), 2*size.Y-1)*4*size.X:][:4*size.X] }
	bands := (size.Y + bandHeight - 1) / bandHeight
	err := fair.Each(ctx, bands, func(band int) {
		for y := 2 * band * bandHeight; y < min(2*(band+1)*bandHeight, 2*size.Y); y++ {
			narrowed(row(y), screen.Pix[y*screen.Stride:][:8*size.X])
		}
	})
	if err != nil {
		return nil, err
	}
	return half, fair.Each(ctx, bands, func(band int) {
		for y := band * bandHeight; y < min((band+1)*bandHeight, size.Y); y++ {
			flattened(half.Pix[y*half.Stride:][:4*size.X], row(2*y-1), row(2*y), row(2*y+1), row(2*y+2))
		}
	})
}

// bandHeight is the number of rows of the smaller screen that one step computes.
const bandHeight = 64

// narrowed halves the row from into to.
func narrowed(to, from []byte) {
	const low = 1<<32 - 1
	narrowedAt(to, from, 0)
	i := 1
	// two results from eight pixels; the outer two only contribute as neighbours
	for ; 8*i+24 <= len(from); i += 2 {
		f := from[8*i-8:][:32]
		before, first := binary.LittleEndian.Uint64(f), binary.LittleEndian.Uint64(f[8:])
		second, after := binary.LittleEndian.Uint64(f[16:]), binary.LittleEndian.Uint64(f[24:])
		both := origins(before>>32|first&^low, first&low|second<<32, first>>32|second&^low, second&low|after<<32)
		binary.LittleEndian.PutUint64(to[4*i:], both)
	}
	for ; i < len(to)/4; i++ {
		narrowedAt(to, from, i)
	}
}

// narrowedAt computes pixel i of the halved row. Beyond its ends a row repeats its last pixels.
func narrowedAt(to, from []byte, i int) {
	pixel := func(i int) uint64 {
		return uint64(binary.LittleEndian.Uint32(from[4*min(max(i, 0), len(from)/4-1):]))
	}
	binary.LittleEndian.PutUint32(to[4*i:], uint32(origins(pixel(2*i-1), pixel(2*i), pixel(2*i+1), pixel(2*i+2))))
}

// flattened computes the original of rows b and c, between rows a and d.
func flattened(to, a, b, c, d []byte) {
	x := 0
	for ; x+8 <= len(to); x += 8 {
		at := binary.LittleEndian.Uint64
		binary.LittleEndian.PutUint64(to[x:], origins(at(a[x:]), at(b[x:]), at(c[x:]), at(d[x:])))
	}
	for ; x < len(to); x++ {
		to[x] = byte(origin(int(a[x]), int(b[x]), int(c[x]), int(d[x])))
	}
}

// origins applies origin to eight bytes at once.
func origins(a, b, c, d uint64) uint64 {
	const even = 0x00ff00ff00ff00ff
	return lanes(a&even, b&even, c&even, d&even) | lanes(a>>8&even, b>>8&even, c>>8&even, d>>8&even)<<8
}

// lanes applies origin to four numbers of 16 bits at once.
func lanes(a, b, c, d uint64) uint64 {
	const ones = 0x0001000100010001
	sum := 3*(b+c) + (512+2)*ones - a - d // 128 more than four times the result, so that no lane is negative
	over := sum>>2&(0x3ff*ones) + (0x8000-128)*ones
	positive := over >> 15 & ones * 0xffff
	result := over & (0x7fff * ones) & positive
	return (result | result>>8&ones*0xff) & (0xff * ones)
}
