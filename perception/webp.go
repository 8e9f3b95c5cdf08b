package perception

import (
	"encoding/binary"
	"errors"
)

// Causes of an invalid WebP.
var (
	errWebPFirst = errors.New("the first chunk is not VP8, VP8L or VP8X")
	errWebPSize  = errors.New("the file is shorter than its header declares")
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

// isAnimatedWebP reports whether data begins like an animated WebP: its first chunk is VP8X with
// the animation flag. The decoder would report such a file as damaged.
func isAnimatedWebP(data []byte) bool {
	const flags, animation = 20, 1 << 1 // from "Extended File Format" in the WebP container specification
	return hasMagic(data, "RIFF????WEBPVP8X") && len(data) > flags && data[flags]&animation != 0
}
