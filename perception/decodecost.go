package perception

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Besides pixels a decoder holds tables, rows and what the runtime needs.
const decoderBytes = 2 << 20

// DecodedBytes returns what an image says of itself, and the most memory that Decode needs for it at
// any time, pixels included. It reads the header alone, and fails as Decode would for that.
func DecodedBytes(data []byte) (Header, int64, error) {
	h, f, err := decodeHeader(data)
	if err != nil {
		return h, 0, err
	}
	perPixel := map[string]func([]byte) float64{
		"image/png": pngCost, "image/jpeg": jpegCost, "image/gif": gifCost, "image/webp": webpCost, "image/bmp": bmpCost,
	}[f.contentType](data)
	// Decoders of blocks round the sides up.
	pixels := float64((h.Width+blockSide-1)/blockSide*blockSide) * float64((h.Height+blockSide-1)/blockSide*blockSide)
	if f.contentType == "image/png" || f.contentType == "image/bmp" || f.contentType == "image/gif" {
		pixels = float64(h.Width) * float64(h.Height)
	}
	cost := int64(perPixel*pixels) + decoderBytes
	if f.contentType == "image/webp" {
		cost += webpTables(data)
	}
	if f.turn.turned() {
		cost += int64(rgba * pixels) // as it is stored, and as it is shown
	}
	return h, cost, nil
}

// Bytes of a pixel.
const (
	rgba      = 4    // red, green, blue and alpha of eight bits
	blockSide = 32.0 // the side of the largest block that an image is made of, in pixels
)

// pngCost: rows are written where they belong.
func pngCost([]byte) float64 { return rgba }

// gifCost: a palette's indices, twice for an interlaced frame, and then the pixels. What has been
// used up may not have been collected yet.
func gifCost([]byte) float64 { return 1 + 1 + rgba }

// bmpCost: indices and pixels for up to 8 bits, and else the pixels alone.
func bmpCost(data []byte) float64 {
	const bits = 28
	if len(data) > bits && data[bits] <= 8 {
		return 1 + rgba
	}
	return rgba
}

// jpegCost: brightness and colors at their resolutions, and then the pixels. A progressive one is
// held as coefficients of 32 bits until all has arrived.
func jpegCost(data []byte) float64 {
	j := jpegFrame(data)
	samples := j.samples
	if j.components == 4 {
		samples += rgba // cyan, magenta, yellow and black side by side
	}
	if j.progressive {
		const coefficient = 4
		return coefficient*j.samples + samples + rgba
	}
	return samples + rgba
}

// jpegKind is what the memory for a JPEG depends on.
type jpegKind struct {
	progressive bool
	components  int
	samples     float64 // of a pixel, all components together
}

// jpegFrame finds the frame header of a JPEG, or returns the costliest kind.
func jpegFrame(data []byte) jpegKind {
	for s := range jpegSegments(data) {
		if s.frame() {
			return jpegKindOf(s.body, s.marker == progressiveFrame)
		}
	}
	return jpegKind{progressive: true, components: 4, samples: 4}
}

// jpegSegment is a part of a JPEG: what it holds, and its body, as much of it as is there.
type jpegSegment struct {
	marker byte
	body   []byte
}

// Markers of a JPEG.
const (
	firstFrame       = 0xc0
	progressiveFrame = 0xc2
	startOfScan      = 0xda
)

// frame reports whether the segment says what the picture is.
func (s jpegSegment) frame() bool { return s.marker >= firstFrame && s.marker <= progressiveFrame }

// jpegSegments yields the segments of a JPEG, up to one that is cut short.
func jpegSegments(data []byte) iter.Seq[jpegSegment] {
	return func(yield func(jpegSegment) bool) {
		for rest := data[min(2, len(data)):]; len(rest) >= 4; {
			marker := rest[1]
			if rest[0] != 0xff || marker == 0xff { // as image/jpeg, skip what is between segments
				rest = rest[1:]
				continue
			}
			if marker == 0 || marker == 1 || marker >= 0xd0 && marker <= 0xd9 { // alone, without a length
				rest = rest[2:]
				continue
			}
			size := int(binary.BigEndian.Uint16(rest[2:]))
			end := min(max(4, 2+size), len(rest))
			if !yield(jpegSegment{marker, rest[4:end]}) || 2+size > len(rest) {
				return
			}
			rest = rest[2+size:]
		}
	}
}

// jpegKindOf reads a frame header: precision, height, width, and of each component its sampling.
func jpegKindOf(frame []byte, progressive bool) jpegKind {
	const head, component = 6, 3
	k := jpegKind{progressive: progressive, components: 4, samples: 4}
	if len(frame) < head || len(frame) < head+component*int(frame[head-1]) {
		return k
	}
	k.components = int(frame[head-1])
	most, all := 1, 0
	for i := range k.components {
		sampling := frame[head+component*i+1]
		n := int(sampling>>4) * int(sampling&15)
		most, all = max(most, n), all+n
	}
	k.samples = min(4, float64(all)/float64(most))
	if k.components == 1 {
		k.samples = 1
	}
	return k
}

// webpCost: a lossy one is brightness and colors, and then pixels. A lossless one is pixels, once
// more while a transform is undone. The alpha of a lossy one is a lossless picture.
func webpCost(data []byte) float64 {
	const lossy, lossless = 1.5 + rgba, rgba + 0.75*rgba + 0.25*rgba
	switch {
	case hasWebPAlpha(data):
		return lossless + 1 + lossy // nothing of the alpha's picture may have been collected before the end
	case isLossless(data):
		return lossless
	}
	return lossy
}

// hasWebPAlpha reports whether a WebP may have an alpha beside its picture: only one that begins as extended may.
func hasWebPAlpha(data []byte) bool {
	const flags, alpha = 20, 0x10
	return firstWebPChunk(data) == "VP8X" && (len(data) <= flags || data[flags]&alpha != 0)
}

// isLossless reports whether a WebP may be a lossless one.
func isLossless(data []byte) bool {
	first := firstWebPChunk(data)
	return first == "VP8L" || first == "VP8X" && bytes.Contains(data, []byte("VP8L"))
}

// webpTables returns the most bytes that a WebP takes beside its pixels: a lossy one is copied as it
// is in the file. Of a lossless one, and of an alpha, these are the tables: x/image reads 2,600 groups of five
// trees at most, and each entry has some bits in the file.
func webpTables(data []byte) int64 {
	const groups, lookups, nodes, leastGroup, perByte = 2600, 5 * 560, 51_000, 3, 43
	n := int64(len(data))
	if !isLossless(data) && !hasWebPAlpha(data) {
		return n
	}
	return n + min(groups, n/leastGroup)*lookups + min(groups*nodes, n*perByte)
}
