package reader

import (
	"fmt"
	"image"
	"testing"

	"github.com/windieos/windie/perception/textline"
)

// inARow returns the ink of letters that are 6 pixels wide. gaps has the gap before each letter
// except the first.
func inARow(gaps ...int) []image.Rectangle {
	list := []image.Rectangle{low(0, 6)}
	for _, gap := range gaps {
		from := list[len(list)-1].Max.X + gap
		list = append(list, low(from, from+6))
	}
	return list
}

// TestSpaces checks that a gap that is wide compared with the others is a space.
func TestSpaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		gaps       []int
		want       string
	}{
		{"none", "hello", []int{1, 1, 1, 1}, "hello"},
		{"one missed", "hiyou", []int{1, 4, 1, 1}, "hi you"},
		{"those that were read", "hi you", []int{1, 4, 1, 1}, "hi you"},
		{"one missed beside others", "go on upto", []int{1, 4, 1, 4, 1, 4, 1}, "go on up to"},
		{"letters set wide", "hello", []int{3, 3, 3, 3}, "hello"},
		{"before a one", "a1", []int{5}, "a1"},
		{"after a mark", "a.b", []int{1, 5}, "a.b"},
		{"typewritten, a narrow letter", "abcdefghi", []int{4, 4, 4, 4, 4, 4, 4, 4}, "abcdefghi"},
		{"typewritten, one missed", "abcdefghi", []int{4, 4, 4, 14, 4, 4, 4, 4}, "abcd efghi"},
		{"typewritten, one imagined", "abcd efghi", []int{4, 4, 4, 4, 4, 4, 4, 4}, "abcdefghi"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var of []int
			for i := range len(tt.gaps) + 1 {
				of = append(of, i)
			}
			p := spellingOf(is(tt.text, of...), inARow(tt.gaps...)...)
			p.addSpaces()
			if got := p.said(); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

// TestFixCase checks that letters with the same shape in both cases become capitals on a line of
// capitals.
func TestFixCase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text    string
		letters textline.Heights
		want    string
	}{
		{"oVERvIEw", textline.Tall, "OVERVIEW"}, // W has a capital of the same shape
		{"cost", textline.Tall, "cost"},         // a small t shows that the c is small
		{"cos", textline.Tall, "cos"},           // nothing shows it
		{"cosA", textline.Both, "cosA"},
		{"cosA", textline.Tall, "COSA"},
		{"z1A", textline.Tall, "Z1A"},
		{"cAn", textline.Tall, "cAn"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			of := make([]int, len(tt.text))
			p := spellingOf(is(tt.text, of...), low(0, 60))
			p.fit.Letters = tt.letters
			p.fixCase()
			if got := p.said(); got != tt.want {
				t.Errorf("%q on a line of kind %d: %q, want %q", tt.text, tt.letters, got, tt.want)
			}
		})
	}
}

// TestFitting checks that a fit that contradicts the letters makes a reading less sure.
func TestFitting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text    string
		letters textline.Heights
		want    float64
	}{
		{"Home", textline.Both, 1},
		{"HOME", textline.Tall, 1}, {"HOME", textline.Small, 0},
		{"area", textline.Small, 1}, {"area", textline.Tall, 0},
		{"10am", textline.Tall, 0.5}, {"10am", textline.Small, 0.5},
		{"-.", textline.Tall, 1},
	} {
		t.Run(fmt.Sprint(tt.text, " ", tt.letters), func(t *testing.T) {
			p := spellingOf(is(tt.text, make([]int, len(tt.text))...), low(0, 60))
			p.fit.Letters = tt.letters
			if got := p.fitting(); got != tt.want {
				t.Errorf("%q as %d: %g, want %g", tt.text, tt.letters, got, tt.want)
			}
			if sure := p.sureness(); tt.want == 1 && sure < 0.99 || tt.want == 0 && sure > 0.51 {
				t.Errorf("%q as %d: sure to %g", tt.text, tt.letters, sure)
			}
		})
	}
	if sure := spellingOf(nil).sureness(); sure != 0 {
		t.Errorf("nothing is sure to %g", sure)
	}
}

// TestMend checks that characters are corrected by the characters around them, and that other text
// stays unchanged.
func TestMend(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"2l4": "214", "1O": "10", "O.5": "0.5", "10O0": "1000", "ethO": "eth0", "1B2": "182", "2S%": "25%", "3S.": "35.",
		"lnvoice": "Invoice", "lOS": "IOS", "“lnbox": "“Inbox", "Ul": "UI", "lllness": "Illness",
		"''": "'", "””": "”", "9f3aOl2e": "9f3a012e", "12:O5": "12:05", "(O,5)": "(0,5)",

		"": "", "OK": "OK", "Oslo": "Oslo", "list": "list", "lawn": "lawn", "Io": "Io", "Bob": "Bob", "Ol": "Ol", "I": "I", "SOS": "SOS",
		"B2B": "B2B", "iOS": "iOS", "userId": "userId", "getItem": "getItem", "McIntosh": "McIntosh", "deadbeef": "deadbeef", "Ulm": "Ulm", "a11y": "a11y", "O": "O",
	} {
		t.Run(word, func(t *testing.T) {
			if got := mend(word); got != want {
				t.Errorf("%q becomes %q, want %q", word, got, want)
			}
			if got := mend(mend(word)); got != mend(word) {
				t.Errorf("%q becomes %q at first, and then %q", word, mend(word), got)
			}
		})
	}
}
