package reader

import (
	"strings"
	"testing"
)

// TestSeries checks that a doubtful name becomes the name that its neighbours in a series imply, if
// it looks like that name.
func TestSeries(t *testing.T) {
	t.Parallel()
	row := func(texts string, confidence ...float32) (lines []line) {
		for i, text := range strings.Fields(texts) {
			lines = append(lines, lineAt(text, confidence[i], 100+80*i, 50, 10))
		}
		return lines
	}
	column := func(texts string, confidence ...float32) (lines []line) {
		for i, text := range strings.Fields(texts) {
			lines = append(lines, lineAt(text, confidence[i], 100-6*len(text), 50+17*i, 10))
		}
		return lines
	}
	for _, tt := range []struct {
		name  string
		lines []line
		want  string
	}{
		{"the first of columns", row("A B C D", .4, 1, 1, 1), "A|B|C|D"},
		{"between two", row("G H | J", 1, 1, .3, 1), "G|H|I|J"},
		{"the last", row("G H | x", 1, 1, .3, .3), "G|H|I"},
		{"a letter like a bracket", row("H I ] K", 1, 1, .8, 1), "H|I|J|K"},
		{"nothing like it", row("G H m J K", 1, 1, .3, 1, 1), "G|H|J|K"},
		{"no series", row("G K | P Q", 1, 1, .3, 1, 1), "G|K|P|Q"},
		{"neighbours in doubt", row("A B C D E", .4, .8, .8, .8, .8), ""},
		{"rows", column("8 9 IO 11 12", 1, 1, .3, 1, 1), "8|9|10|11|12"},
		{"a list of numbers", column("8 4 l 9", 1, 1, .3, 1), "8|4|9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, r := range rowsOf(tt.lines, nil) {
				got = append(got, r.Text)
			}
			if all := strings.Join(got, "|"); all != tt.want {
				t.Errorf("%q, want %q", all, tt.want)
			}
		})
	}
}
