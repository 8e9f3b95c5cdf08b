package match_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
)

func rows(texts ...string) []perception.Row {
	out := make([]perception.Row, len(texts))
	for i, t := range texts {
		out[i] = perception.Row{Text: t}
	}
	return out
}

func TestScore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query, text string
		want        float64
	}{
		{"Save", "Save", 1},
		{"save", "SAVE", 1},
		{" Save  as ", "Save as", 1},
		{"Save", "Safe", 0.75},
		{"kitten", "sitting", 1 - 3.0/7},
		{"größe", "Größe", 1},
		{"in", "Settings", 0}, // too short to mean it
		{"", "Save", 0},
		{"Save", "", 0},
	} {
		if got := match.Score(tt.query, tt.text); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("Score(%q, %q) = %v, want %v", tt.query, tt.text, got, tt.want)
		}
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	var got []int
	for _, m := range match.Rank("home", rows("Zoo", "home", "Homes", "HOME", "rhomb")) {
		got = append(got, m.Index)
	}
	if fmt.Sprint(got) != "[1 3 2 4 0]" && fmt.Sprint(got) != "[1 3 2 4]" {
		t.Errorf("got %v", got)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		rows   []perception.Row
		one    int // -1: none
		rivals int
	}{
		{"one", rows("Save", "Open", "Close"), 0, 0},
		{"two alike", rows("Save", "Open", "save"), -1, 2},
		{"one clearly better", rows("Save", "Saved"), 0, 0},
		{"none", rows("Open", "Close"), -1, 0},
		{"no rows", nil, -1, 0},
	} {
		one, rivals := match.Choose(match.Rank("Save", tt.rows), 0.8)
		if (one == nil) != (tt.one < 0) || one != nil && one.Index != tt.one || len(rivals) != tt.rivals {
			t.Errorf("%s: %v, %d rivals", tt.name, one, len(rivals))
		}
	}
}

func FuzzScore(f *testing.F) {
	f.Add("Save", "Safe")
	f.Add("\xff", "é")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 2000 || len(b) > 2000 {
			return
		}
		ab, ba := match.Score(a, b), match.Score(b, a)
		if ab < 0 || ab > 1 || math.IsNaN(ab) {
			t.Errorf("Score(%q, %q) = %v", a, b, ab)
		}
		if math.Abs(ab-ba) > 1e-9 {
			t.Errorf("Score(%q, %q) = %v, the other way %v", a, b, ab, ba)
		}
	})
}

func Example() {
	screen := rows("File", "Save as…", "Save")
	one, _ := match.Choose(match.Rank("save", screen), 0.8)
	fmt.Println(one.Index, one.Row.Text)
	// Output: 2 Save
}

func BenchmarkRank(b *testing.B) {
	texts := make([]string, 300)
	for i := range texts {
		texts[i] = fmt.Sprintf("Row number %d of a table", i)
	}
	list := rows(texts...)
	for b.Loop() {
		match.Rank("Row number 77 of the table", list)
	}
}
