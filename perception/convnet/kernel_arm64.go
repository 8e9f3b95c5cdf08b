package convnet

// machineLoops returns the vector loops of this processor. All processors of this kind have NEON.
func machineLoops() *loops {
	return vector(alongNEON, activateNEON, activateOnNEON, best)
}

//go:noescape
func alongNEON(x, w *int8, add *int32, scale *float32, pairs, channels int, out *int8)

//go:noescape
func activateNEON(sums *int32, scale *float32, channels int, out *int8)

//go:noescape
func activateOnNEON(sums *int32, scale *float32, input *int8, keep float32, channels int, out *int8)
