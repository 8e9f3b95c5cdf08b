//go:build amd64 || arm64

package layers

// vector makes loops of assembly functions. It checks the lengths of slices before each call;
// Kernel.Depthwise has checked those of a window.
func vector(
	sumDepthwise func(x, w *int8, places *int, add *int32, scale *float32, groups, channels, step, n int, out *int8),
	activate func(sums *int32, scale *float32, channels, n int, out *int8),
	activateOn func(sums *int32, scale *float32, input *int8, keep float32, channels, n int, out *int8),
	best func(l *Layer, sums []int32, scores []float32) (int, float32),
) *loops {
	return &loops{
		depthwise: func(d *Depthwise, x []int8, places []int, step int, to []int8) {
			_ = places[tapsAtOnce*d.groups-1]
			sumDepthwise(&x[0], &d.weights[0], &places[0], &d.add[0], &d.scale[0], d.groups, d.Channels, step, len(to)/d.Channels, &to[0])
		},
		activate: func(l *Layer, sums []int32, to []int8) {
			n := len(to) / l.Outputs
			_, _ = sums[n*l.Outputs-1], l.scale[l.Outputs-1]
			activate(&sums[0], &l.scale[0], l.Outputs, n, &to[0])
		},
		activateOn: func(l *Layer, sums []int32, input, to []int8) {
			n := len(to) / l.Outputs
			_, _, _ = sums[n*l.Outputs-1], l.scale[l.Outputs-1], input[n*l.Outputs-1]
			activateOn(&sums[0], &l.scale[0], &input[0], l.keep, l.Outputs, n, &to[0])
		},
		best: best,
	}
}
