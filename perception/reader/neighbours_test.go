package reader

import (
	"strings"
	"testing"
)

// Where the network wavers between characters that look alike the neighbours decide, and nowhere else.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, read string
		at         int // of the letter in doubt
		other      string
		sure, less float64
		want       string
	}{
		{"a small letter among small ones", "EIm", 1, "l", 0.79, 0.19, "Elm"},
		{"a figure behind a figure", "4l", 1, "1", 0.6, 0.3, "41"},
		{"a word of one letter", "l", 0, "I", 0.5, 0.4, "I"},
		{"a capital behind a capital", "Ul", 1, "I", 0.6, 0.3, "UI"},
		{"a zero in a number", "1O0", 1, "0", 0.7, 0.2, "100"},
		{"a sure one stays", "EIm", 1, "l", 0.999, 0.0001, "EIm"},
		{"what is not alike stays", "Eam", 1, "e", 0.5, 0.49, "Eam"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &spelling{}
			for _, c := range strings.Split(tt.read, "") {
				p.letters = append(p.letters, letter{text: c, confidence: 1})
			}
			l := &p.letters[tt.at]
			l.confidence, l.other, l.otherSure = tt.sure, tt.other, tt.less
			p.weigh()
			var got strings.Builder
			for _, l := range p.letters {
				got.WriteString(l.text)
			}
			if got.String() != tt.want {
				t.Errorf("%q, want %q", got.String(), tt.want)
			}
		})
	}
}

// Every line of the file has a count for each character of its family.
func TestNeighboursFile(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(neighboursFile) {
		if fields := strings.Fields(line); fields[0] != "#" {
			if len(fields) != 2+len(fields[0]) || len(fields[1]) != 2 {
				t.Errorf("%q", line)
			}
			lines++
		}
	}
	if lines < 250 {
		t.Errorf("%d lines", lines)
	}
}
