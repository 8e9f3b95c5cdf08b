//go:build system

package minilm

import (
	"strings"
	"testing"
	"time"
)

// However long and odd a text is, finding its tokens takes little time.
func TestTokensOfHostileTexts(t *testing.T) {
	m := opened(t)
	const size = 1 << 18
	for name, part := range map[string]string{
		"words":          "antidisestablishmentarianism ",
		"one word":       "z",
		"no known word":  strings.Repeat("z\U00010428", 49) + "\U00010428 ",
		"accents":        "\u0301",
		"spaces":         "\u00a0",
		"unseen":         "\u0000\u200b",
		"no UTF-8":       "\xff\xc0",
		"broken off":     "\xf0\x9f\x98",
		"Hangul":         "각",
		"long to expand": "\ufb2c\u1fa7",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(part, size/len(part))
			start := time.Now()
			if n := m.Tokens(text); n < 2 || n > MaxTokens {
				t.Errorf("%d tokens", n)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}
