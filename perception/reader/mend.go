package reader

import (
	"regexp"
	"strings"
)

// mend corrects characters of a word by the characters around them.
func mend(word string) string {
	for _, m := range mends {
		if !strings.ContainsAny(word, m.with) {
			continue
		}
		for range len(word) { // overlapping matches need several rounds
			next := m.pattern.ReplaceAllString(word, m.by)
			if next == word {
				break
			}
			word = next
		}
	}
	if hexadecimal.MatchString(word) && strings.ContainsAny(word, "0123456789") {
		word = strings.NewReplacer("l", "1", "I", "1", "O", "0", "o", "0").Replace(word)
	}
	return word
}

const (
	figures = "0123456789"
	quotes  = "’'‘`\"“”"
)

// mends lists the replacements. A pattern applies only to words with a character of with.
var mends = []struct {
	with    string
	pattern *regexp.Regexp
	by      string
}{
	{quotes, regexp.MustCompile("([’'‘`])[’'‘`]"), "$1"}, // one quote read as two
	{quotes, regexp.MustCompile(`(["“”])["“”]`), "$1"},
	{figures, regexp.MustCompile(`([0-9])[lI|]([0-9])`), "${1}1$2"}, // digits beside digits
	{figures, regexp.MustCompile(`([0-9])O(O)`), "${1}0$2"},
	{figures, regexp.MustCompile(`([0-9][.,:]?)[Oo]([0-9.,:%)]|$)`), "${1}0$2"},
	{figures, regexp.MustCompile(`(^|[^0-9A-Za-z])[Oo]([.,:][0-9]|[0-9])`), "${1}0$2"},
	{figures, regexp.MustCompile(`([0-9][a-z]+)O([a-z])`), "${1}0$2"},
	{figures, regexp.MustCompile(`([0-9][.,:]?)B([0-9.,:%)])`), "${1}8$2"},
	{figures, regexp.MustCompile(`([0-9][.,:]?)S([0-9.,:%)])`), "${1}5$2"},
	{"O", regexp.MustCompile(`([a-z])O([0-9.,)_-]|$)`), "${1}0$2"},             // for example eth0
	{"l", regexp.MustCompile(`^(\W*)l([bcdfgjkmnpqrstvwxz][a-z])`), "${1}I$2"}, // for example Invoice
	{"l", regexp.MustCompile(`^(\W*)l([A-Z])`), "${1}I$2"},
	{"l", regexp.MustCompile(`^(\W*)lll`), "${1}Ill"},
	{"l", regexp.MustCompile(`^(\W*)Ul(\W*)$`), "${1}UI$2"},
}

// hexadecimal matches a hash, or a part of one, in which some digits were read as letters.
var hexadecimal = regexp.MustCompile(`^[0-9a-f]*[0-9][0-9a-flIOo]{4,}[0-9a-f]$`)
