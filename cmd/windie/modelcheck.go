package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// modelCheck looks at the catalogue, at the models that the settings choose, and
// whether there are keys to their providers. It asks nobody but an Ollama that a
// choice may be at.
func (c *config) modelCheck(environ []string) check {
	return check{"models", func(ctx context.Context) (string, error) {
		m, err := newModels(c, environ)
		if err != nil {
			return "", err
		}
		id, why := m.preferred()
		told := fmt.Sprintf("%s, as %s", id, why)
		if c.Models.High != "" {
			told += "; " + c.Models.High + " for prompts that ask for the high one"
		}
		if missing := m.keyless(); len(missing) > 0 {
			told += "; no key in " + strings.Join(missing, ", ")
		}
		_, err1 := m.provider(ctx, id)
		_, err2 := m.provider(ctx, c.Models.High)
		return told, errors.Join(err1, err2)
	}}
}

// provider returns the provider of a model that the settings choose. It has to
// be there, and to have a key; it is empty for an empty id.
func (m *modelSource) provider(ctx context.Context, id string) (models.Provider, error) {
	if id == "" {
		return models.Provider{}, nil
	}
	choice, err := m.discovery.Extend(ctx, m.catalogue).Find(id)
	switch {
	case err != nil:
		return models.Provider{}, fmt.Errorf("the model %s is neither in the catalogue nor at a provider that runs; start its provider, or choose another with WINDIE_MODEL", id)
	case !m.usable("")(choice.Provider):
		return choice.Provider, fmt.Errorf("there is no key to the provider of %s: set %s, or choose another model with WINDIE_MODEL", id, choice.Provider.KeyEnv)
	}
	return choice.Provider, nil
}

// providerChecks ask each provider of models whether it is there and takes the
// key. There are none for settings that are wrong, which modelCheck tells.
func (c *config) providerChecks(environ []string) []check {
	m, err := newModels(c, environ)
	if err != nil {
		return nil
	}
	var list []check
	for _, p := range m.catalogue.Providers() {
		if p.Kind != models.KindCommander {
			list = append(list, check{"models:" + p.ID, func(ctx context.Context) (string, error) { return m.reach(ctx, p, c.Models.High) }})
		}
	}
	return list
}

// reach asks a provider. One that runs on this machine, and that nothing
// chooses, may as well not run.
func (m *modelSource) reach(ctx context.Context, p models.Provider, high string) (string, error) {
	if !m.usable("")(p) {
		return "was not asked, as " + p.KeyEnv + " is empty", nil
	}
	model, err := openModel(p, m.key("", p))
	if err != nil {
		return "", err
	}
	server, ok := model.(models.Reacher)
	if !ok {
		return "", fmt.Errorf("providers of kind %s cannot be asked whether they are there", p.Kind)
	}
	err = server.Reach(ctx)
	if fault.CodeOf(err) == sdkapi.ModelUnavailable && p.Local {
		for _, id := range []string{m.Default(), high} {
			if chosen, failed := m.provider(ctx, id); failed != nil || chosen.ID == p.ID {
				return "", err
			}
		}
		return "does not run; its models are listed once it does", nil
	}
	return "answers, and takes the key", err
}
