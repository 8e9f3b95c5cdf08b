package tesseract

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
)

// word makes a word of 10 pixels a letter, 16 high.
func word(x, y int, text string) perception.Word {
	return perception.Word{Text: text, Confidence: 0.9, Box: image.Rect(x, y, x+10*len(text), y+16)}
}

func TestJoinRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		words []perception.Word
		want  string
	}{
		{"one row", []perception.Word{word(60, 0, "out"), word(0, 0, "Check")}, "Check out"},
		{"menu entries apart", []perception.Word{word(0, 0, "Home"), word(80, 0, "Contact")}, "Home|Contact"},
		{"two lines", []perception.Word{word(0, 30, "below"), word(0, 0, "above")}, "above|below"},
		{"a baseline shared by smaller text", []perception.Word{word(0, 0, "Total"), {Text: "net", Box: image.Rect(60, 6, 90, 16)}}, "Total net"},
		{"touching lines", []perception.Word{word(0, 0, "a"), word(12, 14, "b")}, "a|b"},
		{"a table", []perception.Word{word(0, 0, "Name"), word(100, 1, "Price"), word(0, 40, "Lamp"), word(100, 41, "9.50")}, "Name|Price|Lamp|9.50"},
		{"nothing", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var texts []string
			for _, r := range joinRows(tt.words) {
				texts = append(texts, r.Text)
			}
			if got := strings.Join(texts, "|"); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
			}
		})
	}
}

func TestJoinedRowIsWhole(t *testing.T) {
	t.Parallel()
	a, b := word(0, 0, "ab"), word(25, 2, "cd")
	a.Confidence = 0.5
	r := joinRows([]perception.Word{a, b})[0]
	if r.Box != image.Rect(0, 0, 45, 18) || r.Confidence < 0.699 || r.Confidence > 0.701 || len(r.Words) != 2 {
		t.Errorf("%+v", r)
	}
}

const sampleTSV = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n" +
	"1\t1\t0\t0\t0\t0\t0\t0\t200\t100\t-1\t\n" +
	"4\t1\t1\t1\t1\t0\t11\t20\t60\t21\t-1\t\n" +
	"5\t1\t1\t1\t1\t1\t11\t20\t60\t21\t96.5\tSave\n" +
	"5\t1\t1\t1\t1\t2\t80\t20\t9\t21\t31\t|\n" +
	"5\t1\t1\t1\t1\t3\t99\t20\t9\t21\t91\t&\n" +
	"5\t1\t1\t1\t1\t4\t120\t20\t9\t21\t95\t \n"

func TestParseTSV(t *testing.T) {
	t.Parallel()
	words, err := parseTSV([]byte(sampleTSV), 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []perception.Word{
		{Text: "Save", Confidence: 0.965, Box: image.Rect(5, 10, 36, 21)}, // outwards from 11..71, 20..41
		{Text: "&", Confidence: 0.91, Box: image.Rect(49, 10, 54, 21)},
	}
	if fmt.Sprint(words) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", words, want)
	}
	for _, bad := range []string{"5\t1\n", strings.Replace(sampleTSV, "96.5", "many", 1), strings.Replace(sampleTSV, "\t11\t20\t60\t21\t96", "\tx\t20\t60\t21\t96", 1)} {
		if _, err := parseTSV([]byte(bad), 1); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func FuzzParseTSV(f *testing.F) {
	f.Add(sampleTSV, 2)
	f.Fuzz(func(t *testing.T, text string, scale int) {
		if scale != 1 && scale != 2 {
			return
		}
		words, err := parseTSV([]byte(text), scale)
		if err != nil {
			return
		}
		n := 0
		for _, r := range joinRows(words) {
			n += len(r.Words)
		}
		if n != len(words) {
			t.Errorf("%d words became %d", len(words), n)
		}
	})
}
