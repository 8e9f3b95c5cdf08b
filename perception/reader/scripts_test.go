package reader

import (
	"strings"
	"testing"
)

// TestSpellLatin checks that the other words of a screen decide the alphabet of words that could be
// of several.
func TestSpellLatin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, read, want string }{
		{"initials in a disc", "Save|changes|now|ѕк", "Save|changes|now|SK"},
		{"a capital and a small letter", "Save|changes|now|Ας", "Save|changes|now|As"},
		{"capitals", "Save|changes|now|НОМЕ", "Save|changes|now|HOME"},
		{"two alphabets in a word", "Save|changes|now|Тhe", "Save|changes|now|The"},
		{"a letter that Latin lacks", "Save|changes|now|Я", "Save|changes|now|Я"},
		{"a screen with words of the other", "Save|changes|now|Файл|СССР", "Save|changes|now|Файл|СССР"},
		{"a screen of the other", "СССР|ТОР|OK", "СССР|ТОР|OK"},
		{"a measure", "Save|changes|now|5μm", "Save|changes|now|5μm"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var lines []line
			for i, text := range strings.Split(tt.read, "|") {
				lines = append(lines, lineAt(text, 0.97, 20, 20+40*i, 12))
			}
			before := *lines[len(lines)-1].text
			was := before.words[0].text
			spellLatin(lines)
			var got []string
			for _, l := range lines {
				got = append(got, l.text.words[0].text)
			}
			if text := strings.Join(got, "|"); text != tt.want {
				t.Errorf("%s, want %s", text, tt.want)
			}
			if before.words[0].text != was {
				t.Error("the text in the cache has changed")
			}
		})
	}
}
