package reader

import (
	"regexp"
	"strings"
)

// tidy corrects what Windie's own network takes for another character that looks alike, where the rest of the word
// leaves no doubt.
func tidy(word string) string {
	for _, t := range tidied {
		if strings.ContainsAny(word, t.with) {
			word = t.pattern.ReplaceAllString(word, t.by)
		}
	}
	if strings.ContainsAny(word, "OoIlóÓбÔ") && isHexadecimal(word) {
		word = hexadecimals.Replace(word)
	}
	return word
}

// tidied lists what to replace, in words that have one of the characters of with.
var tidied = []struct {
	with    string
	pattern *regexp.Regexp
	by      string
}{
	{".", regexp.MustCompile(`(\pL)\.\.$`), "$1..."},              // nothing ends with two stops
	{"…", regexp.MustCompile(`(\pL)(?:\.+…\.*|…\.+)$`), "$1…"},    // nor with both
	{"I", regexp.MustCompile(`^I(['’][aeiouhéèêàâîôûœ])`), "l$1"}, // of French: l'heure
	{"l", regexp.MustCompile(`^(\W*)l([cdfmnrstx][a-z])`), "${1}I$2"},
	{"l", regexp.MustCompile(`^(U?)l$`), "${1}I"},
	{"⌃", regexp.MustCompile(`^⌃0$`), "^O"},             // no key of a terminal is Control and a figure
	{"⌃", regexp.MustCompile(`^⌃([^⌃⌘⌥⇧]+)$`), "^${1}"}, // a macOS shortcut of this key alone is rarer than a terminal's
}

// hexadecimals are what figures look like in a word that has no letters but A to F.
var hexadecimals = strings.NewReplacer("O", "0", "o", "0", "I", "1", "l", "1", "ó", "6", "Ó", "6", "б", "6", "Ô", "0")

// hexadecimalWord matches hashes, addresses and colours, all of whose letters are in one case; capitals alone may be of
// a serial number, so that those have a sign of what they are.
var hexadecimalWord = regexp.MustCompile(`^(?:[0-9a-foIlóбx.-]+|0x[0-9A-FOIlóÓбÔ]+|#[0-9A-FOIlóÓбÔ]+|[0-9A-FOIlóÓбÔ]{2}(?::[0-9A-FOIlóÓбÔ]{2}){2,}|[0-9a-fOoIlóб-]+)$`)

// isHexadecimal reports whether a word is surely one: at least a third of six characters or more are figures, and
// some are letters.
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
