package layers

import (
	"math"
	"slices"

	"golang.org/x/sys/cpu"
)

// machineLoops returns the vector loops of this processor, or nil if it has none.
func machineLoops() *loops {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	return vector(depthwiseAVX2, activateAVX2, activateOnAVX2, bestOf)
}

//go:noescape
func depthwiseAVX2(x, w *int8, places *int, add *int32, scale *float32, groups, channels, step, n int, out *int8)

//go:noescape
func activateAVX2(sums *int32, scale *float32, channels, n int, out *int8)

//go:noescape
func activateOnAVX2(sums *int32, scale *float32, input *int8, keep float32, channels, n int, out *int8)

//go:noescape
func bestAVX2(sums *int32, scale *float32, n int, scores, tops *float32)

// scoresAtOnce is the number of scores that bestAVX2 processes at once.
const scoresAtOnce = 8

// bestOf calls bestAVX2, which finds the two highest scores of each lane, and finds the highest
// among them.
func bestOf(l *Layer, sums []int32, scores []float32) (class int, lead float32) {
	n := len(scores) / scoresAtOnce * scoresAtOnce
	top, next := float32(math.Inf(-1)), float32(math.Inf(-1))
	add := func(s float32) {
		next = max(next, min(s, top))
		top = max(top, s)
	}
	if n > 0 {
		_, _ = sums[n-1], l.scale[n-1]
		var tops [2 * scoresAtOnce]float32
		bestAVX2(&sums[0], &l.scale[0], n, &scores[0], &tops[0])
		for _, s := range tops {
			add(s)
		}
	}
	for c := n; c < len(scores); c++ {
		scores[c] = float32(float32(sums[c]) * l.scale[c])
		add(scores[c])
	}
	return slices.Index(scores, top), top - next
}
