package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/audit"
	agentdesktop "github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway/desktop"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/providers"
	"github.com/windieos/windie/state/identity"
)

// newModels returns the language models of the selected catalogue.
func newModels(c *config, environ []string) (*providers.Source, error) {
	return openModels(c, environ, nil)
}

// openModels is newModels with meter, which wraps each model to record its cost. meter may be nil.
func openModels(c *config, environ []string, meter func(models.Model, models.Price, string) models.Model, watchers ...models.Watcher) (*providers.Source, error) {
	catalogue, err := c.catalogue()
	if err != nil {
		return nil, err
	}
	if err := c.checkChoices(catalogue); err != nil {
		return nil, err
	}
	eyes := c.Vision.Model
	if !c.Vision.Eyes {
		eyes = ""
	}
	return providers.Open(providers.Config{
		Catalogue: catalogue, File: c.Models.Catalogue, Default: c.Models.Default, Vision: eyes, Environ: environ, Meter: meter, Watchers: watchers,
	}), nil
}

// catalogue reads the selected catalogue of models.
func (c *config) catalogue() (*models.Catalogue, error) {
	file := c.Models.Catalogue
	if file == "" {
		return models.BuiltinCatalogue(), nil
	}
	text, err := readAtMost(file, models.MaxCatalogue)
	if err == nil {
		var catalogue *models.Catalogue
		if catalogue, err = models.ParseCatalogue(text, providers.Kinds()...); err == nil {
			return catalogue, nil
		}
	}
	return nil, fileError("models.catalogue (WINDIE_MODELS)", file, err)
}

// priceOf returns the price of a model in the catalogue.
func (c *config) priceOf(id string) (models.Price, error) {
	catalogue, err := c.catalogue()
	if err != nil {
		return models.Price{}, err
	}
	return catalogue.PriceOf(id), nil
}

// readAtMost reads at most limit+1 bytes of a file. A caller that gets more than limit bytes can
// refuse the file instead of cutting it.
func readAtMost(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// fileError returns the error of a setting's file as a configError with a line for each field.
func fileError(setting, file string, err error) error {
	p := new(configError)
	for _, f := range fault.From(err).Details.Fields {
		p.add(true, "%s: %s: %s: %s", setting, file, f.Path, f.Message)
	}
	p.add(len(p.problems) == 0, "%s: %v", setting, err)
	return p
}

// checkChoices returns an error for settings that name unknown models. It accepts any name if the
// catalogue has a provider that lists its models only while its server runs.
func (c *config) checkChoices(catalogue *models.Catalogue) error {
	if slices.ContainsFunc(catalogue.Providers(), func(p models.Provider) bool { return p.Discover != "" }) {
		return nil
	}
	p := new(configError)
	for _, chosen := range []struct{ setting, id string }{{"models.default (WINDIE_MODEL)", c.Models.Default}, {"models.high (WINDIE_MODEL_HIGH)", c.Models.High}} {
		_, err := catalogue.Find(chosen.id)
		p.add(chosen.id != "" && err != nil, "%s: the catalogue has no model %q", chosen.setting, chosen.id)
	}
	return p.orNil()
}

// newSessions returns the conversations, which the caller closes, and their models.
func newSessions(c *config, environ []string, kept *state, screens *screens.ScreenReader, tools *agent.Registry, tracer *tracing.Tracer, out *slog.Logger) (*session.Sessions, *providers.Source, error) {
	language, err := openModels(c, environ, meter(kept.ledger), tracedModels{tracer})
	if err != nil {
		return nil, nil, err
	}
	prompts, err := session.ReadPrompts(filepath.Join(c.DataDir, "prompts"))
	if err != nil {
		return nil, nil, err
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
		Journal: kept.journal, Tools: tools, Model: func(ctx context.Context, user string, s session.Settings) (models.Model, models.Request, error) {
			return language.Choose(ctx, user, s.Model)
		},
		Image: screens.Image, Keep: screens.Keep, Prepare: agentdesktop.Prepare(screens),
		Policy: policy, UserPolicy: desktop.UserPolicy(kept.journal), Limits: c.Agent.limits(),
		System: c.SystemPrompt, Prompts: prompts, Recall: recall(kept.memory), Log: out,
		Budget: kept.ledger.Check, UserTurns: c.Limits.turns(),
		Via: audit.Via, Ended: kept.audit.Ended, Turned: kept.prompts.Turned, Revoked: revoked,
	}), language, nil
}

// modelCheck checks the catalogue, the models of the settings, and the keys. It sends requests only
// to an Ollama server that may have a model of the settings.
func (c *config) modelCheck(environ []string) check {
	return check{"models", func(ctx context.Context) (string, error) {
		m, err := newModels(c, environ)
		if err != nil {
			return "", err
		}
		id, why := m.Preferred()
		fine := fmt.Sprintf("default %s (%s)", id, why)
		if c.Models.High != "" {
			fine += "; " + c.Models.High + " for prompts that ask for the high model"
		}
		if missing := m.Keyless(); len(missing) > 0 {
			fine += "; no key in " + strings.Join(missing, ", ")
		}
		_, err1 := m.Chosen(ctx, id)
		_, err2 := m.Chosen(ctx, c.Models.High)
		return fine, errors.Join(err1, err2)
	}}
}

// providerChecks check that each provider of models responds and accepts the key. There are none
// for invalid settings, which modelCheck reports.
func (c *config) providerChecks(environ []string) []check {
	m, err := newModels(c, environ)
	if err != nil {
		return nil
	}
	var list []check
	for _, p := range m.Servers() {
		list = append(list, check{"models:" + p.ID, func(ctx context.Context) (string, error) { return m.Reach(ctx, p, c.Models.High) }})
	}
	return list
}
