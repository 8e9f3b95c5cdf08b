package overlay

import (
	"encoding/json"
	"image"
	"os"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
)

// rowsOf returns the rows of a screen as its truth knows its words.
func rowsOf(t *testing.T, file string) (rows []perception.Row, held bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	truth := struct {
		DPR   float64
		Held  bool
		Words []struct {
			Text       string
			X, Y, W, H float64
		}
	}{DPR: 1}
	if err := json.Unmarshal(data, &truth); err != nil {
		t.Fatal(file, err)
	}
	px := func(v float64) int { return int(v * truth.DPR) }
	for _, w := range truth.Words {
		box := image.Rect(px(w.X), px(w.Y), px(w.X+w.W), px(w.Y+w.H))
		word := perception.Word{Text: w.Text, Box: box, Confidence: 1}
		if n := len(rows); n > 0 {
			last := &rows[n-1]
			if gap := box.Min.X - last.Box.Max.X; gap >= 0 && gap <= 2*box.Dy() && geo.Abs(geo.Center(box).Y-geo.Center(last.Box).Y) <= box.Dy()/4 {
				last.Words, last.Box, last.Text = append(last.Words, word), last.Box.Union(box), last.Text+" "+w.Text
				continue
			}
		}
		rows = append(rows, perception.Row{Text: w.Text, Box: box, Confidence: 1, Words: []perception.Word{word}})
	}
	return rows, truth.Held
}
