package trees_test

import (
	"math/rand/v2"
	"testing"

	"github.com/windieos/windie/perception/trees"
)

// Trees that are trained with groups say which of some alternatives is meant, also where each alone says little: the
// largest of a group is right, however large that is, and nothing is where all are marked.
func TestTrainAmong(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var rows [][]float32
	var right []bool
	var group []int
	for g := range 900 {
		marked := g%3 == 0
		best := random.IntN(5)
		for i := range 5 {
			row := []float32{0, random.Float32(), 0} // how it ranks, noise, the mark
			if i == best {
				row[0] = 1
			}
			if marked {
				row[2] = 1
			}
			rows, right, group = append(rows, row), append(right, i == best && !marked), append(group, g)
		}
	}
	m := trees.Train(rows, right, trees.Options{Trees: 60, Depth: 3, Least: 2, Group: group})
	chances := func(mark float32) []float64 {
		var scores []float64
		for i := range 5 {
			row := []float32{0, 0.5, mark}
			if i == 3 {
				row[0] = 1
			}
			scores = append(scores, m.Score(row))
		}
		return trees.Among(scores)
	}
	if c := chances(0); c[3] < 0.8 || c[0] > 0.1 {
		t.Errorf("the chances are %.2f, want the fourth alone", c)
	}
	sum := 0.0
	for _, c := range chances(1) {
		sum += c
	}
	if sum > 0.3 {
		t.Errorf("all together have %.2f, want none of them", sum)
	}
}

// Scores of any size give chances that add up to at most 1.
func TestAmong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		scores []float64
		want   float64 // of the first
	}{
		"one as likely as none": {[]float64{0}, 0.5},
		"a large score":         {[]float64{5000, 0}, 1},
		"a small score":         {[]float64{-5000, -5000}, 0},
		"two alike":             {[]float64{700, 700}, 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := trees.Among(tt.scores)[0]; got < tt.want-1e-6 || got > tt.want+1e-6 {
				t.Errorf("the chance is %v, want %v", got, tt.want)
			}
		})
	}
}
