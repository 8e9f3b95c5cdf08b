// Package providers lists the kinds of providers of language models that the
// gateway knows, and finds the model that a conversation asks.
//
//	catalogue, err := models.ParseCatalogue(text, providers.Kinds()...)
//	source := providers.Open(providers.Config{Catalogue: catalogue, Environ: os.Environ()})
//	model, request, err := source.Choose(ctx, "ada", "gpt-5.4")
//
// A Driver is a kind, such as openai; a provider is a server of that kind in the
// catalogue, such as the Ollama of this machine. A Source has the keys to the
// providers: the deployment's, and those that users brought.
package providers

import (
	"fmt"
	"slices"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/anthropic"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/models/gemini"
	"github.com/windieos/windie/models/openai"
)

// drivers are all kinds, in the order in which messages list them.
var drivers = []models.Driver{
	commander.Driver,
	openai.Driver,
	anthropic.Driver,
	gemini.Driver,
}

// Kinds returns the kinds that a provider in a catalogue may be of.
func Kinds() []models.Kind {
	kinds := make([]models.Kind, len(drivers))
	for i, d := range drivers {
		kinds[i] = d.Kind
	}
	return kinds
}

func driverOf(p models.Provider) (models.Driver, error) {
	i := slices.IndexFunc(drivers, func(d models.Driver) bool { return d.Kind == p.Kind })
	if i < 0 {
		return models.Driver{}, fmt.Errorf("the provider %s is of the kind %q; known are %v", p.ID, p.Kind, Kinds())
	}
	return drivers[i], nil
}

// OpenModel returns a provider's models, which ask once. See models.Retry.
func OpenModel(p models.Provider, key models.Secret) (models.Model, error) {
	driver, err := driverOf(p)
	if err != nil {
		return nil, err
	}
	return driver.Open(p, key)
}
