package perception

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// decoderBytes is the maximum memory of a decoder without its pixels: tables, rows and the
// runtime's overhead.
const decoderBytes = 2 << 20

// DecodedBytes returns the header of an image, and the maximum memory that Decode uses for this
// image at any time, in bytes. The memory includes the pixels. DecodedBytes decodes only the
// header, and fails like DecodeHeader.
func DecodedBytes(data []byte) (Header, int64, error) {
	h, f, err := decodeHeader(data)
	if err != nil {
		return h, 0, err
	}
	perPixel := map[string]func([]byte) float64{
		"image/png": pngCost, "image/jpeg": jpegCost, "image/gif": gifCost, "image/webp": webpCost, "image/bmp": bmpCost,
	}[f.contentType](data)
	// Decoders that work in blocks round both sides up.
	pixels := float64((h.Width+blockSide-1)/blockSide*blockSide) * float64((h.Height+blockSide-1)/blockSide*blockSide)
	if f.contentType == "image/png" || f.contentType == "image/bmp" || f.contentType == "image/gif" {
		pixels = float64(h.Width) * float64(h.Height)
	}
	cost := int64(perPixel*pixels) + decoderBytes
	if f.contentType == "image/webp" {
		cost += webpTables(data)
	}
	if f.turn.turned() {
		cost += int64(rgba * pixels) // the stored and the rotated picture at once
	}
	return h, cost, nil
}

// Units of the costs below.
const (
	rgba      = 4    // bytes of a pixel: red, green, blue and alpha
	blockSide = 32.0 // side of the largest block of any format, in pixels
)

// pngCost returns the bytes per pixel of a PNG: decodePNG writes each row directly to the result.
func pngCost([]byte) float64 { return rgba }

// gifCost returns the bytes per pixel of a GIF: palette indices, a second copy of them if
// interlaced, and the result. The garbage collector may not have freed the copies yet.
func gifCost([]byte) float64 { return 1 + 1 + rgba }

// bmpCost returns the bytes per pixel of a BMP: with at most 8 bits a pixel, indices and the
// result; otherwise the result alone.
func bmpCost(data []byte) float64 {
	const bits = 28
	if len(data) > bits && data[bits] <= 8 {
		return 1 + rgba
	}
	return rgba
}

// jpegCost returns the bytes per pixel of a JPEG: brightness and colours at their resolutions, and
// the result. The decoder of a progressive JPEG also keeps 32-bit coefficients until the last scan.
func jpegCost(data []byte) float64 {
	j := jpegFrame(data)
	samples := j.samples
	if j.components == 4 {
		samples += rgba // a copy of cyan, magenta, yellow and black, interleaved
	}
	if j.progressive {
		const coefficient = 4
		return coefficient*j.samples + samples + rgba
	}
	return samples + rgba
}

// jpegKind has the properties of a JPEG that decide how much memory it needs.
type jpegKind struct {
	progressive bool
	components  int
	samples     float64 // samples per pixel, all components together
}

// jpegFrame finds the frame header of a JPEG. Without one it returns the costliest kind.
func jpegFrame(data []byte) jpegKind {
	for s := range jpegSegments(data) {
		if s.frame() {
			return jpegKindOf(s.body, s.marker == progressiveFrame)
		}
	}
	return jpegKind{progressive: true, components: 4, samples: 4}
}

// jpegSegment is a segment of a JPEG. If the file is cut short, the body is the part that exists.
type jpegSegment struct {
	marker byte
	body   []byte
}

// Markers of JPEG segments.
const (
	firstFrame       = 0xc0
	progressiveFrame = 0xc2
	startOfScan      = 0xda
)

// frame reports whether the segment is a frame header, which describes the picture.
func (s jpegSegment) frame() bool { return s.marker >= firstFrame && s.marker <= progressiveFrame }

