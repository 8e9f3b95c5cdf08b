package locate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements/icons"
)

// maxIconWords is the maximum number of words in the name of an icon.
const maxIconWords = 4

// iconAt returns how many words at the start of list name an icon. It returns 0 for a single word.
func iconAt(list []token) int {
	most := min(maxIconWords, len(list))
	for i := 1; i < most; i++ {
		if meaning(list[i:], relationWords) > 0 {
			most = i
		}
	}
	for n := most; n > 1; n-- {
		if !slices.ContainsFunc(list[:n], isPlain) && len(lookup(joined(list[:n]))) > 0 {
			return n
		}
	}
	return 0
}

// isPlain reports whether a token cannot be part of an icon's name.
func isPlain(t token) bool {
	return t.quoted || slices.Contains([]string{"icon", "icons", "button", "the", "a", "an", "at"}, t.text)
}

// iconsOf returns the icons that the longest names in words mean, each with how well it fits, up to
// 1.
func iconsOf(words []string) map[string]float64 {
	names := map[string]float64{}
	for n := min(maxIconWords, len(words)); n > 0 && len(names) == 0; n-- {
		for from := 0; from+n <= len(words); from++ {
			rest := len(words) - n
			for i, w := range words {
				if (i < from || i >= from+n) && shapes[w] {
					rest--
				}
			}
			for name, sure := range lookup(strings.Join(words[from:from+n], " ")) {
				names[name] = max(names[name], sure*(1-0.25*min(2, float64(rest))))
			}
		}
	}
	return names
}

// lookup returns the icons that a phrase means, each with how well it fits, up to 1.
func lookup(phrase string) map[string]float64 {
	names := map[string]float64{}
	for name := range strings.SplitSeq(cmp.Or(signs[phrase], phrase), "|") {
		for _, name := range icons.Lookup(name) {
			names[name] = 1
		}
	}
	words := strings.Fields(strings.ReplaceAll(phrase, "-", " "))
	if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(arrows, w) }) ||
		slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(arrowWords, w) && turns[w] == "" }) {
		return names
	}
	some := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(directions, w) || turns[w] != "" })
	for _, side := range directions {
		if !some || slices.Contains(words, side) || slices.ContainsFunc(words, func(w string) bool { return turns[w] == side }) {
			for _, arrow := range arrows {
				meant := 0.75
				if slices.Contains(words, arrow) { // most people call a chevron an arrow too
					meant = 0.95
				}
				names[arrow+" "+side] = max(names[arrow+" "+side], meant)
			}
		}
	}
	return names
}

var directions = []string{"left", "right", "up", "down"}

// arrows are the icons that show a direction.
var arrows = []string{"arrow", "chevron", "caret"}

// arrowWords are the words that may describe an arrow. lookup guesses no direction for a phrase
// with another word.
var arrowWords = append([]string{"left", "right", "up", "down", "pointing", "facing", "page"}, arrows...)

// turns maps what an arrow does to its direction.
var turns = map[string]string{
	"next": "right", "forward": "right", "previous": "left", "prev": "left", "back": "left", "upward": "up", "upwards": "up", "downward": "down", "downwards": "down",
	"leftward": "left", "leftwards": "left", "rightward": "right", "rightwards": "right",
}
