package locate

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/elements/icons"
)

//go:embed concepts*.txt
var conceptFiles embed.FS

// A lexicon is the concepts of interfaces by the stems of phrases.
type lexicon struct {
	said    map[string][]int // what people say
	written map[string][]int // that, and what is written on what they mean
	icons   map[string][]int // by the names of icons
	size    int              // how many concepts there are
}

// lexicons reads the files of concepts once.
var lexicons = sync.OnceValue(func() *lexicon {
	l := &lexicon{map[string][]int{}, map[string][]int{}, map[string][]int{}, 0}
	files, _ := fs.Glob(conceptFiles, "*.txt") // the pattern is right
	for _, file := range files {
		data, _ := conceptFiles.ReadFile(file) // it is embedded
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				l.add(line)
			}
		}
	}
	return l
})

// add adds a line: what people say | what is written | names of icons.
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

// concepts maps the stems of a phrase that people say to the concepts it is for.
func concepts() map[string][]int { return lexicons().said }

// maxConcept is how many words the longest phrase of concepts.txt has.
const maxConcept = 7

// stems joins the stems of words but those that hold a phrase together, as "my" and "the".
func stems(words []string) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if !isSmallWord[w] || len(words) == 1 {
			out = append(out, stem(w))
		}
	}
	return strings.Join(out, " ")
}

// stem returns a word without its usual endings: saves, saved and saving are one.
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

// A unit is a word, or a phrase that means one thing, which what is asked for must show.
type unit struct {
	text  string
	words []string
	means []int              // concepts
	icons map[string]float64 // what it means as an icon
	soft  bool               // need not be met
}

// unitsOf parts words into the longest phrases that mean something, and single words.
func unitsOf(words []string) (list []unit) {
	for len(words) > 0 {
		n := min(len(words), maxConcept)
		for ; n > 1; n-- {
			if phrase := words[:n]; len(concepts()[stems(phrase)]) > 0 || n <= maxIconWords && len(lookup(strings.Join(phrase, " "))) > 0 {
				break
			}
		}
		text := strings.Join(words[:n], " ")
		list = append(list, unit{text, words[:n], concepts()[stems(words[:n])], lookup(text), soft[text] || n == 1 && shapes[text]})
		words = words[n:]
	}
	if !slices.ContainsFunc(list, func(u unit) bool { return !u.soft }) { // they are all there is
		for i := range list {
			list[i].soft = false
		}
	}
	return list
}

// How much of what an element shows counts as what was said.
const (
	otherForm = 0.78 // another form of a word
	byMeaning = 0.76 // another word for it
	byCaption = 0.85 // what stands beside a control
	bySection = 0.5  // the heading that it is under
	byName    = 0.7  // the name of what it is
	byColumn  = 0.9  // the name of its column
	elsewhere = 0.75 // another word for it, where the word itself stands elsewhere
	leastUnit = 0.4  // of each unit, at least
	mostMeant = 7    // words of a text that other words are understood in
)

// saying is what a text of the screen means, with its words as stems.
type saying struct {
	stems []string
	ids   []int
	like  *wordLikes
}

func meaningOf(words []string, like *wordLikes) (m saying) {
	m.like = like
	for i := range words {
		m.stems = append(m.stems, stem(words[i]))
		for n := 1; n <= maxConcept && i+n <= len(words); n++ {
			m.ids = append(m.ids, lexicons().written[stems(words[i:i+n])]...)
		}
	}
	return m
}

// shows returns how well a text shows a unit by its words or what they mean.
func (m *saying) shows(u *unit, words []string) float64 {
	if len(words) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range u.words {
		best := 0.0
		for k, l := range words {
			best = max(best, m.like.of(l, w))
			if best < otherForm && len(w) > 2 && m.stems[k] == stem(w) {
				best = otherForm
			}
		}
		if best < 0.5 {
			sum = 0
			break
		}
		sum += best
	}
	if literal := sum / float64(len(u.words)); literal > 0 {
		return literal
	}
	if len(words) <= mostMeant && slices.ContainsFunc(u.means, func(id int) bool { return slices.Contains(m.ids, id) }) {
		return byMeaning
	}
	return 0
}

// showsUnit returns how well an element shows a unit, and by what.
func (s *screen) showsUnit(i int, q *query, u *unit) (best float64, how byKind) {
	take := func(v float64, b byKind) {
		if v == byMeaning && (s.isWritten(u) || len(u.icons) > 0 && s.isDrawn(u)) {
			v *= elsewhere
		}
		if v > best {
			best, how = v, b
		}
	}
	take(s.meanings[i].shows(u, s.words[i]), byLabel)
	take(s.showsIcon(i, q, u), byIcon)
	if s.beside[i] != "" {
		take(byCaption*s.besides[i].shows(u, strings.Fields(s.beside[i])), byBeside)
	}
	if u.text == "search" && s.list[i].Role == elements.SearchBox {
		take(0.9, byRole)
	}
	if best < byColumn && (q.ordinal != 0 || len(q.relations) > 0) {
		if h := s.headCell(i); h >= 0 {
			take(byColumn*s.meanings[h].shows(u, s.words[h]), byPlace)
		}
	}
	if best < bySection && len(q.units) > 1 {
		take(bySection*s.sectionOf(i).shows(u), byUnder)
	}
	return best, how
}

// isWritten reports whether the words of a unit stand on the screen.
func (s *screen) isWritten(u *unit) bool {
	return !slices.ContainsFunc(u.words, func(w string) bool { return !s.onScreen[stem(w)] })
}

// isDrawn reports whether an icon on the screen is what a unit says.
func (s *screen) isDrawn(u *unit) bool {
	return slices.ContainsFunc(s.icons, func(list []icons.Candidate) bool {
		return len(list) > 0 && list[0].Score >= icons.Sure && u.icons[list[0].Name] > 0
	})
}

// headCell is headOfCell, found once.
func (s *screen) headCell(i int) int {
	h, known := s.heads[i]
	if !known {
		h = s.headOfCell(i)
		s.heads[i] = h
	}
	return h
}

// showsIcon returns how well the icon of an element shows a unit.
func (s *screen) showsIcon(i int, q *query, u *unit) (best float64) {
	for _, c := range s.icons[i] {
		if c.Score < leastIcon {
			continue
		}
		if meant := u.icons[c.Name]; meant > 0 {
			best = max(best, meant*min(1, c.Score+0.1))
		} else if len(u.means) > 0 && c.Score >= icons.Sure && slices.ContainsFunc(u.means, func(id int) bool { return slices.Contains(iconMeans(c.Name), id) }) {
			best = max(best, 0.75*min(1, c.Score+0.1))
		}
	}
	if len(q.kinds) == 0 || !slices.Contains(q.kinds, "icon") && !slices.Contains(q.kinds, "button") {
		best *= 0.78 // without "icon" a text may be meant
	}
	if s.labels[i] != "" {
		best *= 0.9
	}
	return best
}

// iconMeans returns the concepts that an icon stands for.
func iconMeans(name string) []int { return lexicons().icons[name] }

// section is the heading that something is under.
type section struct {
	saying
	words []string
}

func (x *section) shows(u *unit) float64 {
	if x == nil {
		return 0
	}
	return x.saying.shows(u, x.words)
}
