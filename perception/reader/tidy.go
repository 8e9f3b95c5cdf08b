package reader

import (
	"regexp"
	"strings"
)

// tidy corrects characters that Windie's network confuses with similar ones, if the rest of the
// word leaves no doubt.
func tidy(word string) string {
	for _, t := range tidied {
		if strings.ContainsAny(word, t.with) {
			word = t.pattern.ReplaceAllString(word, t.by)
		}
	}
	if strings.ContainsAny(word, "OoIlóÓбÔ") && (isHexadecimal(word) || number.MatchString(word)) {
		word = hexadecimals.Replace(word)
	}
	return word
}

// tidied lists the replacements. A pattern applies only to words with a character of with.
var tidied = []struct {
	with    string
	pattern *regexp.Regexp
	by      string
}{
	{".", regexp.MustCompile(`(\pL)\.\.$`), "$1..."},              // no word ends with two stops
	{"…", regexp.MustCompile(`(\pL)(?:\.+…\.*|…\.+)$`), "$1…"},    // nor with both stops and an ellipsis
	{"I", regexp.MustCompile(`^I(['’][aeiouhéèêàâîôûœ])`), "l$1"}, // French, for example l'heure
	{"l", regexp.MustCompile(`^(\W*)l([cdfmnrstx][a-z])`), "${1}I$2"},
	{"l", regexp.MustCompile(`^(U?)l$`), "${1}I"},
	{"⌃", regexp.MustCompile(`^⌃0$`), "^O"}, // no key of a terminal is Control and a digit
	// a macOS shortcut with Control alone is rarer than a key of a terminal
	{"⌃", regexp.MustCompile(`^⌃([^⌃⌘⌥⇧]+)$`), "^${1}"},
}

// hexadecimals maps letters to the digits that they look like, in a word whose other letters are A
// to F.
var hexadecimals = strings.NewReplacer("O", "0", "o", "0", "I", "1", "l", "1", "ó", "6", "Ó", "6", "б", "6", "Ô", "0")

// number matches numbers, dates and times of which some zeros were read as the letter.
var number = regexp.MustCompile(`^[-+(]?\d[\dO.,:/-]*\d[\dO.,:/-]*[%)]?$`)

// hexadecimalWord matches hashes, addresses and colours in one case. Plain capitals may be a serial
// number, so capitals require a prefix or separators.
var hexadecimalWord = regexp.MustCompile(`^(?:[0-9a-foIlóбx.-]+|0x[0-9A-FOIlóÓбÔ]+|#[0-9A-FOIlóÓбÔ]+|[0-9A-FOIlóÓбÔ]{2}(?::[0-9A-FOIlóÓбÔ]{2}){2,}|[0-9a-fOoIlóб-]+)$`)

// isHexadecimal reports whether a word is certainly hexadecimal: it has at least six characters and
// at least one letter, and at least a quarter of the characters are digits.
func isHexadecimal(word string) bool {
	digits, letters := 0, 0
	for _, r := range word {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F':
			letters++
		}
	}
	return letters > 0 && digits+letters >= 6 && 3*digits >= letters && hexadecimalWord.MatchString(word)
}
