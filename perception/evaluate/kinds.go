package evaluate

import (
	"cmp"
	"fmt"
	"slices"
)

// Part is which screens of a folder are read.
type Part string

// Parts of a folder.
const (
	All     Part = ""
	Only    Part = "only"    // those that are held back from tuning
	Without Part = "without" // those that are not
)

// ParsePart returns the part that a word names.
func ParsePart(word string) (Part, error) {
	if p := Part(word); p == All || p == Only || p == Without {
		return p, nil
	}
	return All, fmt.Errorf("%q is not %s or %s", word, Only, Without)
}

func (p Part) takes(t truth) bool { return p == All || t.Held == (p == Only) }

// group is how well the screens of a kind were read, those that are held apart
// from those that are not.
type group struct {
	Kind     string `json:"kind"`
	HeldBack bool   `json:"held"`
	Screens  int    `json:"screens"`
	Words    int    `json:"words"`
	figures
}

// name is how a table calls the group.
func (g group) name() string {
	if g.HeldBack {
		return g.Kind + ", held"
	}
	return g.Kind
}

// groups returns the kinds of screens that say one, by name, those that are held
// behind those that are not.
func groups(list []screened) []group {
	type key struct {
		kind string
		held bool
	}
	byKind := map[key][]screened{}
	for _, s := range list {
		if s.Kind != "" {
			byKind[key{s.Kind, s.HeldBack}] = append(byKind[key{s.Kind, s.HeldBack}], s)
		}
	}
	var found []group
	for k, of := range byKind {
		g := group{Kind: k.kind, HeldBack: k.held, Screens: len(of), figures: figuresOf(of)}
		for _, s := range of {
			g.Words += s.Words
		}
		found = append(found, g)
	}
	slices.SortFunc(found, func(a, b group) int { return cmp.Compare(a.name(), b.name()) })
	return found
}
