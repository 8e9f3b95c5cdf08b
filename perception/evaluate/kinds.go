package evaluate

import (
	"cmp"
	"fmt"
	"slices"
)

// Part says which screens of a folder to evaluate.
type Part string

// Values of Part.
const (
	All     Part = ""
	Only    Part = "only"    // only the screens that tuning must not use
	Without Part = "without" // only the screens that tuning may use
)

// ParsePart returns the Part whose name is word: "", "only" or "without". It fails for any other
// word.
func ParsePart(word string) (Part, error) {
	if p := Part(word); p == All || p == Only || p == Without {
		return p, nil
	}
	return All, fmt.Errorf("invalid kind %q; expected %s or %s", word, Only, Without)
}

// takes reports whether the part includes a screen.
func (p Part) takes(t truth) bool { return p == All || t.Held == (p == Only) }

// group has the figures of the screens of one kind; those held back from tuning are a separate
// group.
type group struct {
	Kind     string `json:"kind"`
	HeldBack bool   `json:"held"`
	Screens  int    `json:"screens"`
	Words    int    `json:"words"`
	figures
}

// name returns the label of the group in tables.
func (g group) name() string {
	if g.HeldBack {
		return g.Kind + ", held"
	}
	return g.Kind
}

// groups returns the figures by kind, sorted by name. Screens without a kind are left out.
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
