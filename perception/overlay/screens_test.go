package overlay

import (
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
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

// What can be acted on is marked once, and its number hides neither its text or icon nor another number.
func TestNumbersHideNothingOfTheirOwn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/*/*.png")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	var tags, ofOther, ofOwn, without int
	for _, file := range files {
		known := strings.TrimSuffix(file, ".png") + ".json"
		if _, err := os.Stat(known); err != nil {
			continue
		}
		rows, _ := rowsOf(t, known)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := perception.Decode(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		list, err := elements.Find(t.Context(), img, rows)
		if err != nil {
			t.Fatal(err)
		}
		var marks []Mark
		for _, m := range elements.Marks(list) {
			marks = append(marks, Mark{Box: list[m.Element].Box, Label: strconv.Itoa(m.Element), Keep: m.Keep})
		}
		shapes := laidOut(t, img, marks)
		for i, a := range shapes {
			tags++
			if a.tag.Empty() {
				without++
				continue
			}
			for _, k := range a.keep {
				if core(k).Overlaps(a.tag) {
					t.Logf("%s: the number %s at %v hides %v", filepath.Base(file), a.label, a.tag, k)
					ofOwn++
				}
			}
			for _, b := range shapes[:i] {
				if a.tag.Overlaps(b.tag) {
					t.Logf("%s: %s at %v hides %s at %v", filepath.Base(file), a.label, a.tag, b.label, b.tag)
					ofOther++
				}
			}
		}
	}
	t.Logf("%d numbers", tags)
	if ofOther+ofOwn+without > 0 {
		t.Errorf("of %d numbers %d hide their text or icon, %d another number, and %d have no place", tags, ofOwn, ofOther, without)
	}
}
