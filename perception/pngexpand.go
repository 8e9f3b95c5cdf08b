package perception

import (
	"bytes"
	"encoding/binary"
)

// expand converts a row of pixels to red, green, blue and alpha of eight bits each. Of 16 bits it
// takes the upper eight, like imaging.Clone.
func (p *pngFile) expand(to, from []byte) {
	switch {
	case p.depth < 8:
		p.expandBits(to, from)
	case p.depth == 16:
		p.expand16(to, from)
	case p.kind == pngAlpha:
		copy(to, from)
	case p.kind == pngColor:
		expandColor(to, from)
	case p.kind == pngPalette:
		for i, index := range from[:len(to)/4] {
			binary.LittleEndian.PutUint32(to[4*i:], p.palette[index])
		}
	case p.kind == pngGrey:
		for i, v := range from[:len(to)/4] {
			binary.LittleEndian.PutUint32(to[4*i:], uint32(v)*0x010101|0xff000000)
		}
	case p.kind == pngGreyAlpha:
		for i := 0; i+4 <= len(to); i += 4 {
			binary.LittleEndian.PutUint32(to[i:], uint32(from[i/2])*0x010101|uint32(from[i/2+1])<<24)
		}
	}
	if p.clear != nil && p.depth >= 8 {
		p.clearPixels(to, from)
	}
}

// clearPixels sets alpha to 0 in pixels of the transparent colour.
func (p *pngFile) clearPixels(to, from []byte) {
	n := len(p.clear)
	for i := 0; 4*i < len(to); i++ {
		if bytes.Equal(from[n*i:][:n], p.clear) {
			to[4*i+3] = 0
		}
	}
}

// expandColor converts pixels without alpha, four at a time.
func expandColor(to, from []byte) {
	const colour, alphas = 0xffffff, 0xff000000ff000000
	for len(to) >= 16 && len(from) >= 12 {
		first, last := binary.LittleEndian.Uint64(from), uint64(binary.LittleEndian.Uint32(from[8:]))
		binary.LittleEndian.PutUint64(to, first&colour|first<<8&(colour<<32)|alphas)
		binary.LittleEndian.PutUint64(to[8:], (first>>48|last<<16)&colour|last>>8<<32|alphas)
		to, from = to[16:], from[12:]
	}
	for len(to) >= 4 && len(from) >= 4 {
		binary.LittleEndian.PutUint32(to, binary.LittleEndian.Uint32(from)|0xff000000)
		to, from = to[4:], from[3:]
	}
	if len(to) >= 4 && len(from) >= 3 {
		to[0], to[1], to[2], to[3] = from[0], from[1], from[2], 0xff
	}
}

// expandBits converts pixels of less than eight bits. The first pixel of a byte is in its upper
// bits.
func (p *pngFile) expandBits(to, from []byte) {
	mask := byte(1)<<p.depth - 1
	for x := 0; 4*x < len(to); x++ {
		at := x * p.depth
		v := from[at/8] >> (8 - p.depth - at%8) & mask
		pixel := p.palette[v]
		if p.kind == pngGrey {
			pixel = uint32(v)*(0xff/uint32(mask))*0x010101 | 0xff000000
			if p.clear != nil && v == p.clear[0] {
				pixel &= 0x00ffffff
			}
		}
		binary.LittleEndian.PutUint32(to[4*x:], pixel)
	}
}

// expand16 converts pixels of 16 bits a channel.
func (p *pngFile) expand16(to, from []byte) {
	switch p.kind {
	case pngAlpha:
		for i := range to {
			to[i] = from[2*i]
		}
	case pngColor:
		for x := 0; 4*x < len(to); x++ {
			to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = from[6*x], from[6*x+2], from[6*x+4], 0xff
		}
	case pngGrey:
		for x := 0; 4*x < len(to); x++ {
			binary.LittleEndian.PutUint32(to[4*x:], uint32(from[2*x])*0x010101|0xff000000)
		}
	case pngGreyAlpha:
		for x := 0; 4*x < len(to); x++ {
			binary.LittleEndian.PutUint32(to[4*x:], uint32(from[4*x])*0x010101|uint32(from[4*x+2])<<24)
		}
	}
}
