package perception

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"iter"

	"golang.org/x/image/webp"
)

// Causes of an invalid WebP.
var (
	errWebPFirst = errors.New("the first chunk is not VP8, VP8L or VP8X")
	errWebPSize  = errors.New("the file is shorter than its header declares")
	errWebPFrame = errors.New("the animation has no first frame")
)

// checkWebPHead refuses a WebP whose first chunk does not describe the picture, because its cost in
// memory would be unknown. data may be only the head of the file.
func checkWebPHead(data []byte) error {
	switch firstWebPChunk(data) {
	case "VP8 ", "VP8L", "VP8X":
		return nil
	}
	return errWebPFirst
}

// checkWebPSize refuses a WebP whose container claims more bytes than the file has. The decoder
// allocates memory for the claimed size of a chunk before it reads the chunk. It checks by itself
// that no chunk is longer than the container.
func checkWebPSize(data []byte) error {
	const riff, slack = 8, 64 << 10 // some writers count a header or a padding byte too many
	if uint64(binary.LittleEndian.Uint32(data[4:])) > uint64(len(data)-riff+slack) {
		return errWebPSize
	}
	return nil
}

// firstWebPChunk returns the name of the first chunk, or "" if data is too short.
func firstWebPChunk(data []byte) string {
	const from, to = 12, 16
	if len(data) < to {
		return ""
	}
	return string(data[from:to])
}

// webpChunks yields the name and the content of each chunk of a WebP. It ends before a chunk that is
// cut short.
func webpChunks(data []byte) iter.Seq2[string, []byte] {
	const head, nameAndLength = 12, 8
	return func(yield func(string, []byte) bool) {
		for rest := data[min(head, len(data)):]; len(rest) >= nameAndLength; {
			length := uint64(binary.LittleEndian.Uint32(rest[4:]))
			if length > uint64(len(rest)-nameAndLength) || !yield(string(rest[:4]), rest[nameAndLength:][:length]) {
				return
			}
			rest = rest[min(uint64(len(rest)), nameAndLength+length+length%2):]
		}
	}
}

// isAnimatedWebP reports whether data begins like an animated WebP: its first chunk is VP8X with
// the animation flag. The chunks are those of the WebP container specification.
func isAnimatedWebP(data []byte) bool {
	const flags, animation = 20, 1 << 1
	return hasMagic(data, webpMagic+"VP8X") && len(data) > flags && data[flags]&animation != 0
}

// decodeWebP decodes a WebP that has the size of its header. Of an animation it decodes the first
// frame, which may be smaller than the picture.
func decodeWebP(ctx context.Context, data []byte, size image.Point) (*image.NRGBA, error) {
	if err := checkWebPSize(data); err != nil {
		return nil, err
	}
	if !isAnimatedWebP(data) {
		return converted(webp.Decode)(ctx, data, size)
	}
	img, err := decodeWebPFrame(ctx, firstWebPFrame(data), size)
	if err != nil {
		return nil, err
	}
	return toNRGBA(ctx, img, size)
}

// firstWebPFrame returns the content of the first ANMF chunk of an animation: frameHead bytes, and the
// chunks of a still picture. It returns nil if there is none.
func firstWebPFrame(data []byte) []byte {
	for name, body := range webpChunks(data) {
		if name == "ANMF" {
			return body
		}
	}
	return nil
}

// frameHead is the number of bytes of a frame before its picture: its place, size, duration and flags.
const frameHead = 16

// webpFramePicture returns the chunks of the picture of an animation's first frame.
func webpFramePicture(data []byte) []byte {
	frame := firstWebPFrame(data)
	return frame[min(frameHead, len(frame)):]
}

// decodeWebPFrame decodes the content of an ANMF chunk: the frame's place, its size, and its picture
// in the chunks of a still WebP. The decoder gets these after the head of a WebP of the frame's size.
// The bounds of the result are the frame's place. The first chunk must be of the picture, because the
// cost of another one in memory would be unknown.
func decodeWebPFrame(ctx context.Context, frame []byte, canvas image.Point) (image.Image, error) {
	const offsetUnit = 2
	if len(frame) < frameHead {
		return nil, errWebPFrame
	}
	number := func(at int) int { return int(frame[at]) | int(frame[at+1])<<8 | int(frame[at+2])<<16 }
	place := image.Rect(0, 0, number(6)+1, number(9)+1).Add(image.Pt(number(0), number(3)).Mul(offsetUnit))
	if !place.In(image.Rectangle{Max: canvas}) {
		return nil, errWebPFrame
	}
	picture := frame[frameHead:]
	const alpha, beforePicture, extended = 0x10, 22, 10
	still := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(beforePicture+len(picture)))
	still = binary.LittleEndian.AppendUint32(append(still, "WEBPVP8X"...), extended)
	flags := byte(0)
	switch string(picture[:min(4, len(picture))]) {
	case "ALPH":
		flags = alpha
	case "VP8 ", "VP8L":
	default:
		return nil, errWebPFrame
	}
	still = append(append(still, flags, 0, 0, 0), frame[6:12]...)
	img, err := webp.Decode(&stoppable{ctx, io.MultiReader(bytes.NewReader(still), bytes.NewReader(picture))})
	switch img := img.(type) {
	case *image.YCbCr:
		img.Rect = img.Rect.Add(place.Min)
	case *image.NYCbCrA:
		img.Rect = img.Rect.Add(place.Min)
	case *image.NRGBA:
		img.Rect = img.Rect.Add(place.Min)
	}
	return img, err
}
