package models

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// builtin is the catalogue of a gateway whose operator has not set one.
//
//go:embed catalogue.yaml
var builtin []byte

// Catalogue is a list of providers and models. It is immutable: the method With returns a new Catalogue.
// The zero value is empty.
type Catalogue struct {
	providers []Provider
	entries   []entry // in the order of the file
	byID      map[string]Choice
	fallback  string // id of the default model
	currency  string
}

// entry is a model in the lists of Catalogue.List. A model with reasoning modes has an entry for each mode.
type entry struct {
	sdkapi.Model
	provider Provider
	vision   bool // the model is for the description of images, not for conversations
}

// Provider is a server of models, or the commander: a simple model that runs in this process.
type Provider struct {
	ID      string `yaml:"id"`       // name of the provider, in ids of models and in messages
	Kind    Kind   `yaml:"kind"`     // protocol of the provider's server
	BaseURL string `yaml:"base_url"` // URL of the server; empty: the default URL of the kind
	KeyEnv  string `yaml:"key_env"`  // name of the environment variable with the key; empty: no key
	Local   bool   `yaml:"local"`    // the provider runs on this machine and costs nothing
	// Discover is "ollama" if the catalogue must also list the models of a running Ollama. If it is
	// empty, the catalogue lists only the models in the file.
	Discover string `yaml:"discover"`
}

// Kind is the protocol of a provider's server, for example "openai". The folder of the kind's
// Driver has the same name.
type Kind string

// Driver opens the models of providers of one kind. Package providers lists all drivers.
type Driver struct {
	Kind Kind
	// Open opens a provider's models. key is zero if the provider needs no key.
	Open func(p Provider, key Secret) (Model, error)
	// Offline means that the models need no server. Retries and reachability checks are then
	// pointless.
	Offline bool
}

// Choice has the provider and the settings of a model in the catalogue.
type Choice struct {
	Provider      Provider
	Model         string // value for Request.Model
	Reasoning     string // value for Request.Reasoning
	ContextWindow int    // size of the model's context window, in tokens; 0: unknown
	Price         Price
}

// Price is the price of a model, in the currency of the catalogue.
type Price struct {
	// Input is the price of a million tokens of requests, including cached tokens. Output is the
	// price of a million tokens of answers.
	Input, Output float64
	Known         bool // if false, the price is unknown and both numbers are 0
}

// BuiltinCatalogue returns the catalogue that a gateway uses if its operator has not set a
// catalogue.
func BuiltinCatalogue() *Catalogue {
	c, err := ParseCatalogue(builtin) // a test compares its kinds with the drivers
	if err != nil {
		panic(err) // it is part of the program
	}
	return c
}

// Default returns the id of the default model. It returns "" if the file sets no default.
func (c *Catalogue) Default() string { return c.fallback }

// First returns the id of the first model for conversations. It returns "" if the catalogue has no
// such model.
func (c *Catalogue) First() string {
	for _, e := range c.entries {
		if !e.vision {
			return e.ID
		}
	}
	return ""
}

// Currency returns the code of the currency of all prices, for example EUR. It returns "" if the
// file sets no currency.
func (c *Catalogue) Currency() string { return c.currency }

// Providers returns the providers of the catalogue in the order of the file.
func (c *Catalogue) Providers() []Provider { return slices.Clone(c.providers) }

// Find returns the choice for the id of a model. An id without a reasoning mode selects the model's
// default mode. Find fails with VALIDATION_ERROR for an unknown id.
func (c *Catalogue) Find(id string) (Choice, error) {
	if choice, found := c.byID[id]; found {
		return choice, nil
	}
	return Choice{}, fault.New("models.Find", sdkapi.ValidationError, "there is no model %s", plain.OneLine(`"`+id+`"`, maxRefusalOut)).
		At("selected_model_id", "expected the id of a model in the list of models")
}

// PriceOf returns the price of a model. If the id is not in the catalogue, the price is unknown.
func (c *Catalogue) PriceOf(id string) Price { return c.byID[id].Price }

