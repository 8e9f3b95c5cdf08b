package locate

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:embed concepts*.txt
var conceptFiles embed.FS

// lexicon maps the stems of phrases to the concepts of user interfaces, by their numbers.
type lexicon struct {
	said    map[string][]int // phrases that people say
	written map[string][]int // those, and phrases that are written on the elements
	icons   map[string][]int // names of icons
	size    int              // number of concepts
}

// lexicons reads the files of concepts at the first call.
var lexicons = sync.OnceValue(func() *lexicon {
	l := &lexicon{map[string][]int{}, map[string][]int{}, map[string][]int{}, 0}
	files, _ := fs.Glob(conceptFiles, "*.txt") // it returns an error only for a bad pattern
	for _, file := range files {
		data, _ := conceptFiles.ReadFile(file) // the file is embedded
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				l.add(line)
			}
		}
	}
	return l
})

// add adds a concept from a line with three lists: phrases that people say | phrases that are
// written | names of icons.
func (l *lexicon) add(line string) {
	n := l.size
	l.size++
	parts := strings.SplitN(line, "|", 3)
	add := func(to map[string][]int, key string) {
		if key != "" && !slices.Contains(to[key], n) {
			to[key] = append(to[key], n)
		}
	}
	for part, phrases := range parts {
		for phrase := range strings.SplitSeq(phrases, ",") {
			phrase = strings.ToLower(strings.TrimSpace(phrase))
			if part == 2 {
				add(l.icons, phrase)
				continue
			}
			key := stems(strings.Fields(phrase))
			add(l.written, key)
			if part == 0 {
				add(l.said, key)
				add(l.icons, phrase)
			}
		}
	}
}

// concepts maps the stems of a phrase that people say to the numbers of its concepts.
func concepts() map[string][]int { return lexicons().said }

// maxConcept is the number of words of the longest phrase in concepts.txt.
const maxConcept = 7

// stems joins the stems of words. It omits small words, such as "my" and "the", except a single
// word.
func stems(words []string) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if !isSmallWord[w] || len(words) == 1 {
			out = append(out, stem(w))
		}
	}
	return strings.Join(out, " ")
}

// stem returns a word without its usual endings: "saves", "saved" and "saving" have one stem.
func stem(word string) string {
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	for _, end := range []struct{ from, to string }{
		{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"ing", ""}, {"ed", ""}, {"ers", "er"}, {"s", ""},
	} {
		root, ok := strings.CutSuffix(word, end.from)
		if !ok || len(root) < 3 || end.from == "s" && strings.HasSuffix(root, "s") || !strings.ContainsAny(root, "aeiouy") {
			continue
		}
		if n := len(root); (end.from == "ing" || end.from == "ed") && n > 3 && root[n-1] == root[n-2] && root[n-1] != 'l' && root[n-1] != 's' {
			root = root[:n-1] // "stopped"
		}
		word = root + end.to
		break
	}
	if len(word) > 4 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}

// iconMeans returns the concepts of an icon.
func iconMeans(name string) []int { return lexicons().icons[name] }

// span is a phrase that is in the lexicon: words[from:to] and its concepts.
type span struct {
	from, to int
	ids      []int
}

// spansOf returns the phrases of words that are in a map of the lexicon.
func spansOf(words []string, in map[string][]int) (list []span) {
	for i := range words {
		if isSmallWord[words[i]] && len(words) > 1 {
			continue
		}
		for n := 1; n <= maxConcept && i+n <= len(words); n++ {
			if isSmallWord[words[i+n-1]] && n > 1 {
				continue
			}
			if ids := in[stems(words[i:i+n])]; len(ids) > 0 {
				list = append(list, span{i, i + n, ids})
			}
		}
	}
	return list
}

// isSmallWord has the words of labels without a meaning of their own.
var isSmallWord = expand(map[string]bool{"the|a|an|to|of|in|on|for|your|my|with|and|by|&|-|–|from|is|as|me|its|it|this|that|their|our": true})
