package icons

import "math"

const (
	waves = 3 // number of waves along a side and across
	// numbers of a sketch: (0,0) (0,1) (1,0) (0,2) (1,1) (2,0) for each direction
	strokes = waves * (waves + 1) / 2 * directions
)

// cosines are the waves over a row of cells, each of length 1.
var cosines = func() (all [waves][cells]float32) {
	for k := range all {
		for i := range all[k] {
			length := math.Sqrt(float64(min(k+1, 2)) / cells)
			all[k][i] = float32(length * math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/cells))
		}
	}
	return all
}()

// outline sets the sketch: the long waves of a shape's edges. The distance of two sketches is a
// lower bound for the distance of their shapes.
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
