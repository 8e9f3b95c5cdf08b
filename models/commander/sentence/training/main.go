// Command training writes what the network of package sentence learns from.
//
//	go run ./models/commander/sentence/training -copies 8 FOLDER >examples.jsonl
//
// FOLDER has files of sentences: lines of a screen's name, a sentence, and what it means. Beside each, a file of the same name
// that ends with .screens has the screens. Each sentence becomes some examples, in which things have other names, words other
// cases, and what nobody asks for is missing.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/models/commander/sentence"
)

var (
	screenPattern = regexp.MustCompile(`^== (\S+): (.*)$`)
	windowPattern = regexp.MustCompile(`window "([^"]+)"`)
	thingPattern  = regexp.MustCompile(`^([a-z ]+?)(?: "([^"]+)")?(?: \((.*?)\))?(?: = "([^"]*)")?(?: \[(on|off)\])?(?: \((.*)\))?$`)
)

// screensOf reads a file of screens.
func screensOf(path string) (map[string][]sentence.Thing, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := map[string][]sentence.Thing{}
	name, window, y := "", "", 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if part := screenPattern.FindStringSubmatch(line); part != nil {
			name, y = part[1], 60
			for i, w := range windowPattern.FindAllStringSubmatch(part[2], -1) {
				if i == 0 {
					window = w[1]
				}
				all[name] = append(all[name], sentence.Thing{Kind: "window", Name: w[1], Window: w[1], Active: i == 0, Rect: image.Rect(0, 0, 1000, 800)})
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for i, one := range strings.Split(line, " | ") {
			part := thingPattern.FindStringSubmatch(strings.TrimSpace(one))
			if part == nil {
				log.Printf("%s: no thing: %q", name, one)
				continue
			}
			thing := sentence.Thing{Kind: part[1], Name: part[2], Text: part[4], Window: window, Active: true, Rect: image.Rect(20+150*i, y, 150+150*i, y+20)}
			thing.On, thing.Has = part[5] == "on", part[5] != "" || part[1] == "spinner" || part[1] == "slider"
			thing.Lines = strings.Contains(part[3]+part[6], "several lines")
			thing.Popup = part[1] == "menu item"
			all[name] = append(all[name], thing)
		}
		y += 30
	}
	return all, nil
}

// step is what a step of a sentence means.
type step struct {
	act        string
	target, to []int // things that are meant; nil: none
	cell, toTo string
	value      string
	valued     bool
	keys       []string
	path       []string
	unknown    bool // the target is not on the screen
	text       string
}

var (
	timesPattern = regexp.MustCompile(` (\d+) times$`)
	setPattern   = regexp.MustCompile(`^set (.+?) to "(.*)"$`)
	typePattern  = regexp.MustCompile(`^type "(.*?)"(?: into (.+))?$`)
	pullPattern  = regexp.MustCompile(`^drag (.+) by (-?\d+), ?(-?\d+)$`)
	cellPattern  = regexp.MustCompile(`^(?:cell )?([A-Z]{1,2}\d{1,4})$`)
)

// thingsOf returns the things that a phrase of a meaning names, or a cell.
func thingsOf(phrase string, screen []sentence.Thing) (list []int, cell string, ok bool) {
	phrase = strings.TrimSpace(phrase)
	bare := strings.ReplaceAll(phrase, `"`, "")
	for k, t := range screen {
		if strings.EqualFold(strings.TrimSpace(t.Kind+" "+t.Name), bare) {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		for k, t := range screen {
			if strings.EqualFold(t.Name, bare) && t.Name != "" {
				list = append(list, k)
			}
		}
	}
	if part := cellPattern.FindStringSubmatch(bare); part != nil && len(list) == 0 {
		return nil, part[1], true
	}
	return list, "", len(list) > 0
}

// stepOf reads a step of a meaning.
func stepOf(text string, screen []sentence.Thing) (s step, ok bool) {
	s.text = text
	text = strings.TrimSpace(text)
	named := func(phrase string) {
		var found bool
		s.target, s.cell, found = thingsOf(phrase, screen)
		s.unknown = !found
	}
	switch verb, rest, _ := strings.Cut(text, " "); verb {
	case "?":
		s.act = "ask"
	case "click":
		s.act = "click"
		if part := timesPattern.FindStringSubmatch(rest); part != nil {
			rest = strings.TrimSuffix(rest, part[0])
			if part[1] != "2" {
				return s, false
			}
			s.act = "double"
		}
		if thing, mods, is := strings.Cut(rest, " with "); is {
			if _, _, found := thingsOf(rest, screen); !found {
				s.act, rest, s.keys = "held", thing, strings.Split(mods, "+")
			}
		}
		if thing, is := strings.CutPrefix(rest, "right "); is {
			if _, _, found := thingsOf(rest, screen); !found {
				s.act, rest = "right", thing
			}
		}
		named(rest)
	case "set":
		part := setPattern.FindStringSubmatch(text)
		if part == nil {
			return s, false
		}
		named(part[1])
		s.act = "set"
		state := len(s.target) > 0 && slices.Contains([]string{"checkbox", "radio", "switch", "menu item", "button"}, screen[s.target[0]].Kind)
		switch {
		case state && part[2] == "on":
			s.act = "on"
		case state && part[2] == "off":
			s.act = "off"
		case part[2] == "":
			s.act = "clear"
		default:
			s.value, s.valued = part[2], true
		}
	case "type":
		part := typePattern.FindStringSubmatch(text)
		if part == nil {
			return s, false
		}
		s.act, s.value, s.valued = "type", part[1], true
		if part[2] != "" {
			named(part[2])
		}
	case "press":
		s.act = "press"
		if part := timesPattern.FindStringSubmatch(rest); part != nil {
			rest = strings.TrimSuffix(rest, part[0])
		}
		s.keys = strings.Split(rest, "+")
	case "menu":
		s.act = "menu"
		for one := range strings.SplitSeq(rest, ">") {
			s.path = append(s.path, strings.Trim(strings.TrimSpace(one), `"`))
		}
	case "hover":
		s.act = "hover"
		named(rest)
	case "drag":
		if part := pullPattern.FindStringSubmatch(text); part != nil {
			s.act = "pull"
			named(part[1])
			break
		}
		s.act = "drag"
		found := false
		for at := range rest { // a name may have " to " in it
			if !strings.HasPrefix(rest[at:], " to ") {
				continue
			}
			a, ac, aok := thingsOf(rest[:at], screen)
			b, bc, bok := thingsOf(rest[at+4:], screen)
			if aok && bok {
				s.target, s.cell, s.to, s.toTo, found = a, ac, b, bc, true
			}
		}
		s.unknown = !found
	case "select":
		s.act = "select"
		rest = strings.Trim(strings.TrimPrefix(strings.TrimPrefix(rest, "text"), " "), `"`)
		s.value, s.valued = rest, true
	case "scroll":
		s.act = "scroll"
		_, direction, _ := strings.Cut(" "+rest, " to ")
		switch {
		case direction == "the end" || direction == "the bottom":
			s.act = "end"
		case direction == "the top":
			s.act = "top"
		case direction != "":
			s.act, s.value, s.valued = "scrollto", strings.Trim(direction, `"`), true
		}
	case "wait":
		what, is := strings.CutPrefix(rest, "for ")
		if !is {
			s.act = "seconds"
			break
		}
		s.act = "wait"
		if window, is := strings.CutPrefix(what, "window "); is {
			s.act, what = "opens", window
		}
		if text, is := strings.CutSuffix(what, " to go"); is {
			s.act, what = "gone", text
		}
		s.value, s.valued = strings.Trim(what, `"`), true
	case "activate":
		s.act = "activate"
		named("window " + strings.Trim(strings.TrimPrefix(strings.TrimSpace(rest), "window "), `"`))
	case "close":
		s.act = "close"
		if rest != "" {
			named("window " + strings.Trim(strings.TrimPrefix(strings.TrimSpace(rest), "window "), `"`))
		}
	default:
		return s, false
	}
	return s, true
}

// sample is a sentence with its meaning.
type sample struct {
	said   string
	screen []sentence.Thing
	steps  []string
}

// Example is what the network learns from a sentence.
type Example struct {
	Said     string      `json:"said"`
	Grams    [][]int     `json:"grams"`
	Flags    [][]float32 `json:"flags"`
	Mentions [][]float32 `json:"mentions"` // from, to, kind, facts
	Starts   []int       `json:"starts"`
	Roles    []int       `json:"roles"`
	Steps    []Labels    `json:"steps"`
}

// Labels are what is right for a step.
type Labels struct {
	From   int   `json:"from"`
	To     int   `json:"to"`
	Act    int   `json:"act"`
	Target []int `json:"target"` // mentions; empty: none
	Second []int `json:"second"`
	Masked bool  `json:"masked"` // what is right is not known
}

// fold returns a text for comparison, without case and without the signs at its ends.
func fold(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	return strings.Trim(strings.TrimSuffix(s, "..."), "….,;:*! \"'")
}

// spanOf returns the words from index on whose text is value, in said.
func spanOf(c sentence.Clues, said, value string, index int) (i, j int, ok bool) {
	want := fold(value)
	if want == "" {
		return 0, 0, false
	}
	for i := index; i < len(c.Words); i++ {
		for j := i + 1; j <= min(len(c.Words), i+24); j++ {
			if fold(said[c.Words[i].At:c.Words[j-1].End]) == want {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// linkWords may begin a step.
var linkWords = []string{"then", "and", "und", "dann", "danach", "anschließend", "afterwards", "finally", "next", "when", "also", "sowie", "plus", "after", "before", "once"}

// exampleOf aligns a sentence and its meaning.
func exampleOf(s sample) (e Example, ok bool) {
	c := sentence.CluesOf(s.said, s.screen)
	if len(c.Words) == 0 || len(c.Words) > 60 {
		return e, false
	}
	e.Said = s.said
	e.Mentions = [][]float32{}
	e.Starts, e.Roles = make([]int, len(c.Words)), make([]int, len(c.Words))
	for _, w := range c.Words {
		e.Grams = append(e.Grams, w.Grams)
		e.Flags = append(e.Flags, slices.Clone(w.Flags[:]))
	}
	for _, m := range c.Mentions {
		e.Mentions = append(e.Mentions, append([]float32{float32(m.From), float32(m.To), float32(m.Kind)}, m.Facts[:]...))
	}
	type extent struct{ from, to int }
	var extents []extent
	last := 0
	for n, text := range s.steps {
		g, ok := stepOf(text, s.screen)
		if !ok {
			return e, false
		}
		l := Labels{Act: slices.Index(sentence.Acts, g.act), Masked: g.unknown, Target: []int{}, Second: []int{}}
		x := extent{len(c.Words), 0}
		widen := func(i, j int) { x.from, x.to = min(x.from, i), max(x.to, j) }
		mentioned := func(things []int, cell string) (list []int) {
			if len(things) == 0 && cell == "" {
				return nil
			}
			first := -1
			for _, after := range []int{last, 0} {
				for k, m := range c.Mentions {
					hit := cell != "" && m.Cell == cell && len(m.Things) == 0 || len(m.Things) == 1 && slices.Contains(things, m.Things[0])
					if hit && m.From >= after {
						list = append(list, k)
						if first < 0 || !m.IsInLonger() && c.Mentions[first].IsInLonger() {
							first = k
						}
					}
				}
				if len(list) > 0 || n > 0 {
					break
				}
			}
			if first >= 0 { // those that overlap the first
				f := c.Mentions[first]
				list = slices.DeleteFunc(list, func(k int) bool { return c.Mentions[k].From >= f.To || c.Mentions[k].To <= f.From })
				widen(f.From, f.To)
			}
			return list
		}
		if g.act != "ask" && !g.unknown {
			l.Target = append(l.Target, mentioned(g.target, g.cell)...)
			if (len(g.target) > 0 || g.cell != "") && len(l.Target) == 0 {
				l.Masked = true
			}
			if g.act == "drag" {
				hold := last
				if x.to > 0 {
					last = x.to
				}
				l.Second = append(l.Second, mentioned(g.to, g.toTo)...)
				last = hold
				if len(l.Second) == 0 {
					l.Masked = true
				}
			}
		}
		if g.valued {
			i, j, found := spanOf(c, s.said, g.value, last)
			if !found {
				l.Masked = true
			} else {
				e.Roles[i] = sentence.ValueBegin
				for k := i + 1; k < j; k++ {
					e.Roles[k] = sentence.ValueIn
				}
				widen(i, j)
			}
		}
		if g.act == "press" || g.act == "held" {
			i, j, found := sentence.KeysIn(s.said, g.keys, last)
			if !found {
				l.Masked = true
			} else {
				e.Roles[i] = sentence.KeyBegin
				for k := i + 1; k < j; k++ {
					e.Roles[k] = sentence.KeyIn
				}
				widen(i, j)
			}
		}
		for _, one := range g.path {
			i, j, found := spanOf(c, s.said, one, last)
			if !found {
				l.Masked = true
				continue
			}
			e.Roles[i] = sentence.PathBegin
			for k := i + 1; k < j; k++ {
				e.Roles[k] = sentence.PathIn
			}
			widen(i, j)
		}
		if x.to == 0 { // nothing shows where the step is
			x = extent{-1, -1}
		}
		extents = append(extents, x)
		e.Steps = append(e.Steps, l)
		last = max(last, x.to)
	}
	for n := range e.Steps {
		if n == 0 {
			continue
		}
		from, to := extents[n-1].to, extents[n].from
		if extents[n-1].from < 0 {
			from = e.Steps[n-1].From + 1
		}
		if extents[n].from < 0 {
			to = min(len(c.Words)-1, from+6)
		}
		if from < 0 || to < from || from >= len(c.Words) {
			return e, false
		}
		best, value := -1, -1.0
		for b := from; b <= min(to, len(c.Words)-1); b++ {
			v := 0.0
			after := c.Words[b-1].After
			switch {
			case after != "" && strings.Contains(".;:!?\n-", after):
				v = 3
			case after == ",":
				v = 2
			}
			if slices.Contains(linkWords, c.Words[b].Word) && !c.Words[b].Quoted {
				v += 1.5
			}
			if v > value {
				best, value = b, v
			}
		}
		if best <= e.Steps[n-1].From {
			return e, false
		}
		if value == 0 {
			best = max(from, e.Steps[n-1].From+1)
		}
		e.Steps[n].From, e.Steps[n-1].To = best, best
		e.Starts[best] = 1
	}
	e.Starts[0] = 1
	e.Steps[len(e.Steps)-1].To = len(c.Words)
	return e, true
}

// replaceFold replaces a name in a text, whatever its case, where whole words are it.
func replaceFold(text, from, to string) (string, bool) {
	pattern, err := regexp.Compile(`(?i)(^|[\s"'“”„(,>:])` + regexp.QuoteMeta(from) + `($|[\s"'“”.,;:!?)])`)
	if err != nil || !pattern.MatchString(text) {
		return text, false
	}
	lower := pattern.FindString(text) == strings.ToLower(pattern.FindString(text))
	if lower {
		to = strings.ToLower(to)
	}
	return pattern.ReplaceAllString(text, "${1}"+strings.ReplaceAll(to, "$", "$$")+"${2}"), true
}

// altered returns a sample in which things have other names, and so on.
func altered(s sample, names map[string][]string, values []string, r *rand.Rand) sample {
	out := sample{said: s.said, screen: slices.Clone(s.screen), steps: slices.Clone(s.steps)}
	meaning := strings.Join(out.steps, "; ")
	for _, t := range s.screen {
		if t.Name == "" || len(t.Name) < 2 || r.Float64() < .4 {
			continue
		}
		pool := names[t.Kind]
		if len(pool) == 0 {
			continue
		}
		name := pool[r.IntN(len(pool))]
		if slices.ContainsFunc(out.screen, func(o sentence.Thing) bool {
			return strings.Contains(strings.ToLower(o.Name), strings.ToLower(name)) || strings.Contains(strings.ToLower(name), strings.ToLower(o.Name)) && o.Name != ""
		}) || strings.Contains(strings.ToLower(out.said), strings.ToLower(name)) || strings.ContainsAny(name, `;>"`) {
			continue
		}
		if slices.ContainsFunc(out.screen, func(o sentence.Thing) bool {
			return o.Name != t.Name && strings.Contains(strings.ToLower(o.Name), strings.ToLower(t.Name))
		}) {
			continue // a part of another name
		}
		asked := strings.Contains(strings.ToLower(meaning), strings.ToLower(t.Name))
		said, done := replaceFold(out.said, t.Name, name)
		if asked && !done {
			continue
		}
		if asked {
			next := meaning
			for _, frame := range []string{t.Kind + " " + t.Name, "menu " + t.Name, "> " + t.Name, "select text " + t.Name} {
				if at := strings.Index(next, frame); at >= 0 {
					next = strings.ReplaceAll(next, frame, strings.TrimSuffix(frame, t.Name)+name)
				}
			}
			if next == meaning {
				continue
			}
			meaning = next
		}
		if done {
			out.said = said
		}
		for m := range out.screen {
			if out.screen[m].Name == t.Name {
				out.screen[m].Name = name
			}
			if out.screen[m].Window == t.Name {
				out.screen[m].Window = name
			}
		}
	}
	for _, part := range quotedPattern.FindAllStringSubmatch(meaning, -1) {
		if part[1] == "on" || part[1] == "off" || r.Float64() < .5 || slices.ContainsFunc(out.screen, func(t sentence.Thing) bool { return strings.EqualFold(t.Name, part[1]) }) {
			continue
		}
		value := values[r.IntN(len(values))]
		if _, err := strconv.Atoi(part[1]); err == nil {
			value = strconv.Itoa(r.IntN([]int{10, 100, 3000}[r.IntN(3)]))
		} else if _, err := strconv.Atoi(value); err == nil {
			continue
		}
		if said, done := replaceFold(out.said, part[1], value); done && !strings.ContainsAny(value, `";`) {
			out.said = said
			meaning = strings.ReplaceAll(meaning, `"`+part[1]+`"`, `"`+value+`"`)
		}
	}
	out.steps = strings.Split(meaning, "; ")
	keep := 1 - .5*r.Float64()
	out.screen = slices.DeleteFunc(out.screen, func(t sentence.Thing) bool {
		return t.Kind != "window" && r.Float64() > keep && t.Name != "" && !strings.Contains(strings.ToLower(meaning), strings.ToLower(t.Name)) && !strings.Contains(strings.ToLower(out.said), strings.ToLower(t.Name)) && meaning != "?"
	})
	switch r.IntN(8) {
	case 0:
		out.said = strings.ToLower(out.said)
	case 1:
		out.said = strings.TrimRight(out.said, ".!")
	case 2:
		out.said = strings.NewReplacer(`"`, "", "“", "", "”", "", "„", "").Replace(out.said)
	case 3:
		for _, t := range out.screen {
			if len(t.Name) > 1 && t.Kind != "window" && !strings.Contains(out.said, `"`+t.Name) && strings.Contains(out.said, " "+t.Name) && !strings.Contains(out.said, `"`) {
				if said, done := replaceFold(out.said, t.Name, `"`+t.Name+`"`); done {
					out.said = said
				}
				break
			}
		}
	}
	return out
}

// without returns a sample whose first target is not on the screen, so that it must not be carried out.
func without(s sample) (out sample, ok bool) {
	if len(s.steps) != 1 {
		return s, false
	}
	g, is := stepOf(s.steps[0], s.screen)
	if !is || len(g.target) == 0 || g.act == "ask" || g.act == "close" || g.act == "activate" {
		return s, false
	}
	name := s.screen[g.target[0]].Name
	if name == "" || !strings.Contains(strings.ToLower(s.said), strings.ToLower(name)) {
		return s, false
	}
	out = sample{said: s.said, steps: []string{"?"}}
	for _, t := range s.screen {
		if !strings.Contains(strings.ToLower(t.Name), strings.ToLower(name)) {
			out.screen = append(out.screen, t)
		}
	}
	return out, true
}

// named returns the rest of a sample in which a word such as "it" is replaced by the name of the step before, if it means that.
func named(s sample, before string) sample {
	was, ok := stepOf(before, s.screen)
	is, also := stepOf(s.steps[0], s.screen)
	if !ok || !also || len(was.target) == 0 || !slices.Equal(was.target, is.target) {
		return s
	}
	name := s.screen[was.target[0]].Name
	if name == "" || strings.Contains(strings.ToLower(s.said), strings.ToLower(name)) {
		return s
	}
	if said, done := sentence.WithName(s.said, name); done {
		s.said = said
	}
	return s
}

// listOf returns the files of sentences in a folder.
func listOf(folder string) ([]string, error) { return filepath.Glob(filepath.Join(folder, "*.tsv")) }

// read reads files of sentences. It also returns the names of things by their kinds, and the texts that somebody types.
func read(files []string) (samples []sample, names map[string][]string, values []string, err error) {
	names = map[string][]string{}
	for _, file := range files {
		screens, err := screensOf(strings.TrimSuffix(file, ".tsv") + ".screens")
		if err != nil {
			return nil, nil, nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(screens)) {
			for _, t := range screens[name] {
				if t.Name != "" {
					names[t.Kind] = append(names[t.Kind], t.Name)
				}
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, nil, err
		}
		for line := range strings.Lines(string(text)) {
			part := strings.Split(strings.TrimSpace(line), "\t")
			if len(part) != 3 || screens[part[0]] == nil {
				return nil, nil, nil, fmt.Errorf("%s: %q has no screen, sentence and meaning", file, line)
			}
			samples = append(samples, sample{part[1], screens[part[0]], strings.Split(part[2], "; ")})
			for _, v := range quotedPattern.FindAllStringSubmatch(part[2], -1) {
				if v[1] != "on" && v[1] != "off" {
					values = append(values, v[1])
				}
			}
		}
	}
	return samples, names, values, nil
}

// quotedPattern matches a text in a meaning.
var quotedPattern = regexp.MustCompile(`"([^"]+)"`)

// shareMissing is the share of the copies from which what is asked for is missing.
const shareMissing = 0.12

func main() {
	copies := flag.Int("copies", 1, "examples of each sentence")
	seed := flag.Uint64("seed", 1, "of what is random")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: training [-copies N] FOLDER")
	}
	files, err := listOf(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	samples, names, values, err := read(files)
	if err != nil {
		log.Fatal(err)
	}
	r := rand.New(rand.NewPCG(*seed, 2)) //nolint:gosec // the same examples each time
	out := bufio.NewWriter(os.Stdout)
	made, lost := 0, 0
	emit := func(s sample) (Example, bool) {
		e, ok := exampleOf(s)
		if !ok {
			return e, false
		}
		made++
		if err := json.NewEncoder(out).Encode(e); err != nil {
			log.Fatal(err)
		}
		return e, true
	}
	for _, s := range samples {
		for n := range *copies {
			one := s
			if n > 0 {
				one = altered(s, names, values, r)
			}
			e, ok := emit(one)
			if n == 0 && !ok {
				lost++
				fmt.Fprintln(os.Stderr, "not found:", s.said, "|", strings.Join(s.steps, "; "))
			}
			for k := 1; ok && k < len(e.Steps); k++ {
				c := sentence.CluesOf(one.said, one.screen)
				emit(named(sample{one.said[c.Words[e.Steps[k].From].At:], one.screen, one.steps[k:]}, one.steps[k-1]))
			}
			if b, ok := without(one); ok && n > 0 && r.Float64() < shareMissing {
				emit(b)
			}
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "%d examples of %d sentences, %d not found\n", made, len(samples), lost)
}
