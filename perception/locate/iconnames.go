package locate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windieos/windie/perception/elements/icons"
)

// maxIconWords is how many words the name of an icon has at most.
const maxIconWords = 4

// iconAt returns how many words, if several, list begins with that name an icon.
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

// isPlain reports whether a token is in no icon's name.
func isPlain(t token) bool {
	return t.quoted || slices.Contains([]string{"icon", "icons", "button", "the", "a", "an", "at"}, t.text)
}

// iconsOf returns the icons that the longest names in words mean, and how much.
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

// lookup returns the icons that a phrase means, and how much.
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
				if slices.Contains(words, arrow) { // a chevron is an arrow to most as well
					meant = 0.95
				}
				names[arrow+" "+side] = max(names[arrow+" "+side], meant)
			}
		}
	}
	return names
}

var directions = []string{"left", "right", "up", "down"}

// arrows are what shows a direction.
var arrows = []string{"arrow", "chevron", "caret"}

// arrowWords are all that is said of an arrow.
var arrowWords = append([]string{"left", "right", "up", "down", "pointing", "facing", "page"}, arrows...)

// turns are the directions of arrows that are called by what they do.
var turns = map[string]string{
	"next": "right", "forward": "right", "previous": "left", "prev": "left", "back": "left", "upward": "up", "upwards": "up", "downward": "down", "downwards": "down",
	"leftward": "left", "leftwards": "left", "rightward": "right", "rightwards": "right",
}
