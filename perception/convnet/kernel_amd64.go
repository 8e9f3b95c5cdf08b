package convnet

import "golang.org/x/sys/cpu"

// machineLoops returns the inner loops for this processor, or nil for the portable ones.
func machineLoops() *loops {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	return vector(alongAVX2, activateAVX2, activateOnAVX2)
}

//go:noescape
func alongAVX2(x, w *int8, add *int32, scale *float32, pairs, channels int, out *int8)

//go:noescape
func activateAVX2(sums *int32, scale *float32, channels int, out *int8)

//go:noescape
func activateOnAVX2(sums *int32, scale *float32, input *int8, keep float32, channels int, out *int8)
