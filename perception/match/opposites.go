package match

import (
	"slices"
	"strings"
)

// heads are prefixes in widely used languages that turn a word into its opposite, or into the
// opposite of a word with another prefix. The empty one is the word without a prefix.
var heads = []string{
	"", "un", "in", "im", "il", "ir", "dis", "de", "des", "non", "mis", "anti", "re", "ex", "em", "en", "out", "on", "off", "up", "down",
	"over", "under", "pre", "post", "sub", "super", "inter", "intra", "max", "min", "multi", "mono",
	"an", "ab", "auf", "aus", "ein", "zu", "hin", "her", "vor", "nach", "ent", "ver", "be", "ne", "не", "без", "от", "при", "вы", "в",
}

// areOpposites reports whether two words differ only by their heads.
func areOpposites(a, b string) bool {
	for _, head := range heads {
		rest, ok := strings.CutPrefix(a, head)
		if !ok || len(rest) < 3 {
			continue
		}
		if other, ok := strings.CutSuffix(b, rest); ok && other != head && slices.Contains(heads, other) {
			return true
		}
	}
	return false
}
