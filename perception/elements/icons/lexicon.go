package icons

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed lexicon.yaml
var lexiconFile []byte

// Concept is what an icon stands for.
type Concept struct {
	Name string   `yaml:"name"` // as "search"
	Say  []string `yaml:"say"`  // what else it is called, as "magnifying glass"
}

// Concepts lists what icons can be named, in the order of lexicon.yaml. Callers must not change it.
var Concepts = sync.OnceValue(func() []Concept {
	var all []Concept
	for _, e := range lexicon() {
		if !e.Plain {
			all = append(all, e.Concept)
		}
	}
	return all
})

// entry is what lexicon.yaml has of a concept, or of a shape that stands for nothing.
type entry struct {
	Concept `yaml:",inline"`
	Plain   bool `yaml:"plain"`
}

var lexicon = sync.OnceValue(func() []entry {
	var all []entry
	if err := yaml.Unmarshal(lexiconFile, &all); err != nil {
		panic("icons: lexicon.yaml: " + err.Error())
	}
	return all
})

// said maps what is said to concepts, by their index.
var said = sync.OnceValue(func() map[string][]int {
	all := map[string][]int{}
	for i, c := range Concepts() {
		for _, text := range append([]string{c.Name}, c.Say...) {
			key := plainly(text)
			if !slices.Contains(all[key], i) {
				all[key] = append(all[key], i)
			}
		}
	}
	return all
})

// plainly returns a text without what does not distinguish icons.
func plainly(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		return slices.Contains([]string{"icon", "icons", "button", "the", "a", "an"}, word)
	}), " ")
}

// Lookup returns the names of the concepts that people mean by a text, the one of that name first;
// nil for an unknown text. It knows plurals with an s, and ignores case, hyphens and the words
// "icon", "button", "the" and "a".
func Lookup(text string) []string {
	if len(text) > maxSaid {
		return nil
	}
	key := plainly(text)
	found := said()[key]
	if len(found) == 0 {
		found = said()[strings.TrimSuffix(key, "s")]
	}
	var names []string
	for _, i := range found {
		name := Concepts()[i].Name
		if plainly(name) == key {
			names = slices.Insert(names, 0, name)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// maxSaid is the longest text, in bytes, that is looked up.
const maxSaid = 64
