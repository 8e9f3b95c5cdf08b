package reader

import (
	"slices"

	"github.com/windieos/windie/perception"
)

// calibration is how often a word is right of which Windie's own network is as sure as the first number: the second
// one, with straight lines between. It was measured on the 13,187 words of the open screens and of the lines that
// scripts/screens/lines.py makes, so that of the words with a confidence of .9, nine of ten are right.
// TestCalibration checks it, and `windie eval` prints how it is on other screens.
var calibration = [][2]float64{
	{0, 0}, {0.6, 0.25}, {0.75, 0.5}, {0.85, 0.65}, {0.92, 0.78}, {0.96, 0.84},
	{0.98, 0.89}, {0.99, 0.94}, {0.995, 0.965}, {0.998, 0.98}, {0.9995, 0.99}, {1, 0.997},
}

// calibrated returns how often a word is right of which the network is as sure as sure.
func calibrated(sure float64) float64 {
	i := max(1, slices.IndexFunc(calibration, func(p [2]float64) bool { return p[0] >= sure }))
	from, to := calibration[i-1], calibration[i]
	return from[1] + (to[1]-from[1])*(sure-from[0])/(to[0]-from[0])
}

// calibrate gives the words of rows that are read the confidence that is reported. What the reader decides it decides by
// how sure the network is.
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
