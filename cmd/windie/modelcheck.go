package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
		id, why := m.Preferred()
		told := fmt.Sprintf("%s, as %s", id, why)
		if c.Models.High != "" {
			told += "; " + c.Models.High + " for prompts that ask for the high one"
		}
		if missing := m.Keyless(); len(missing) > 0 {
			told += "; no key in " + strings.Join(missing, ", ")
		}
		_, err1 := m.Chosen(ctx, id)
		_, err2 := m.Chosen(ctx, c.Models.High)
		return told, errors.Join(err1, err2)
	}}
}

// providerChecks ask each provider of models whether it is there and takes the
// key. There are none for settings that are wrong, which modelCheck tells.
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
