package perception

// isAnimatedWebP reports whether data begins as an animated WebP, which the decoder takes for a
// damaged one: its first chunk, VP8X, has the flag of an animation.
func isAnimatedWebP(data []byte) bool {
	const flags, animation = 20, 1 << 1 // of the container's specification, "Extended File Format"
	return hasMagic(data, "RIFF????WEBPVP8X") && len(data) > flags && data[flags]&animation != 0
}
