package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/audit"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/identity"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/anthropic"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/models/gemini"
	"github.com/windieos/windie/models/openai"
	"github.com/windieos/windie/sdkapi"
)

// modelSource finds the language models that sessions ask.
type modelSource struct {
	catalogue *models.Catalogue
	discovery *models.Discovery
	keys      *models.Keyring // that users brought
	environ   []string        // where the deployment's keys are
	file      string          // of the catalogue; empty for the built-in one
	vision    string          // the model that looks at screens, as the setting vision.model names it; empty for none
	preset    string          // the setting models.default; empty for what the catalogue says

	mu   sync.Mutex
	open map[opened]models.Model
}

// opened is what tells opened models apart.
type opened struct{ provider, key string }

// newModels reads the catalogue that the settings choose.
func newModels(c *config, environ []string) (*modelSource, error) {
	m := &modelSource{
		catalogue: models.BuiltinCatalogue(), discovery: models.NewDiscovery(nil), keys: new(models.Keyring),
		environ: environ, file: c.Models.Catalogue, vision: c.Vision.Model, preset: c.Models.Default, open: map[opened]models.Model{},
	}
	if m.file != "" {
		text, err := readAtMost(m.file, models.MaxCatalogue)
		if err == nil {
			m.catalogue, err = models.ParseCatalogue(text)
		}
		if err != nil {
			return nil, catalogueError(m.file, err)
		}
	}
	return m, m.checkChoices(c)
}