// List returns the models of each provider for which usable returns true. If usable is nil, List
// returns all models.
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

// With returns a catalogue that also contains the named models of a provider. If an id already
// exists, With does not change its model.
func (c *Catalogue) With(provider Provider, names []string) *Catalogue {
	more := &Catalogue{providers: c.providers, entries: slices.Clone(c.entries), byID: maps.Clone(c.byID), fallback: c.fallback, currency: c.currency}
	if more.byID == nil { // the zero Catalogue
		more.byID = map[string]Choice{}
	}
	for _, name := range names {
		if _, taken := more.byID[name]; taken || name == "" || strings.Contains(name, modeMark) {
			continue
		}
		more.byID[name] = Choice{Provider: provider, Model: name, Price: Price{Known: provider.Local}}
		more.entries = append(more.entries, entry{provider: provider, Model: sdkapi.Model{ID: name, Provider: provider.ID, DisplayName: name}})
	}
	return more
}

// MaxCatalogue is the maximum size of a catalogue's file, in bytes.
const MaxCatalogue = 1 << 20

// file is the form of a catalogue's file.
type file struct {
	Default   string     `yaml:"default"`
	Currency  string     `yaml:"currency"`
	Providers []Provider `yaml:"providers"`
	Models    []listed   `yaml:"models"`
}

// listed is a model in the file. docs/models.md describes the fields.
type listed struct {
	ID                      string   `yaml:"id"`
	Provider                string   `yaml:"provider"`
	RuntimeModelID          string   `yaml:"runtime_model_id"`
	FamilyID                string   `yaml:"family_id"`
	FamilyLabel             string   `yaml:"family_label"`
	DisplayName             string   `yaml:"display_name"`
	SupportsThinking        bool     `yaml:"supports_thinking"`
	ReasoningModes          []string `yaml:"reasoning_modes"`
	DefaultReasoningMode    string   `yaml:"default_reasoning_mode"`
	SupportsNativeWebSearch bool     `yaml:"supports_native_web_search"`
	Vision                  bool     `yaml:"vision"`
	ContextWindow           int      `yaml:"context_window"`
	Description             string   `yaml:"description"`
	Strengths               []string `yaml:"strengths"`
	InputPrice              string   `yaml:"input_price"`
	OutputPrice             string   `yaml:"output_price"`
	InputPerMillion         *float64 `yaml:"input_per_million"`
	OutputPerMillion        *float64 `yaml:"output_per_million"`
	Latency                 string   `yaml:"latency"`
}

// Patterns of ids. A model's id may have slashes and colons, as in "OpenGVLab/InternVL3_5-4B" and
// "llama3.2:3b", but not modeMark.
var (
	providerID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	modelID    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$`)
	modeID     = regexp.MustCompile(`^[a-z0-9]{1,32}$`)
	envName    = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,127}$`)

	currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)
)

// modeMark separates a model's id from its reasoning mode in the id of an entry.
const modeMark = "@@"

// discoverOllama is the only value of Provider.Discover. ollamaKind is the protocol of an Ollama.
const (
	discoverOllama      = "ollama"
	ollamaKind     Kind = "openai"
)

