package reader

import (
	"image"
	"strings"
	"testing"

	"github.com/windieos/windie/perception/textmap"
)

// lineAt returns a line with the given text, capital height, baseline and left edge. Its letters
// are 6 pixels wide, and its spaces 5.
func lineAt(text string, confidence float32, x, baseline int, capital float32) line {
	t := &lineText{capital: capital, baseline: capital + 1}
	at := 1
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word)) * 6
		t.words = append(t.words, wordOf(word, confidence, at, 1, at+n, 1+int(capital)))
		at += n + 5
	}
	return line{origin: image.Pt(x-1, baseline-int(capital)-1), text: t}
}

func wordOf(text string, confidence float32, x0, y0, x1, y1 int) word {
	return word{text: text, confidence: confidence, x0: int16(x0), y0: int16(y0), x1: int16(x1), y1: int16(y1)}
}

// TestSift checks that rows that are unlikely to be text are dropped, and that the same rows beside
// other text are kept.
func TestSift(t *testing.T) {
	t.Parallel()
	save := lineAt("Save all", 0.99, 100, 50, 10)
	for _, tt := range []struct {
		name  string
		lines []line
		want  string // rows, separated by "|"
	}{
		{"text", []line{save}, "Save all"},
		{"text read poorly", []line{lineAt("Svae oll", 0.5, 100, 50, 10)}, ""},
		{"too low for letters", []line{lineAt("Save all", 0.99, 100, 50, 4)}, ""},
		{"no letter and no figure", []line{save, lineAt("—", 0.99, 300, 50, 10)}, "Save all"},
		{"nothing read", []line{{text: &lineText{}}, save}, "Save all"},
		{"an icon by itself", []line{lineAt("Q", 0.97, 20, 20, 10)}, ""},
		{"an icon of another size beside text", []line{lineAt("Q", 0.97, 60, 52, 16), save}, "Save all"},
		{"an icon read poorly beside text", []line{lineAt("Q", 0.6, 60, 50, 10), save}, "Save all"},
		{"a letter beside text", []line{lineAt("x", 0.97, 60, 50, 10), save}, "x|Save all"},
		{"a letter without an ascender, taken for a capital", []line{lineAt("a", 0.97, 84, 50, 7.3), save}, "a|Save all"},
		{"a smaller letter with one", []line{lineAt("b", 0.97, 60, 50, 7.3), save}, "Save all"},
		{"a gap that is no space", []line{{text: &lineText{capital: 10, words: []word{wordOf("Save", 0.99, 1, 1, 25, 11), wordOf("all", 0.99, 37, 1, 55, 11)}}}}, "Save|all"},
		{"a wide space", []line{{text: &lineText{capital: 10, words: []word{wordOf("Save", 0.99, 1, 1, 25, 11), wordOf("all", 0.99, 36, 1, 54, 11)}}}}, "Save all"},
		{"a letter before text", []line{lineAt("A", 0.97, 84, 50, 10), save}, "A Save all"},
		{"a letter far from text", []line{lineAt("x", 0.97, 500, 50, 10), save}, "Save all"},
		{"a letter on another line", []line{lineAt("x", 0.97, 60, 90, 10), save}, "Save all"},
		{"a column's letters", []line{lineAt("A", 0.97, 100, 50, 10), lineAt("B", 0.97, 300, 50, 10), lineAt("C", 0.97, 500, 50, 10), lineAt("D", 0.97, 700, 50, 10)}, "A|B|C|D"},
		{"letters in a column", []line{lineAt("S", 0.97, 100, 50, 10), lineAt("S", 0.97, 100, 70, 10), lineAt("R", 0.97, 100, 90, 10), lineAt("S", 0.97, 100, 110, 10)}, "S|S|R|S"},
		{"letters in steps", []line{lineAt("S", 0.97, 100, 50, 10), lineAt("S", 0.97, 120, 70, 10), lineAt("R", 0.97, 140, 90, 10), lineAt("S", 0.97, 160, 110, 10)}, ""},
		{"a digit by itself", []line{lineAt("7", 0.95, 20, 20, 10)}, "7"},
		{"a digit, less sure", []line{lineAt("7", 0.8, 20, 20, 10)}, ""},
		{"a digit, less sure, beside text of its size", []line{lineAt("7", 0.8, 20, 20, 10), save}, "7|Save all"},
		{"a price", []line{lineAt("$5", 0.95, 20, 20, 10)}, "$5"},
		{"two letters beside text of their size", []line{lineAt("OK", 0.9, 20, 20, 10), save}, "OK|Save all"},
		{"two letters of another size", []line{lineAt("OK", 0.9, 20, 20, 30), save}, "Save all"},
		{"two letters, less sure, beside text of their size", []line{lineAt("OK", 0.82, 20, 20, 10), save}, "OK|Save all"},
		{"two letters read poorly", []line{lineAt("OK", 0.7, 20, 20, 10), save}, "Save all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range rowsOf(tt.lines, nil) {
				got = append(got, r.Text)
			}
			if all := strings.Join(got, "|"); all != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, all, tt.want)
			}
		})
	}
}

