package reader

import (
	"slices"

	"github.com/windieos/windie/perception"
)

// calibration maps the certainty of Windie's own network (first number) to the probability that a
// word is right (second number). Values between the points are interpolated linearly. It was
// measured on 13,187 words of the open screens and of the lines that
// scripts/screens/lines.py makes. Nine of ten words with a confidence of .9 are right.
// TestCalibration checks it, and `windie eval` prints it for other screens.
var calibration = [][2]float64{
	{0, 0}, {0.6, 0.4}, {0.75, 0.75}, {0.85, 0.8}, {0.92, 0.82}, {0.96, 0.85},
	{0.98, 0.9}, {0.99, 0.95}, {0.995, 0.975}, {0.998, 0.984}, {0.9995, 0.991}, {1, 0.997},
}

// calibrated returns the probability that a word is right, given the network's certainty, 0..1.
func calibrated(sure float64) float64 {
	i := max(1, slices.IndexFunc(calibration, func(p [2]float64) bool { return p[0] >= sure }))
	from, to := calibration[i-1], calibration[i]
	return from[1] + (to[1]-from[1])*(sure-from[0])/(to[0]-from[0])
}

// calibrate replaces the network's certainty in readable rows with the confidence to report. All
// decisions of the reader use the certainty.
func calibrate(rows []perception.Row) {
	for i := range rows {
		r := &rows[i]
		if r.Script != "" {
			continue
		}
		for k := range r.Words {
			r.Words[k].Confidence = calibrated(min(r.Words[k].Confidence, 1))
		}
		*r = perception.NewRow(r.Words)
	}
}