// ParseCatalogue parses a catalogue in YAML. Each provider's kind must be one of kinds; if no kinds
// are given, any kind is valid. The error is a VALIDATION_ERROR that lists every invalid field.
func ParseCatalogue(text []byte, kinds ...Kind) (*Catalogue, error) {
	p := parser{kinds: kinds, wrong: fault.New("models.ParseCatalogue", sdkapi.ValidationError, "invalid catalogue of models")}
	if len(text) > MaxCatalogue {
		return nil, p.wrong.At("catalogue", "expected at most %d bytes", MaxCatalogue)
	}
	var f file
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err := decoder.Decode(&f)
	var mistakes *yaml.TypeError
	switch {
	case errors.As(err, &mistakes):
		for _, m := range mistakes.Errors {
			m, _, unknown := strings.Cut(m, " not found in type ")
			if unknown {
				m += " is unknown; docs/models.md lists the fields"
			}
			p.wrong.Details.Fields = append(p.wrong.Details.Fields, sdkapi.FieldError{Path: "catalogue", Message: m})
		}
	case err != nil && !errors.Is(err, io.EOF):
		return nil, p.wrong.At("catalogue", "%v", err)
	}
	p.expect(errors.Is(decoder.Decode(&file{}), io.EOF), "catalogue", "only one YAML document")
	p.expect(len(f.Providers) > 0, "providers", "at least one")
	p.expect(f.Currency == "" || currencyCode.MatchString(f.Currency), "currency", "three capital letters, such as EUR")
	c := &Catalogue{providers: f.Providers, byID: map[string]Choice{}, fallback: f.Default, currency: f.Currency}
	p.catalogue = c
	for i, provider := range f.Providers {
		p.provider(fmt.Sprintf("providers[%d]", i), i, provider)
	}
	for i, m := range f.Models {
		p.model(fmt.Sprintf("models[%d]", i), m)
	}
	if _, found := c.byID[f.Default]; !found && f.Default != "" {
		p.wrong = p.wrong.At("default", "expected the id of a model in this file")
	}
	if len(p.wrong.Details.Fields) > 0 {
		return nil, p.wrong
	}
	return c, nil
}

// parser collects the problems of a catalogue in wrong, and its models in catalogue.
type parser struct {
	kinds     []Kind
	wrong     *fault.Error
	catalogue *Catalogue
}

// expect adds an error at path unless right is true.
func (p *parser) expect(right bool, path, format string, args ...any) {
	if !right {
		p.wrong = p.wrong.At(path, "expected "+format, args...)
	}
}

// provider checks provider i. Its errors do not repeat values, because an operator may have written a key
// there by mistake.
func (p *parser) provider(path string, i int, v Provider) {
	p.expect(providerID.MatchString(v.ID), path+".id", "lower case letters, digits and -")
	same := slices.IndexFunc(p.catalogue.providers, func(o Provider) bool { return o.ID == v.ID })
	p.expect(same == i, path+".id", "an id that no other provider has")
	p.expect(len(p.kinds) == 0 || slices.Contains(p.kinds, v.Kind), path+".kind", "one of %v", p.kinds)
	p.expect(v.BaseURL == "" || Wire{BaseURL: v.BaseURL}.Check() == nil, path+".base_url", "http or https, a host and a path, without a password or a query")
	p.expect(v.KeyEnv == "" || envName.MatchString(v.KeyEnv), path+".key_env", "the name of an environment variable, not a key")
	p.expect(v.Discover == "" || v.Discover == discoverOllama && v.Kind == ollamaKind && v.BaseURL != "", path+".discover", "%q, of a provider of kind %s with a base_url", discoverOllama, ollamaKind)
}