// TestTiles checks that a capital or a digit in the middle of a slightly larger frame is text.
// Elsewhere it may be an icon.
func TestTiles(t *testing.T) {
	t.Parallel()
	frame := image.Rect(95, 30, 111, 60)
	for _, tt := range []struct {
		name string
		line line
		want int
	}{
		{"a size to choose", lineAt("M", 0.97, 100, 50, 10), 1},
		{"read poorly", lineAt("M", 0.94, 100, 50, 10), 0},
		{"a small letter, as a brand has", lineAt("f", 0.97, 100, 50, 10), 0},
		{"at the edge of it", lineAt("M", 0.97, 105, 50, 10), 0},
		{"outside", lineAt("M", 0.97, 300, 50, 10), 0},
		{"two of them", lineAt("XL", 0.85, 96, 50, 10), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := rowsOf([]line{tt.line}, []textmap.Row{{Box: frame}}); len(got) != tt.want {
				t.Errorf("%d rows, want %d", len(got), tt.want)
			}
		})
	}
	if got := rowsOf([]line{lineAt("M", 0.97, 100, 50, 10)}, []textmap.Row{{Box: frame, Icon: true}}); len(got) != 0 {
		t.Error("a letter on an icon is text by itself")
	}
}

// TestJoin checks that the parts of a line that was cut at a gap become one row, unless the gap is
// wide or the next part is different text.
func TestJoin(t *testing.T) {
	t.Parallel()
	const end = 100 + 4*6 + 5 + 3*6 // of "Save all"
	save := lineAt("Save all", 0.99, 100, 50, 10)
	for _, tt := range []struct {
		name string
		next line
		want string
	}{
		{"after a space", lineAt("items", 0.99, end+6, 50, 10), "Save all items"},
		{"after the widest space", lineAt("items", 0.99, end+11, 50, 10), "Save all items"},
		{"after a gap", lineAt("items", 0.99, end+12, 50, 10), "Save all|items"},
		{"a bracket after a wide space", lineAt("(now)", 0.99, end+15, 50, 10), "Save all (now)"},
		{"a bracket after a gap", lineAt("(now)", 0.99, end+16, 50, 10), "Save all|(now)"},
		{"on another baseline", lineAt("items", 0.99, end+6, 53, 10), "Save all|items"},
		{"of another size", lineAt("items", 0.99, end+6, 50, 13), "Save all|items"},
		{"over the first", lineAt("items", 0.99, end-6, 50, 10), "Save all|items"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, lines := range [][]line{{save, tt.next}, {tt.next, save}} { // in either order
				rows := rowsOf(lines, nil)
				var got []string
				for _, r := range rows {
					got = append(got, r.Text)
				}
				if all := strings.Join(got, "|"); all != tt.want {
					t.Errorf("%s: %q, want %q", tt.name, all, tt.want)
				}
				if box := rows[0].Box; len(rows) == 1 && (box.Min.X != 100 || box.Max.X != rows[0].Words[2].Box.Max.X) {
					t.Errorf("%s: the row is at %v", tt.name, box)
				}
			}
		})
	}
}
