package layers

// machineLoops returns the vector loops of this processor. All processors of this kind have NEON.
func machineLoops() *loops {
	return vector(depthwiseNEON, activateNEON, activateOnNEON, best)
}

//go:noescape
func depthwiseNEON(x, w *int8, places *int, add *int32, scale *float32, groups, channels, step, n int, out *int8)

//go:noescape
func activateNEON(sums *int32, scale *float32, channels, n int, out *int8)

//go:noescape
func activateOnNEON(sums *int32, scale *float32, input *int8, keep float32, channels, n int, out *int8)
