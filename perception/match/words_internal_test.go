package match

import (
	"slices"
	"strings"
	"testing"
)

// Every word of the list is found, and nothing beside them.
func TestWords(t *testing.T) {
	t.Parallel()
	list := strings.Fields(words)
	if len(list) < 70_000 || !slices.IsSorted(list) || words[len(words)-1] != '\n' {
		t.Fatalf("%d words, sorted: %v", len(list), slices.IsSorted(list))
	}
	for _, w := range list {
		if !isWord(w) || isWord(w+"qq") || isWord("qq"+w) {
			t.Fatalf("%q: %v, longer: %v, %v", w, isWord(w), isWord(w+"qq"), isWord("qq"+w))
		}
	}
	for _, w := range []string{"", "\n", "a", "zzzz", "settings\n", "Settings", "aardvar"} {
		t.Run(w, func(t *testing.T) {
			if isWord(w) {
				t.Errorf("%q is a word", w)
			}
		})
	}
}

func TestIsKnown(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"setting": true, "integrations": true, "integratios": false, "s": false, "": false} {
		t.Run(word, func(t *testing.T) {
			if isKnown(word) != want {
				t.Errorf("%q is known: %v", word, !want)
			}
		})
	}
}

// The glyphs of a text are the letters that are compared quickly.
func FuzzGlyphs(f *testing.F) {
	f.Add("corner rn RN I1l|0O é ß ﬁ")
	f.Fuzz(func(t *testing.T, s string) {
		q := newText(s)
		var letters []rune
		for _, g := range q.glyphs {
			letters = append(letters, g.folded)
		}
		if strings.ContainsAny(s, "\v\f\u0085") || strings.ToValidUTF8(s, "") != s {
			return
		}
		if string(letters) != q.letters {
			t.Errorf("%q has the glyphs %q and the letters %q", s, string(letters), q.letters)
		}
	})
}
