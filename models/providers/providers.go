// Package providers lists all kinds of providers, and selects the model for a conversation.
//
//	catalogue, err := models.ParseCatalogue(text, providers.Kinds()...)
//	source := providers.Open(providers.Config{Catalogue: catalogue, Environ: os.Environ()})
//	model, request, err := source.Choose(ctx, "ada", "gpt-5.4")
//
// A Driver implements a kind, for example openai. A provider is a server of that kind in the
// catalogue, for example this machine's Ollama. A Source has the keys of the deployment and of the
// users.
package providers

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/anthropic"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/models/gemini"
	"github.com/windieos/windie/models/openai"
	"github.com/windieos/windie/sdkapi"
)

// drivers lists all kinds, in the order of error messages.
var drivers = []models.Driver{
	commander.Driver,
	openai.Driver,
	anthropic.Driver,
	gemini.Driver,
}

// Kinds returns the valid kinds of a catalogue's providers.
func Kinds() []models.Kind {
	kinds := make([]models.Kind, len(drivers))
	for i, d := range drivers {
		kinds[i] = d.Kind
	}
	return kinds
}

// driverOf returns the driver of a provider's kind. It fails for an unknown kind.
func driverOf(p models.Provider) (models.Driver, error) {
	i := slices.IndexFunc(drivers, func(d models.Driver) bool { return d.Kind == p.Kind })
	if i < 0 {
		return models.Driver{}, fmt.Errorf("the provider %s has the unknown kind %q; expected one of %v", p.ID, p.Kind, Kinds())
	}
	return drivers[i], nil
}

// OpenModel returns the models of a provider as one Model. It sends each request only once; use
// models.Retry for retries.
func OpenModel(p models.Provider, key models.Secret) (models.Model, error) {
	driver, err := driverOf(p)
	if err != nil {
		return nil, err
	}
	return driver.Open(p, key)
}

// Config configures a Source.
type Config struct {
	Catalogue *models.Catalogue // list of providers and models; nil: the built-in catalogue
	File      string            // path of the catalogue's file, for messages; empty: the built-in catalogue
	Default   string            // id of the default model; empty: the default of the catalogue
	Vision    string            // id of the model for reading screens; empty: no model
	Environ   []string          // environment variables with the deployment's keys

	// Meter returns a model that works like the given model, and also records the usage of each
	// request for the given user. By default, usage is not recorded.
	Meter func(model models.Model, price models.Price, user string) models.Model

	// Watchers get a report of each request, in addition to the source's own figures.
	Watchers []models.Watcher
}

// Source selects the models of conversations. Open creates a Source. Its methods are safe for
// concurrent use.
type Source struct {
	catalogue *models.Catalogue
	discovery *models.Discovery
	keys      *models.Keyring // keys from users
	environ   []string
	file      string
	vision    string
	preset    string // Config.Default
	meter     func(models.Model, models.Price, string) models.Model
	watchers  []models.Watcher
	figures   *models.Figures // the first of watchers

	mu   sync.Mutex
	open map[opened]models.Model
}

// opened is the key of the cached models.
type opened struct{ provider, key string }

// Open returns a source. It sends no request to a provider.
func Open(cfg Config) *Source {
	s := &Source{
		catalogue: cfg.Catalogue, discovery: models.NewDiscovery(nil), keys: new(models.Keyring),
		environ: cfg.Environ, file: cfg.File, vision: cfg.Vision, preset: cfg.Default, open: map[opened]models.Model{}, meter: cfg.Meter,
	}
	s.figures = new(models.Figures)
	s.watchers = append([]models.Watcher{s.figures}, cfg.Watchers...)
	if s.meter == nil {
		s.meter = func(model models.Model, _ models.Price, _ string) models.Model { return model }
	}
	if s.catalogue == nil {
		s.catalogue = models.BuiltinCatalogue()
	}
	return s
}

// Servers returns the providers whose models run on a server, in the order of the catalogue.
func (s *Source) Servers() []models.Provider {
	return slices.DeleteFunc(s.catalogue.Providers(), func(p models.Provider) bool {
		driver, err := driverOf(p)
		return err == nil && driver.Offline
	})
}

// key returns the key to a provider: the user's own, or the deployment's.
func (s *Source) key(user string, p models.Provider) models.Secret {
	if key := s.keys.Get(user, p.ID); key.Known() || p.KeyEnv == "" {
		return key
	}
	for _, variable := range s.environ {
		if value, found := strings.CutPrefix(variable, p.KeyEnv+"="); found {
			return models.NewSecret(value)
		}
	}
	return models.Secret{}
}

