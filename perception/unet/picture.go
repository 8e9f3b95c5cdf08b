package unet

import (
	"encoding/binary"
	"image"
	"unsafe"
)

const (
	leastSide = 16 // pixels of the shorter side of the smallest size
	coarsest  = 16 // pixels of a cell of the coarsest layer; sides are padded to whole cells
	patchSide = 4  // pixels of a cell of the finest layer
)

// picture is one size of a screen: NRGBA, width and height in pixels.
type picture struct {
	pix           []uint8
	stride        int // bytes of a row
	width, height int
}

// pictures returns at most most sizes of a screen, the largest first. The first shares the screen's
// memory.
func pictures(screen *image.NRGBA, most int) []picture {
	list := []picture{{screen.Pix, screen.Stride, screen.Rect.Dx(), screen.Rect.Dy()}}
	if screen.Rect.Empty() {
		return nil
	}
	for len(list) < most {
		p := list[len(list)-1]
		if min(p.width, p.height) < 2*leastSide {
			break
		}
		list = append(list, p.half())
	}
	return list
}

// evens masks every second byte of eight.
const evens = 0x00ff00ff00ff00ff

// half returns the picture at half its size. Each 2x2 pixels become their mean, rounded down. An odd
// last row or column counts twice.
func (p picture) half() picture {
	to := picture{width: (p.width + 1) / 2, height: (p.height + 1) / 2}
	to.stride = 4 * to.width
	to.pix = make([]uint8, to.stride*to.height)
	whole := p.width / 2
	for y := range to.height {
		a := p.pix[2*y*p.stride:][:4*p.width]
		b := a
		if 2*y+1 < p.height {
			b = p.pix[(2*y+1)*p.stride:][:4*p.width]
		}
		out := to.pix[y*to.stride:][:to.stride]
		for x := range whole {
			u, v := binary.LittleEndian.Uint64(a[8*x:]), binary.LittleEndian.Uint64(b[8*x:])
			even, odd := u&evens+v&evens, u>>8&evens+v>>8&evens
			even, odd = even+even>>32, odd+odd>>32
			binary.LittleEndian.PutUint32(out[4*x:], uint32(even>>2&evens|odd>>2&evens<<8))
		}
		if whole < to.width {
			for c := range 4 {
				out[4*whole+c] = uint8((int(a[8*whole+c]) + int(b[8*whole+c])) / 2)
			}
		}
	}
	return to
}

// cells returns the number of cells of the finest layer across and down.
func (p picture) cells() (across, down int) {
	whole := func(n int) int { return (n + coarsest - 1) / coarsest * (coarsest / patchSide) }
	return whole(p.width), whole(p.height)
}

// patchBytes is the size of a patch: RGBA of each pixel, row by row. The weights of A are 0.
const patchBytes = 4 * patchSide * patchSide

// patches stores the patches of a row of cells. Each byte is halved: it becomes an activation. Pixels
// beyond the edge are those at the edge.
func (p picture) patches(to []int8, row, across int) {
	const sevenBits = 0x7f7f7f7f7f7f7f7f
	bytes := bytesOf(to)
	for y := range patchSide {
		from := p.pix[min(row*patchSide+y, p.height-1)*p.stride:][:4*p.width]
		whole := p.width / patchSide
		for x := range whole {
			pix, out := from[16*x:][:16], bytes[x*patchBytes+16*y:][:16]
			binary.LittleEndian.PutUint64(out, binary.LittleEndian.Uint64(pix)>>1&sevenBits)
			binary.LittleEndian.PutUint64(out[8:], binary.LittleEndian.Uint64(pix[8:])>>1&sevenBits)
		}
		for x := whole; x < across; x++ {
			for i := range patchSide {
				at, out := min(patchSide*x+i, p.width-1), to[x*patchBytes+16*y+4*i:][:4]
				for c, v := range from[4*at:][:4] {
					out[c] = int8(v >> 1)
				}
			}
		}
	}
}

// bytesOf returns the memory of activations as bytes.
func bytesOf(x []int8) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
