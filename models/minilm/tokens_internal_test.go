package minilm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// The fixture is what the library "tokenizers" 0.23.3 makes of texts, with the tokenizer.json of the
// model, cut at 256 tokens, without padding. Texts with "[SEP]" and its like are not in it: the
// library takes them for the marks themselves.
func TestTokens(t *testing.T) {
	t.Parallel()
	m := opened(t)
	data, err := os.ReadFile(filepath.Join("testdata", "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text   string
		Tokens []int32
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			if got := m.vocabulary.tokens(c.Text); !slices.Equal(got, c.Tokens) {
				t.Errorf("%.80q is\n%v, want\n%v", c.Text, got, c.Tokens)
			}
			if got := m.Tokens(c.Text); got != len(c.Tokens) {
				t.Errorf("%.80q has %d tokens, want %d", c.Text, got, len(c.Tokens))
			}
		})
	}
}

// A text cannot name the tokens that mark its ends.
func TestMarksAreText(t *testing.T) {
	t.Parallel()
	m := opened(t)
	for _, mark := range []string{"[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"} {
		t.Run(mark, func(t *testing.T) {
			got := m.vocabulary.tokens("a " + mark + " b")
			inside := got[1 : len(got)-1]
			if slices.ContainsFunc(inside, func(token int32) bool { return token < 104 }) {
				t.Errorf("%s is %v", mark, got)
			}
		})
	}
}

func FuzzTokens(f *testing.F) {
	v := newVocabulary([]byte("[UNK]\nab\n##c\n!\n"))
	f.Add("abc ab!")
	f.Add("[SEP] \u1100\u1161\u0301\xff")
	f.Fuzz(func(t *testing.T, text string) {
		list := v.tokens(text)
		if n := len(list); n < 2 || n > MaxTokens || list[0] != begin || list[n-1] != end {
			t.Errorf("%q has the tokens %v", text, list)
		}
		if slices.ContainsFunc(list, func(token int32) bool { return token < 0 || token >= words }) {
			t.Errorf("%q has the tokens %v", text, list)
		}
	})
}
