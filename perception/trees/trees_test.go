package trees_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/windieos/windie/perception/trees"
)

// rings are points of which those between two circles are right, which no straight line parts.
func rings(n int, seed uint64) (rows [][]float32, right []bool) {
	r := rand.New(rand.NewPCG(seed, 2))
	for range n {
		x, y := r.Float32()*2-1, r.Float32()*2-1
		d := x*x + y*y
		rows, right = append(rows, []float32{x, y, r.Float32()}), append(right, d > 0.2 && d < 0.7)
	}
	return rows, right
}

func TestTrain(t *testing.T) {
	t.Parallel()
	rows, right := rings(3000, 1)
	m := trees.Train(rows, right, trees.Options{Least: 2})
	unseen, truth := rings(2000, 2)
	wrong := 0
	for i, row := range unseen {
		if (m.Predict(row) >= 0.5) != truth[i] {
			wrong++
		}
	}
	if wrong > len(unseen)/8 {
		t.Errorf("%d of %d points are judged wrongly", wrong, len(unseen))
	}
	if again := trees.Train(rows, right, trees.Options{Least: 2}); !bytes.Equal(again.Encode(), m.Encode()) {
		t.Error("the same rows give other trees")
	}
}

// What is right counts as much as its weight says.
func TestWeight(t *testing.T) {
	t.Parallel()
	rows, right, weight := [][]float32{}, []bool{}, []float64{}
	for i := range 200 {
		rows, right, weight = append(rows, []float32{0}), append(right, i%2 == 0), append(weight, 1+8*float64(1-i%2))
	}
	if p := trees.Train(rows, right, trees.Options{Weight: weight}).Predict(rows[0]); p < 0.85 || p > 0.95 {
		t.Errorf("9 of 10 by weight are right, and it says %.2f", p)
	}
}

// A model is read as it was written, and what would not predict is refused.
func TestDecode(t *testing.T) {
	t.Parallel()
	rows, right := rings(500, 3)
	m := trees.Train(rows, right, trees.Options{Trees: 5})
	data := m.Encode()
	again, err := trees.Decode(data, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if again.Score(row) != m.Score(row) {
			t.Fatal("a model that was written and read predicts otherwise")
		}
	}
	if _, err := trees.Decode(data, 1); err == nil {
		t.Error("rows with fewer numbers are accepted")
	}
	for n := range data {
		if _, err := trees.Decode(data[:n], 3); err == nil {
			t.Fatalf("%d of %d bytes are accepted", n, len(data))
		}
	}
	for i := range data { // no byte that is broken makes it run on or panic
		broken := bytes.Clone(data)
		broken[i] ^= 0xff
		if b, err := trees.Decode(broken, 3); err == nil {
			b.Predict(rows[0])
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	rows, right := rings(3000, 1)
	m := trees.Train(rows, right, trees.Options{})
	for b.Loop() {
		m.Predict(rows[0])
	}
}