// model checks a model and adds its entries.
func (p *parser) model(path string, m listed) {
	p.expect(modelID.MatchString(m.ID), path+".id", "letters, digits, and . _ : / -")
	at := slices.IndexFunc(p.catalogue.providers, func(o Provider) bool { return o.ID == m.Provider })
	p.expect(at >= 0, path+".provider", "the id of a provider in this file")
	p.expect(m.ContextWindow >= 0, path+".context_window", "a number of tokens")
	p.expect((m.InputPerMillion == nil) == (m.OutputPerMillion == nil), path+".output_per_million", "both prices or neither")
	for name, price := range map[string]*float64{"input_per_million": m.InputPerMillion, "output_per_million": m.OutputPerMillion} {
		p.expect(price == nil || *price >= 0 && *price <= maxPrice, path+"."+name, "a price per million tokens, from 0 to %d", maxPrice)
	}
	p.expect(len(m.ReasoningModes) == 0 || m.SupportsThinking, path+".reasoning_modes", "supports_thinking: true in a model with reasoning_modes")
	for i, mode := range m.ReasoningModes {
		p.expect(modeID.MatchString(mode) && slices.Index(m.ReasoningModes, mode) == i, fmt.Sprintf("%s.reasoning_modes[%d]", path, i), "lower case letters and digits, each mode only once")
	}
	right := m.DefaultReasoningMode == "" && len(m.ReasoningModes) == 0 || slices.Contains(m.ReasoningModes, m.DefaultReasoningMode)
	p.expect(right, path+".default_reasoning_mode", "one of reasoning_modes, or no value if there are no reasoning_modes")
	if at < 0 {
		return
	}
	provider := p.catalogue.providers[at]
	add := func(id string, e entry, reasoning string) {
		_, taken := p.catalogue.byID[id]
		p.expect(!taken, path+".id", "an id that no other model has")
		p.catalogue.byID[id] = Choice{Provider: provider, Model: m.runtime(), Reasoning: reasoning, ContextWindow: m.ContextWindow, Price: m.price(provider)}
		if e.ID != "" {
			p.catalogue.entries = append(p.catalogue.entries, e)
		}
	}
	base := entry{provider: provider, vision: m.Vision, Model: m.entry()}
	if len(m.ReasoningModes) == 0 {
		add(m.ID, base, "")
		return
	}
	add(m.ID, entry{}, m.DefaultReasoningMode) // not listed, but a valid id
	for _, mode := range m.ReasoningModes {
		e := base
		e.Model = m.inMode(e.Model, mode)
		add(e.ID, e, mode)
	}
}

// maxPrice is the maximum price of a million tokens.
const maxPrice = 1_000_000

// price returns the price of the model. If the file has none, it is 0 for a provider on this
// machine, and unknown otherwise.
func (m listed) price(of Provider) Price {
	if m.InputPerMillion == nil || m.OutputPerMillion == nil {
		return Price{Known: of.Local}
	}
	return Price{*m.InputPerMillion, *m.OutputPerMillion, true}
}

// runtime returns the provider's name for the model, which is the id unless the file sets another.
func (m listed) runtime() string { return cmp.Or(m.RuntimeModelID, m.ID) }

// entry returns the model in the form of the list of models, without a reasoning mode.
func (m listed) entry() sdkapi.Model {
	e := sdkapi.Model{
		ID: m.ID, Provider: m.Provider, RuntimeModelID: m.RuntimeModelID, FamilyID: m.FamilyID, FamilyLabel: m.FamilyLabel, DisplayName: cmp.Or(m.DisplayName, m.ID),
		SupportsThinking: m.SupportsThinking, SupportsNativeWebSearch: m.SupportsNativeWebSearch,
		ContextWindow: m.ContextWindow, Description: m.Description, Strengths: m.Strengths,
		InputPrice: m.InputPrice, OutputPrice: m.OutputPrice, Latency: m.Latency,
	}
	if m.SupportsNativeWebSearch {
		e.Capabilities = &sdkapi.ModelCapabilities{SupportsNativeWebSearch: true}
	}
	return e
}

// inMode returns a copy of entry e for a reasoning mode, with an id such as
// "gpt-5.4@@gpt-5-4-none-thinking".
func (m listed) inMode(e sdkapi.Model, mode string) sdkapi.Model {
	id := func(mode string) string {
		return m.ID + modeMark + strings.NewReplacer(".", "-", ":", "-", "/", "-", "_", "-").Replace(strings.ToLower(m.ID)) + "-" + mode + "-thinking"
	}
	e.ID, e.DefaultModelID = id(mode), id(m.DefaultReasoningMode)
	e.RuntimeModelID = m.runtime()
	e.FamilyLabel = cmp.Or(e.FamilyLabel, e.DisplayName)
	e.FamilyID = cmp.Or(e.FamilyID, m.Provider+"::"+m.ID)
	label := strings.ToUpper(mode[:min(1, len(mode))]) + mode[min(1, len(mode)):]
	if mode == "xhigh" {
		label = "XHigh"
	}
	e.DisplayName = e.FamilyLabel + " " + label
	e.ReasoningMode, e.ReasoningModes, e.DefaultReasoningMode = mode, m.ReasoningModes, m.DefaultReasoningMode
	return e
}