// usable returns a function that reports whether a user can use a provider.
func (s *Source) usable(user string) func(models.Provider) bool {
	return func(p models.Provider) bool { return p.KeyEnv == "" || s.key(user, p).Known() }
}

// List returns the models that a user can choose: the models of all providers that need no key or for
// which a key is known. The parameter providers contains the ids of further providers, whose models are
// included even without a key.
func (s *Source) List(ctx context.Context, user string, providers ...string) sdkapi.ModelList {
	usable := s.usable(user)
	list := s.discovery.Extend(ctx, s.catalogue).List(func(p models.Provider) bool { return usable(p) || slices.Contains(providers, p.ID) })
	if s.vision != "" && !slices.ContainsFunc(list.Vision, func(listed sdkapi.Model) bool { return listed.ID == s.vision }) {
		list.Vision = append(list.Vision, sdkapi.Model{ID: s.vision, Provider: "vision", DisplayName: s.vision})
	}
	return list
}

// Providers returns the ids of the providers that require a key.
func (s *Source) Providers() []string {
	var ids []string
	for _, p := range s.catalogue.Providers() {
		if p.KeyEnv != "" {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Price returns the price of a model; see Catalogue.PriceOf.
func (s *Source) Price(id string) models.Price { return s.catalogue.PriceOf(id) }

// Unpriced returns the ids of models without a price. Requests to them do not count toward a budget
// in money.
func (s *Source) Unpriced() (ids []string) {
	list := s.catalogue.List(nil)
	for _, m := range slices.Concat(list.Local, list.Online, list.Vision) {
		if !s.catalogue.PriceOf(m.ID).Known {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// Keeps reports whether a user has stored a key for a provider.
func (s *Source) Keeps(user, provider string) bool { return s.keys.Get(user, provider).Known() }

// Keep stores a user's key for a provider.
func (s *Source) Keep(user, provider, key string) {
	s.keys.Set(user, provider, models.NewSecret(key))
}

// Figures returns the counts of requests for each model.
func (s *Source) Figures() []models.ModelFigures { return s.figures.List() }

// Default returns the id of the default model. It returns "" if the catalogue has no models.
func (s *Source) Default() string {
	id, _ := s.Preferred()
	return id
}

// Preferred returns the id of the default model, and the reason for this default in words. Only the
// operator sets the default; a key from a user does not change it.
func (s *Source) Preferred() (id, reason string) {
	switch {
	case s.preset != "":
		return s.preset, "WINDIE_MODEL is set"
	case s.file == "":
		return s.catalogue.Default(), "WINDIE_MODEL is not set"
	case s.catalogue.Default() != "":
		return s.catalogue.Default(), "the default of the catalogue " + s.file
	}
	return s.catalogue.First(), "the first model of the catalogue " + s.file + ", which names no default"
}

// Keyless returns, for each provider without a key, the name of the environment variable for this
// key.
func (s *Source) Keyless() (variables []string) {
	for _, p := range s.catalogue.Providers() {
		if !s.usable("")(p) {
			variables = append(variables, p.KeyEnv)
		}
	}
	return variables
}

// Announce logs the default model, and the providers whose keys are missing.
func (s *Source) Announce(log *slog.Logger) {
	id, why := s.Preferred()
	log.Info("default model", slog.String("model", id), slog.String("why", why))
	if missing := s.Keyless(); len(missing) > 0 {
		log.Info("models of providers without a key are not listed", slog.String("variables_without_a_key", strings.Join(missing, " ")))
	}
	choice, err := s.catalogue.Find(id)
	if err != nil {
		log.Warn("the default model is not available yet; conversations that use it fail until its provider runs and lists it", slog.String("model", id))
	} else if !s.usable("")(choice.Provider) {
		log.Warn("the provider of the default model has no key; conversations that use the default fail until you set the variable", slog.String("model", id), slog.String("variable", choice.Provider.KeyEnv))
	}
}

// Choose selects a model for a user by its id. It returns the model, and a request that contains
// the model's settings. An empty id selects the default model. Choose fails with VALIDATION_ERROR
// if the id is unknown, and with MODEL_UNAVAILABLE if the provider lacks a key.
func (s *Source) Choose(ctx context.Context, user, id string) (models.Model, models.Request, error) {
	id = cmp.Or(id, s.Default())
	choice, err := s.discovery.Extend(ctx, s.catalogue).Find(id)
	if err != nil {
		return nil, models.Request{}, err
	}
	key := s.key(user, choice.Provider)
	if choice.Provider.KeyEnv != "" && !key.Known() {
		return nil, models.Request{}, fault.New("models.choose", sdkapi.ModelUnavailable,
			"the provider %s has no key; set %s for the gateway, or send a key in provider_api_keys", choice.Provider.ID, choice.Provider.KeyEnv)
	}
	model, err := s.opened(choice.Provider, key)
	if err != nil {
		return nil, models.Request{}, err
	}
	price := choice.Price
	if s.keys.Get(user, choice.Provider.ID).Known() { // the user pays the provider
		price = models.Price{Known: true}
	}
	model = models.Watch(models.Within(model, choice.ContextWindow), choice.Provider.ID, s.watchers...)
	return s.meter(model, price, user), models.Request{Model: choice.Model, Reasoning: choice.Reasoning}, nil
}

// ChooseWriter works like Choose, for callers that need generated text. It returns a nil model if
// the chosen model runs without a server, because such a model can only follow commands.
func (s *Source) ChooseWriter(ctx context.Context, user, id string) (models.Model, models.Request, error) {
	choice, err := s.discovery.Extend(ctx, s.catalogue).Find(cmp.Or(id, s.Default()))
	if err == nil {
		if driver, known := driverOf(choice.Provider); known == nil && driver.Offline {
			return nil, models.Request{}, nil
		}
	}
	return s.Choose(ctx, user, id)
}

// opened returns the models of a provider with a key, with retries. It caches them by provider and key.
func (s *Source) opened(p models.Provider, key models.Secret) (models.Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	as := opened{p.ID, key.Reveal()}
	if model, ok := s.open[as]; ok {
		return model, nil
	}
	driver, err := driverOf(p)
	if err != nil {
		return nil, err
	}
	model, err := driver.Open(p, key)
	if err != nil {
		return nil, err
	}
	if !driver.Offline {
		model = models.Retry(model, models.RetryOptions{})
	}
	if len(s.open) >= maxOpened {
		clear(s.open) // they are cheap to open again
	}
	s.open[as] = model
	return model, nil
}

// maxOpened limits the number of cached models. Each key of a user adds a model.
const maxOpened = 1000

// Chosen returns the provider of a model whose id is in the settings. It fails if the model does
// not exist or if its provider lacks a key. If id is empty, Chosen returns the zero Provider.
func (s *Source) Chosen(ctx context.Context, id string) (models.Provider, error) {
	if id == "" {
		return models.Provider{}, nil
	}
	choice, err := s.discovery.Extend(ctx, s.catalogue).Find(id)
	switch {
	case err != nil:
		return models.Provider{}, fmt.Errorf("the model %s is not in the catalogue and no running provider has it; start its provider, or choose another model with WINDIE_MODEL", id)
	case !s.usable("")(choice.Provider):
		return choice.Provider, fmt.Errorf("the provider of %s has no key; set %s, or choose another model with WINDIE_MODEL", id, choice.Provider.KeyEnv)
	}
	return choice.Provider, nil
}

// Reach checks that a provider responds and accepts the deployment's key. It returns the result in
// words for people. If a local provider does not respond, Reach fails only if this provider has the
// default model or the model "high". The parameter high is the id of the model "high".
func (s *Source) Reach(ctx context.Context, p models.Provider, high string) (string, error) {
	if !s.usable("")(p) {
		return "not checked: " + p.KeyEnv + " is empty", nil
	}
	model, err := OpenModel(p, s.key("", p))
	if err != nil {
		return "", err
	}
	server, ok := model.(models.Reacher)
	if !ok {
		return "", fmt.Errorf("the gateway cannot check whether providers of the kind %s are running", p.Kind)
	}
	err = server.Reach(ctx)
	if fault.CodeOf(err) == sdkapi.ModelUnavailable && p.Local {
		for _, id := range []string{s.Default(), high} {
			if chosen, failed := s.Chosen(ctx, id); failed != nil || chosen.ID == p.ID {
				return "", err
			}
		}
		return "does not run; its models are listed when it runs", nil
	}
	return "responds and accepts the key", err
}
