package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// modelCheck checks the catalogue, the models of the settings, and whether there
// are keys to their providers. It asks no server but an Ollama that may have a
// model of the settings.
func (c *config) modelCheck(environ []string) check {
	return check{"models", func(ctx context.Context) (string, error) {
		m, err := newModels(c, environ)
		if err != nil {
			return "", err
		}
		id, why := m.Preferred()
		fine := fmt.Sprintf("%s, as %s", id, why)
		if c.Models.High != "" {
			fine += "; " + c.Models.High + " for prompts that ask for the high one"
		}
		if missing := m.Keyless(); len(missing) > 0 {
			fine += "; no key in " + strings.Join(missing, ", ")
		}
		_, err1 := m.Chosen(ctx, id)
		_, err2 := m.Chosen(ctx, c.Models.High)
		return fine, errors.Join(err1, err2)
	}}
}

// providerChecks ask each provider of models whether it answers and takes the
// key. There are no checks for invalid settings, which modelCheck reports.
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
