package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
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
	preset    string          // for sessions that do not choose; empty for the first that can be used

	mu   sync.Mutex
	open map[opened]models.Model
}

// opened is what tells opened models apart.
type opened struct{ provider, key string }

// newModels reads the catalogue that the settings choose.
func newModels(c *config, environ []string) (*modelSource, error) {
	m := &modelSource{
		catalogue: models.BuiltinCatalogue(), discovery: models.NewDiscovery(nil), keys: new(models.Keyring),
		environ: environ, preset: c.Models.Default, open: map[opened]models.Model{},
	}
	if c.Models.Catalogue == "" {
		return m, nil
	}
	text, err := os.ReadFile(c.Models.Catalogue)
	if err == nil {
		m.catalogue, err = models.ParseCatalogue(text)
	}
	if err != nil {
		return nil, fmt.Errorf("models.catalogue (WINDIE_MODELS): %s: %w", c.Models.Catalogue, err)
	}
	return m, nil
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

// List returns the models that a user can choose.
func (m *modelSource) List(ctx context.Context, user string) sdkapi.ModelList {
	return m.discovery.Extend(ctx, m.catalogue).List(m.usable(user))
}

// Keep keeps a key that a user brought.
func (m *modelSource) Keep(user, provider, key string) {
	m.keys.Set(user, provider, models.NewSecret(key))
}

// Default returns the id of the model for a user who does not choose: the
// deployment's, or the first that there is a key to, or the catalogue's.
func (m *modelSource) Default(user string) string {
	if m.preset != "" {
		return m.preset
	}
	for _, e := range m.catalogue.List(m.usable(user)).Online {
		if e.DefaultModelID == "" || e.DefaultModelID == e.ID {
			return e.ID
		}
	}
	return m.catalogue.Default()
}

// choose returns whom to ask for a session, and with what.
func (m *modelSource) choose(ctx context.Context, user string, s session.Settings) (models.Model, models.Request, error) {
	id := s.Model
	if id == "" {
		id = m.Default(user)
	}
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
	return model, models.Request{Model: choice.Model, Reasoning: choice.Reasoning}, err
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
	if len(m.open) >= maxOpened {
		clear(m.open) // they are cheap to open again
	}
	m.open[as] = model
	return model, nil
}

// maxOpened bounds how many models are kept open: each key has its own.
const maxOpened = 1000

func openModel(p models.Provider, key models.Secret) (models.Model, error) {
	var model models.Model
	var err error
	switch p.Kind {
	case models.KindCommander:
		return commander.Model{}, nil
	case models.KindOpenAI:
		model, err = openai.Open(openai.Config{BaseURL: p.BaseURL, APIKey: key})
	case models.KindAnthropic:
		model, err = anthropic.Open(anthropic.Config{BaseURL: p.BaseURL, APIKey: key})
	case models.KindGemini:
		model, err = gemini.Open(gemini.Config{BaseURL: p.BaseURL, APIKey: key})
	default:
		return nil, fmt.Errorf("the provider %s is of no kind that is known", p.ID)
	}
	if err != nil {
		return nil, err
	}
	return models.Retry(model, models.RetryOptions{}), nil
}

// newSessions returns the conversations that are in the journal, and the models
// that they ask. The caller closes the conversations.
func newSessions(c *config, environ []string, kept *state, eyes *gateway.Eyes, tools *agent.Registry, out *slog.Logger) (*session.Sessions, *modelSource, error) {
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
		Image: eyes.Image, Keep: eyes.Keep, Prepare: desktop.Prepare(eyes),
		Policy: policy, UserPolicy: gateway.UserPolicy(kept.journal), Limits: c.Agent.limits(),
		System: c.SystemPrompt, Prompts: prompts, Recall: c.Memory.recall(kept.memory), Log: out,
		Via: audit.Via, Ended: kept.audit.Ended, Revoked: revoked,
	}), language, nil
}
