//go:build amd64 || arm64

package convnet

// vector makes loops of assembly functions. It checks the lengths of slices before each call.
func vector(
	sumAlong func(x, w *int8, add *int32, scale *float32, pairs, channels int, out *int8),
	activate func(sums *int32, scale *float32, channels int, out *int8),
	activateOn func(sums *int32, scale *float32, input *int8, keep float32, channels int, out *int8),
	best func(l *layer, sums []int32, scores []float32) (int, float32),
) *loops {
	return &loops{
		along: func(a *along, x, to []int8) {
			_, _ = x[2*a.pairs*a.channels-1], to[a.channels-1]
			sumAlong(&x[0], &a.weights[0], &a.add[0], &a.scale[0], a.pairs, a.channels, &to[0])
		},
		activate: func(l *layer, sums []int32, to []int8) {
			_, _ = sums[len(to)-1], l.scale[len(to)-1]
			activate(&sums[0], &l.scale[0], len(to), &to[0])
		},
		activateOn: func(l *layer, sums []int32, input, to []int8) {
			_, _, _ = sums[len(to)-1], l.scale[len(to)-1], input[len(to)-1]
			activateOn(&sums[0], &l.scale[0], &input[0], l.keep, len(to), &to[0])
		},
		best: best,
	}
}
