package reader

import (
	"regexp"
	"strings"
)

// mend corrects characters of a word by those around them.
func mend(word string) string {
	for _, m := range mends {
		if !strings.ContainsAny(word, m.with) {
			continue
		}
		for range len(word) { // matches that share a character are found one after another
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

// mends lists what to replace, in words that have one of the characters of with.
var mends = []struct {
	with    string
	pattern *regexp.Regexp
	by      string
}{
	{quotes, regexp.MustCompile("([’'‘`])[’'‘`]"), "$1"}, // one quote read as two
	{quotes, regexp.MustCompile(`(["“”])["“”]`), "$1"},
	{figures, regexp.MustCompile(`([0-9])[lI|]([0-9])`), "${1}1$2"}, // figures beside figures
	{figures, regexp.MustCompile(`([0-9])O(O)`), "${1}0$2"},
	{figures, regexp.MustCompile(`([0-9][.,:]?)[Oo]([0-9.,:%)]|$)`), "${1}0$2"},
	{figures, regexp.MustCompile(`(^|[^0-9A-Za-z])[Oo]([.,:][0-9]|[0-9])`), "${1}0$2"},
	{figures, regexp.MustCompile(`([0-9][a-z]+)O([a-z])`), "${1}0$2"},
	{figures, regexp.MustCompile(`([0-9][.,:]?)B([0-9.,:%)])`), "${1}8$2"},
	{figures, regexp.MustCompile(`([0-9][.,:]?)S([0-9.,:%)])`), "${1}5$2"},
	{"O", regexp.MustCompile(`([a-z])O([0-9.,)_-]|$)`), "${1}0$2"},             // eth0
	{"l", regexp.MustCompile(`^(\W*)l([bcdfgjkmnpqrstvwxz][a-z])`), "${1}I$2"}, // Invoice
	{"l", regexp.MustCompile(`^(\W*)l([A-Z])`), "${1}I$2"},
	{"l", regexp.MustCompile(`^(\W*)lll`), "${1}Ill"},
	{"l", regexp.MustCompile(`^(\W*)Ul(\W*)$`), "${1}UI$2"},
}

// hexadecimal is a hash or a part of one, with figures read as letters.
var hexadecimal = regexp.MustCompile(`^[0-9a-f]*[0-9][0-9a-flIOo]{4,}[0-9a-f]$`)