// jpegSegments yields the segments of a JPEG. It ends after a segment that is cut short.
func jpegSegments(data []byte) iter.Seq[jpegSegment] {
	return func(yield func(jpegSegment) bool) {
		for rest := data[min(2, len(data)):]; len(rest) >= 4; {
			marker := rest[1]
			if rest[0] != 0xff || marker == 0xff { // skip bytes between segments, like image/jpeg
				rest = rest[1:]
				continue
			}
			if marker == 0 || marker == 1 || marker >= 0xd0 && marker <= 0xd9 { // markers without a length
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

// jpegKindOf parses a frame header: precision, height, width, and the sampling of each component.
// For an invalid header it returns the costliest kind.
func jpegKindOf(frame []byte, progressive bool) jpegKind {
	const head, component = 6, 3
	k := jpegKind{progressive: progressive, components: 4, samples: 4}
	if len(frame) < head || len(frame) < head+component*int(frame[head-1]) {
		return k
	}
	k.components = int(frame[head-1])
	largest, all := 1, 0
	for i := range k.components {
		sampling := frame[head+component*i+1]
		n := int(sampling>>4) * int(sampling&15)
		largest, all = max(largest, n), all+n
	}
	k.samples = min(4, float64(all)/float64(largest))
	if k.components == 1 {
		k.samples = 1
	}
	return k
}

// webpCost returns the bytes per pixel of a WebP. A lossy picture needs brightness, colours and the
// result. A lossless one needs the result and, while the decoder undoes a transform, a copy. The
// alpha channel of a lossy picture is a lossless picture of its own. The frame of an animation may be
// smaller than the result.
func webpCost(data []byte) float64 {
	const lossy, lossless = 1.5 + rgba, rgba + 0.75*rgba + 0.25*rgba
	cost := lossy
	switch {
	case hasWebPAlpha(data):
		cost = lossless + 1 + lossy // all memory of the alpha picture may still be uncollected at the end
	case isLossless(data):
		cost = lossless
	}
	if isAnimatedWebP(data) && !hasWholeFrame(data) {
		cost += rgba
	}
	return cost
}

// hasWholeFrame reports whether the first frame of an animation has the size of the picture.
func hasWholeFrame(data []byte) bool {
	const canvas, size, sizeEnd, canvasEnd = 24, 6, 12, 30
	frame := firstWebPFrame(data)
	return len(frame) >= sizeEnd && len(data) >= canvasEnd && bytes.Equal(frame[size:sizeEnd], data[canvas:canvasEnd])
}

// hasWebPAlpha reports whether a WebP may have a separate alpha picture. Only the extended format
// (VP8X) allows one.
func hasWebPAlpha(data []byte) bool {
	const flags, alpha = 20, 0x10
	if isAnimatedWebP(data) {
		return bytes.HasPrefix(webpFramePicture(data), []byte("ALPH"))
	}
	return firstWebPChunk(data) == "VP8X" && (len(data) <= flags || data[flags]&alpha != 0)
}

// isLossless reports whether a WebP may be lossless.
func isLossless(data []byte) bool {
	if isAnimatedWebP(data) {
		return bytes.HasPrefix(webpFramePicture(data), []byte("VP8L"))
	}
	first := firstWebPChunk(data)
	return first == "VP8L" || first == "VP8X" && bytes.Contains(data, []byte("VP8L"))
}

// webpTables returns the maximum bytes of a WebP decoder besides its pixels. The decoder copies
// lossy data once. Lossless data and alpha need Huffman tables: x/image accepts at most 2,600
// groups of five trees, and each entry takes some bits of the file.
func webpTables(data []byte) int64 {
	const groups, lookups, nodes, leastGroup, perByte = 2600, 5 * 560, 51_000, 3, 43
	n := int64(len(data))
	if isAnimatedWebP(data) {
		n = int64(len(webpFramePicture(data)))
	}
	if !isLossless(data) && !hasWebPAlpha(data) {
		return n
	}
	return n + min(groups, n/leastGroup)*lookups + min(groups*nodes, n*perByte)
}
