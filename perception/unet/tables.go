package unet

import "math"

// Fine is the number of steps of a pixel in distances, and of 1 in the scores that index tables.
const Fine = 8

// Certain is the chance of 1, in the units of Chance.
const Certain = 1024

// Farthest is the largest distance, in steps of 1/Fine of a pixel.
const Farthest = Fine << maxLog

// chances has the logistic function of scores from -maxScore in steps of 1/Fine.
var chances = func() (list [2*maxScore*Fine + 1]int) {
	for i := range list {
		list[i] = int(math.Round(Certain / (1 + math.Exp(maxScore-float64(i)/Fine))))
	}
	return list
}()

// distances has 2^x in steps of 1/Fine of a pixel, for x from 0 to maxLog in steps of 1/logSteps.
var distances = func() (list [maxLog*logSteps + 1]int) {
	for i := range list {
		list[i] = int(math.Round(Fine * math.Exp2(float64(i)/logSteps)))
	}
	return list
}()

const (
	maxScore = 8
	maxLog   = 7
	logSteps = 32
)

// step returns the index of v in a table with n entries and this many for 1, of which the first is
// for from.
func step(v float32, from, perOne, n int) int {
	return min(max(int(math.Round(float64(v)*float64(perOne)))-from*perOne, 0), n-1)
}

// Chance returns the logistic function of a score, 0 to Certain.
func Chance(score float32) int { return chances[step(score, -maxScore, Fine, len(chances))] }

// Distance returns 2^score, 1 pixel to 128 pixels, in steps of 1/Fine of a pixel.
func Distance(score float32) int { return distances[step(score, 0, logSteps, len(distances))] }

// Middle returns the middle of a cell by its row or column, in steps of 1/Fine of a pixel.
func Middle(cell int) int { return (2*cell + 1) * Fine }

// Pixel returns the nearest whole pixel of a place in steps of 1/Fine of a pixel.
func Pixel(place int) int { return int(math.Floor(float64(place+Fine/2) / Fine)) }
