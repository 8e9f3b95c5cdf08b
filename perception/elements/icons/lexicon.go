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

// Concept is a meaning that icons can have, for example "search".
type Concept struct {
	Name string   `yaml:"name"` // the main name, for example "search"
	Say  []string `yaml:"say"`  // other names, for example "magnifying glass"
}

// Concepts returns all concepts in the order of lexicon.yaml. Callers must not change the list.
var Concepts = sync.OnceValue(func() []Concept {
	var all []Concept
	for _, e := range lexicon() {
		if !e.Plain {
			all = append(all, e.Concept)
		}
	}
	return all
})

// entry is an entry of lexicon.yaml. Plain is set for shapes without a meaning.
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

// conceptsByText maps names to the indices of concepts.
var conceptsByText = sync.OnceValue(func() map[string][]int {
	all := map[string][]int{}
	for i, c := range Concepts() {
		for _, text := range append([]string{c.Name}, c.Say...) {
			key := normalize(text)
			if !slices.Contains(all[key], i) {
				all[key] = append(all[key], i)
			}
		}
	}
	return all
})

// normalize returns a text in lower case without words that do not distinguish icons.
func normalize(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		return slices.Contains([]string{"icon", "icons", "button", "the", "a", "an"}, word)
	}), " ")
}

// Lookup returns the names of the concepts that a text can mean. If the text is itself the name of
// a concept, this name comes first. If the text is unknown, Lookup returns nil. It recognises
// plurals that end in s. It ignores case, hyphens and the words "icon", "button", "the" and "a".
func Lookup(text string) []string {
	if len(text) > maxText {
		return nil
	}
	key := normalize(text)
	found := conceptsByText()[key]
	if len(found) == 0 {
		found = conceptsByText()[strings.TrimSuffix(key, "s")]
	}
	var names []string
	for _, i := range found {
		name := Concepts()[i].Name
		if normalize(name) == key {
			names = slices.Insert(names, 0, name)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// maxText is the maximum length of a text for Lookup, in bytes.
const maxText = 64
