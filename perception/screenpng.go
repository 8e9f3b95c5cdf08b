package perception

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"io"
)

// decodeScreenPNG decodes PNGs as screenshots are (RFC 2083): eight bits a channel, colour with or
// without alpha, not interlaced. It takes less than half the time of image/png, to which it leaves
// all others and damaged ones: then it returns false. size is from the header, and checked.
//
// One goroutine inflates rows while another undoes their filters.
func decodeScreenPNG(data []byte, size image.Point) (screen *image.NRGBA, ok bool) {
	idat, channels, ok := screenIDAT(data)
	if !ok {
		return nil, false
	}
	screen = image.NewNRGBA(image.Rectangle{Max: size})
	stride := 1 + channels*size.X // a byte for the filter comes before each row
	full, free := make(chan []byte, batches), make(chan []byte, batches)
	for range batches {
		free <- make([]byte, min(batchRows, size.Y)*stride)
	}
	whole := make(chan bool, 1)
	go func() {
		defer close(full)
		whole <- inflate(idat, stride, size.Y, full, free)
	}()
	y, valid := 0, true
	before := make([]byte, stride) // the row above, its filter undone
	for batch := range full {
		for rest := batch; len(rest) >= stride && valid; rest = rest[stride:] {
			row := rest[:stride]
			valid = unfilter(row, before, channels)
			expand(screen.Pix[y*screen.Stride:][:4*size.X], row[1:], channels)
			copy(before, row)
			y++
		}
		free <- batch[:cap(batch)]
	}
	return screen, valid && <-whole
}

// Rows are handed over in batches of some, a few at a time.
const (
	batchRows = 32
	batches   = 4
)

// inflate sends all rows to full, in memory from free, and reports whether they were valid.
func inflate(idat io.Reader, stride, rows int, full chan<- []byte, free <-chan []byte) bool {
	z, err := zlib.NewReader(idat)
	if err != nil {
		return false
	}
	for rows > 0 {
		n := min(batchRows, rows)
		batch := (<-free)[:n*stride]
		if _, err := io.ReadFull(z, batch); err != nil {
			return false
		}
		full <- batch
		rows -= n
	}
	n, err := z.Read(make([]byte, 1))
	return n == 0 && errors.Is(err, io.EOF)
}

// screenIDAT returns a PNG's compressed rows and channels, if decodeScreenPNG takes it.
func screenIDAT(data []byte) (idat io.Reader, channels int, ok bool) {
	const signature, lengthAndType, checksum = 8, 8, 4
	var parts []io.Reader
	for rest := data[signature:]; len(rest) >= lengthAndType+checksum; {
		length := int(binary.BigEndian.Uint32(rest))
		if length > len(rest)-lengthAndType-checksum {
			return nil, 0, false
		}
		kind, body := string(rest[4:8]), rest[lengthAndType:][:length]
		if crc32.ChecksumIEEE(rest[4:lengthAndType+length]) != binary.BigEndian.Uint32(rest[lengthAndType+length:]) {
			return nil, 0, false
		}
		rest = rest[lengthAndType+length+checksum:]
		switch kind {
		case "IHDR":
			if channels = screenChannels(body); channels == 0 {
				return nil, 0, false
			}
		case "IDAT":
			parts = append(parts, bytes.NewReader(body))
		case "tRNS":
			return nil, 0, false
		case "IEND":
			return io.MultiReader(parts...), channels, channels > 0 && len(parts) > 0
		}
	}
	return nil, 0, false
}

// screenChannels returns a PNG's channels, or 0 if decodeScreenPNG does not take it.
func screenChannels(header []byte) int {
	const depth, colour, interlace = 8, 9, 12
	if len(header) != 13 || header[depth] != 8 || header[interlace] != 0 {
		return 0
	}
	return map[byte]int{2: 3, 6: 4}[header[colour]]
}

// unfilter undoes a row's filter, and reports whether there is such a filter.
func unfilter(row, above []byte, channels int) bool {
	filter, row, above := row[0], row[1:], above[1:]
	switch filter {
	case 0:
	case 1:
		for i := channels; i < len(row); i++ {
			row[i] += row[i-channels]
		}
	case 2:
		addBytes(row, above)
	case 3:
		for i := range channels {
			row[i] += above[i] / 2
		}
		for i := channels; i < len(row); i++ {
			row[i] += byte((int(row[i-channels]) + int(above[i])) / 2)
		}
	case 4:
		paeth(row, above, channels)
	default:
		return false
	}
	return true
}

// addBytes adds each byte of b to that of a, eight at a time.
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

// paeth undoes the filter of that name. If the left pixel equals the one above it, the filter
// predicts the pixel above; while that is right, as mostly on screens, the row above can be copied.
func paeth(row, above []byte, channels int) {
	above = above[:len(row)]
	for i := 0; i+channels <= len(row); i += channels {
		if row[i] == 0 && (i == 0 || bytes.Equal(row[i-channels:i], above[i-channels:i])) {
			if n := zeros(row[i:]) / channels * channels; n > 0 {
				copy(row[i:i+n], above[i:])
				i += n - channels
				continue
			}
		}
		for k := i; k < i+channels; k++ {
			left, corner := 0, 0
			if i > 0 {
				left, corner = int(row[k-channels]), int(above[k-channels])
			}
			row[k] += predict(left, int(above[k]), corner)
		}
	}
}

// zeros returns how many bytes are zero from the first on.
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

// predict returns the neighbour nearest to left + up - corner, as PNG defines
// it: of equals the first in that order.
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

// expand writes a row of pixels with alpha.
func expand(to, from []byte, channels int) {
	if channels == 4 {
		copy(to, from)
		return
	}
	for len(to) >= 4 && len(from) >= 4 {
		binary.LittleEndian.PutUint32(to, binary.LittleEndian.Uint32(from)|0xff000000)
		to, from = to[4:], from[3:]
	}
	if len(to) >= 4 && len(from) >= 3 {
		to[0], to[1], to[2], to[3] = from[0], from[1], from[2], 0xff
	}
}
