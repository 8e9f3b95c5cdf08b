package perception

import (
	"encoding/binary"
	"errors"
)

// What is wrong with a WebP.
var (
	errWebPFirst = errors.New("the first chunk does not say what the picture is")
	errWebPSize  = errors.New("the container is longer than the file")
)

// checkWebPHead refuses a WebP whose first chunk does not say what the picture is: its cost would not be known. The
// head of a file is enough.
func checkWebPHead(data []byte) error {
	switch firstWebPChunk(data) {
	case "VP8 ", "VP8L", "VP8X":
		return nil
	}
	return errWebPFirst
}

// checkWebPSize refuses a WebP that claims much that it does not have: the decoder makes room for what
// a chunk claims before it reads. That no chunk is longer than the container is seen to by the decoder.
func checkWebPSize(data []byte) error {
	const riff, slack = 8, 64 << 10 // some writers count a header or a filling byte too many
	if uint64(binary.LittleEndian.Uint32(data[4:])) > uint64(len(data)-riff+slack) {
		return errWebPSize
	}
	return nil
}

// firstWebPChunk returns the name of the first chunk, or "".
func firstWebPChunk(data []byte) string {
	const from, to = 12, 16
	if len(data) < to {
		return ""
	}
	return string(data[from:to])
}

// isAnimatedWebP reports whether data begins as an animated WebP, which the decoder takes for a
// damaged one: its first chunk, VP8X, has the flag of an animation.
func isAnimatedWebP(data []byte) bool {
	const flags, animation = 20, 1 << 1 // of the container's specification, "Extended File Format"
	return hasMagic(data, "RIFF????WEBPVP8X") && len(data) > flags && data[flags]&animation != 0
}