// readAtMost reads a file up to one byte more than a limit, so that who parses
// it finds it too long.
func readAtMost(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// catalogueError lists each field of a catalogue's file that is wrong.
func catalogueError(file string, err error) error {
	const setting = "models.catalogue (WINDIE_MODELS): "
	f := fault.From(err)
	if len(f.Details.Fields) == 0 {
		return &configError{[]string{setting + err.Error()}}
	}
	var problems []string
	for _, field := range f.Details.Fields {
		problems = append(problems, fmt.Sprintf("%s%s: %s: %s", setting, file, field.Path, field.Message))
	}
	return &configError{problems}
}

// checkChoices returns an error for settings that name models that there cannot
// be. Where a provider lists its models only while it runs, any may come yet.
func (m *modelSource) checkChoices(c *config) error {
	if slices.ContainsFunc(m.catalogue.Providers(), func(p models.Provider) bool { return p.Discover != "" }) {
		return nil
	}
	var problems []string
	for _, chosen := range []struct{ setting, id string }{{"models.default (WINDIE_MODEL)", c.Models.Default}, {"models.high (WINDIE_MODEL_HIGH)", c.Models.High}} {
		if _, err := m.catalogue.Find(chosen.id); chosen.id != "" && err != nil {
			problems = append(problems, fmt.Sprintf("%s: the catalogue has no model %q", chosen.setting, chosen.id))
		}
	}
	if len(problems) > 0 {
		return &configError{problems}
	}
	return nil
}

// key returns the key to a provider: the user's own, or the deployment's.
func (m *modelSource) key(user string, p models.Provider) models.Secret {
	if key := m.keys.Get(user, p.ID); key.Known() || p.KeyEnv == "" {
		return key
	}
	for _, variable := range m.environ {
		if value, found := strings.CutPrefix(variable, p.KeyEnv+"="); found {
			return models.NewSecret(value)
		}
	}
	return models.Secret{}
}

// usable reports whether a user can ask a provider.
func (m *modelSource) usable(user string) func(models.Provider) bool {
	return func(p models.Provider) bool { return p.KeyEnv == "" || m.key(user, p).Known() }
}

// List returns the models that a user can choose, also with keys to some
// providers.
func (m *modelSource) List(ctx context.Context, user string, with ...string) sdkapi.ModelList {
	usable := m.usable(user)
	list := m.discovery.Extend(ctx, m.catalogue).List(func(p models.Provider) bool { return usable(p) || slices.Contains(with, p.ID) })
	if m.vision != "" && !slices.ContainsFunc(list.Vision, func(listed sdkapi.Model) bool { return listed.ID == m.vision }) {
		list.Vision = append(list.Vision, sdkapi.Model{ID: m.vision, Provider: "vision", DisplayName: m.vision})
	}
	return list
}

// Providers returns the ids of the providers that take a key.
func (m *modelSource) Providers() []string {
	var ids []string
	for _, p := range m.catalogue.Providers() {
		if p.KeyEnv != "" {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Keeps reports whether there is a key that a user brought.
func (m *modelSource) Keeps(user, provider string) bool { return m.keys.Get(user, provider).Known() }

// Keep keeps a key that a user brought.
func (m *modelSource) Keep(user, provider, key string) {
	m.keys.Set(user, provider, models.NewSecret(key))
}

// Default returns the id of the model for those who do not choose, empty for a
// catalogue without models.
func (m *modelSource) Default() string {
	id, _ := m.preferred()
	return id
}

// preferred returns Default and why it is that one. It is the operator's choice
// alone: no key, be it the deployment's or a user's, sends a conversation to
// another provider.
func (m *modelSource) preferred() (id, why string) {
	switch {
	case m.preset != "":
		return m.preset, "the setting WINDIE_MODEL says so"
	case m.file == "":
		return m.catalogue.Default(), "the setting WINDIE_MODEL, which could choose another, is empty"
	case m.catalogue.Default() != "":
		return m.catalogue.Default(), "it is the default of the catalogue " + m.file
	}
	return m.catalogue.First(), "it is the first of the catalogue " + m.file + ", which names no default"
}

// keyless returns the variables that would hold the keys of providers that have
// none.
func (m *modelSource) keyless() (variables []string) {
	for _, p := range m.catalogue.Providers() {
		if !m.usable("")(p) {
			variables = append(variables, p.KeyEnv)
		}
	}
	return variables
}

// announce logs which model those get who do not choose, and which providers
// cannot be asked.
func (m *modelSource) announce(log *slog.Logger) {
	id, why := m.preferred()
	log.Info("conversations that choose no model get this one", slog.String("model", id), slog.String("why", why))
	if missing := m.keyless(); len(missing) > 0 {
		log.Info("models of providers without a key are not listed", slog.String("variables_without_a_key", strings.Join(missing, " ")))
	}
	choice, err := m.catalogue.Find(id)
	if err != nil {
		log.Warn("that model is in no list yet; conversations that choose none fail until its provider runs and has it", slog.String("model", id))
	} else if !m.usable("")(choice.Provider) {
		log.Warn("there is no key to that model's provider; conversations that choose none fail", slog.String("model", id), slog.String("variable", choice.Provider.KeyEnv))
	}
}

// choose returns whom to ask for a session, and with what.
func (m *modelSource) choose(ctx context.Context, user string, s session.Settings) (models.Model, models.Request, error) {
	id := cmp.Or(s.Model, m.Default())
	choice, err := m.discovery.Extend(ctx, m.catalogue).Find(id)
	if err != nil {
		return nil, models.Request{}, err
	}
	key := m.key(user, choice.Provider)
	if choice.Provider.KeyEnv != "" && !key.Known() {
		return nil, models.Request{}, fault.New("models.choose", sdkapi.ModelUnavailable,
			"there is no key to %s: set %s for the gateway, or bring one in provider_api_keys", choice.Provider.ID, choice.Provider.KeyEnv)
	}
	model, err := m.opened(choice.Provider, key)
	if err != nil {
		return nil, models.Request{}, err
	}
	return models.Within(model, choice.ContextWindow), models.Request{Model: choice.Model, Reasoning: choice.Reasoning}, nil
}

// opened returns a provider's models, asked with a key.
func (m *modelSource) opened(p models.Provider, key models.Secret) (models.Model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	as := opened{p.ID, key.Reveal()}
	if model, ok := m.open[as]; ok {
		return model, nil
	}
	model, err := openModel(p, key)
	if err != nil {
		return nil, err
	}
	if p.Kind != models.KindCommander {
		model = models.Retry(model, models.RetryOptions{})
	}
	if len(m.open) >= maxOpened {
		clear(m.open) // they are cheap to open again
	}
	m.open[as] = model
	return model, nil
}

// maxOpened bounds how many models are kept open: each key has its own.
const maxOpened = 1000

// openModel returns a provider's models, which ask once.
func openModel(p models.Provider, key models.Secret) (models.Model, error) {
	switch p.Kind {
	case models.KindCommander:
		return commander.Model{}, nil
	case models.KindOpenAI:
		return openai.Open(openai.Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
	case models.KindAnthropic:
		return anthropic.Open(anthropic.Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
	case models.KindGemini:
		return gemini.Open(gemini.Config{Name: p.ID, BaseURL: p.BaseURL, APIKey: key})
	}
	return nil, fmt.Errorf("the provider %s is of no kind that is known", p.ID)
}

// newSessions returns the conversations that are in the journal, and the models
// that they ask. The caller closes the conversations.
func newSessions(c *config, environ []string, kept *state, screens *gateway.ScreenReader, tools *agent.Registry, out *slog.Logger) (*session.Sessions, *modelSource, error) {
	language, err := newModels(c, environ)
	if err != nil {
		return nil, nil, err
	}
	prompts := session.BuiltinPrompts()
	if c.PromptDir != "" {
		if prompts, err = session.ReadPrompts(c.PromptDir); err != nil {
			return nil, nil, fmt.Errorf("prompt_dir (WINDIE_PROMPT_DIR): %w", err)
		}
	}
	policy, err := c.Agent.policy()
	if err != nil {
		return nil, nil, err
	}
	var revoked func(ctx context.Context, user, install string) (bool, error)
	if c.Mode == hostedMode {
		revoked = identity.Open(kept.db).Revoked
	}
	return session.New(session.Config{
		Journal: kept.journal, Tools: tools, Model: language.choose,
		Image: screens.Image, Keep: screens.Keep, Prepare: desktop.Prepare(screens),
		Policy: policy, UserPolicy: gateway.UserPolicy(kept.journal), Limits: c.Agent.limits(),
		System: c.SystemPrompt, Prompts: prompts, Recall: c.Memory.recall(kept.memory), Log: out,
		Via: audit.Via, Ended: kept.audit.Ended, Turned: kept.prompts.Turned, Revoked: revoked,
	}), language, nil
}
