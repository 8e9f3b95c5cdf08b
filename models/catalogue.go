package models

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// builtin is the catalogue of a gateway whose operator has none.
//
//go:embed catalogue.yaml
var builtin []byte

// Catalogue is what providers and models there are. It does not change: With
// makes another. The zero value is empty.
type Catalogue struct {
	providers []Provider
	entries   []entry // in the order of the file
	byID      map[string]Choice
	fallback  string // the id of the default
}

// entry is a model as it is listed.
type entry struct {
	sdkapi.Model
	provider Provider
	vision   bool
}

// Provider is where models are asked.
type Provider struct {
	ID       string `yaml:"id"`       // as models and messages name it
	Kind     Kind   `yaml:"kind"`     // the protocol
	BaseURL  string `yaml:"base_url"` // empty for the kind's own
	KeyEnv   string `yaml:"key_env"`  // the environment variable with the key; empty for none
	Local    bool   `yaml:"local"`    // whether it runs here, and costs nothing
	Discover string `yaml:"discover"` // "ollama" to list what a running one has; empty for what the file says alone
}

// Kind names the protocol that a provider's server speaks, as "openai". The
// folder of the kind's Driver has the same name.
type Kind string

// Driver opens the models of providers of one kind. models/providers lists the
// drivers.
type Driver struct {
	Kind    Kind
	Open    func(p Provider, key Secret) (Model, error) // the zero Secret for a provider without keys
	Offline bool                                        // its models need no server, so that nothing is asked again or may not be there
}

// Choice is what an id of the catalogue stands for.
type Choice struct {
	Provider      Provider
	Model         string // for Request.Model
	Reasoning     string // for Request.Reasoning
	ContextWindow int    // in tokens; 0 for unknown
}

// BuiltinCatalogue returns what a gateway offers when its operator says nothing.
func BuiltinCatalogue() *Catalogue {
	c, err := ParseCatalogue(builtin) // a test compares its kinds with the drivers
	if err != nil {
		panic(err) // it is part of the program
	}
	return c
}

// Default returns the id of the model for those who do not choose.
func (c *Catalogue) Default() string { return c.fallback }

// First returns the id of the first entry that can be talked with, empty if
// there is none.
func (c *Catalogue) First() string {
	for _, e := range c.entries {
		if !e.vision {
			return e.ID
		}
	}
	return ""
}

// Providers returns the providers, in the order of the file.
func (c *Catalogue) Providers() []Provider { return slices.Clone(c.providers) }

// Find returns what id stands for: that of an entry, or of a model without a
// reasoning mode, which means its default one.
func (c *Catalogue) Find(id string) (Choice, error) {
	if choice, found := c.byID[id]; found {
		return choice, nil
	}
	return Choice{}, fault.New("models.Find", sdkapi.ValidationError, "there is no model %s", plain.OneLine(`"`+id+`"`, maxRefusalOut)).
		At("selected_model_id", "expected the id of a model that is listed")
}

// List returns the entries of the providers that usable approves; nil approves
// of all.
func (c *Catalogue) List(usable func(Provider) bool) sdkapi.ModelList {
	list := sdkapi.ModelList{Local: []sdkapi.Model{}, Online: []sdkapi.Model{}, Vision: []sdkapi.Model{}}
	for _, e := range c.entries {
		if usable != nil && !usable(e.provider) {
			continue
		}
		to := &list.Online
		switch {
		case e.vision:
			to = &list.Vision
		case e.provider.Local:
			to = &list.Local
		}
		*to = append(*to, e.Model)
	}
	return list
}

// With returns a catalogue that also has models of those names, as found at a
// provider. Ids that are taken stay what they are.
func (c *Catalogue) With(provider Provider, names []string) *Catalogue {
	more := &Catalogue{providers: c.providers, entries: slices.Clone(c.entries), byID: maps.Clone(c.byID), fallback: c.fallback}
	for _, name := range names {
		if _, taken := more.byID[name]; taken || name == "" || strings.Contains(name, modeMark) {
			continue
		}
		more.byID[name] = Choice{Provider: provider, Model: name}
		more.entries = append(more.entries, entry{provider: provider, Model: sdkapi.Model{ID: name, Provider: provider.ID, DisplayName: name}})
	}
	return more
}
