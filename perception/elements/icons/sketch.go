package icons

import "math"

// waves is how many waves a sketch has along a side and across, and strokes how
// many numbers that makes: for each
// direction of edges (0,0) (0,1) (1,0) (0,2) (1,1) (2,0).
const (
	waves   = 3
	strokes = waves * (waves + 1) / 2 * directions
)

// cosines are the waves over a row of cells, each of length 1.
var cosines = func() (all [waves][cells]float32) {
	for k := range all {
		for i := range all[k] {
			length := math.Sqrt(2.0 / cells)
			if k == 0 {
				length = math.Sqrt(1.0 / cells)
			}
			all[k][i] = float32(length * math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/cells))
		}
	}
	return all
}()

// outline fills in the sketch: the long waves of a shape's edges, which is how
// they look from afar. Two shapes are no nearer to each other than their
// sketches are.
func (s *shape) outline() {
	var rows [cells][waves][directions]float32
	for i, v := range s.edges {
		if v == 0 {
			continue
		}
		y, x, d := i/(cells*directions), i/directions%cells, i%directions
		for k := range waves {
			rows[y][k][d] += float32(v) * cosines[k][x]
		}
	}
	at := 0
	for k := range waves {
		for kx := range k + 1 {
			ky := k - kx
			for y := range cells {
				for d, v := range rows[y][kx] {
					s.sketch[at+d] += v * cosines[ky][y]
				}
			}
			at += directions
		}
	}
	for i := range s.sketch {
		s.sketch[i] /= s.length
	}
}
