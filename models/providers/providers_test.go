package providers_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/models/providers"
)

// What fails at a provider names it as the catalogue does: several may be of one
// kind.
func TestProviderIsNamed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(server.Close)
	for _, kind := range providers.Kinds() {
		if kind == commander.Driver.Kind { // which has no server
			continue
		}
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			model, err := providers.OpenModel(models.Provider{ID: "the-office", Kind: kind, BaseURL: server.URL}, models.NewSecret("sk-x"))
			if err != nil {
				t.Fatal(err)
			}
			req := models.Request{Model: "m", Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "hi"}}}}}
			for _, failed := range model.Stream(t.Context(), req) {
				err = failed
			}
			if err == nil || !strings.Contains(fault.From(err).Message, "(the-office)") {
				t.Errorf("the failure does not name the provider: %v", err)
			}
		})
	}
}

// The built-in catalogue can be read with the kinds that there are, and a kind
// that there is not is refused with a list of those.
func TestKindsOfTheCatalogue(t *testing.T) {
	t.Parallel()
	for _, p := range models.BuiltinCatalogue().Providers() {
		if !slices.Contains(providers.Kinds(), p.Kind) {
			t.Errorf("the provider %s is of the kind %q, which has no driver", p.ID, p.Kind)
		}
	}
	_, err := models.ParseCatalogue([]byte("providers: [{id: a, kind: other}]"), providers.Kinds()...)
	if fields := fault.From(err).Details.Fields; len(fields) != 1 || fields[0].Message != "expected one of [commander openai anthropic gemini]" {
		t.Errorf("%v, %+v", err, fields)
	}
	if _, err := providers.OpenModel(models.Provider{ID: "a", Kind: "other"}, models.Secret{}); err == nil || !strings.Contains(err.Error(), `kind "other"`) {
		t.Errorf("a provider of another kind: %v", err)
	}
}

// A request is booked at the price of the catalogue, and for nothing with a key of the user's own.
func TestMeter(t *testing.T) {
	t.Parallel()
	catalogue, err := models.ParseCatalogue([]byte(`
providers:
  - {id: a, kind: openai, key_env: A_KEY}
  - {id: here, kind: commander, local: true}
models:
  - {id: priced, provider: a, input_per_million: 2.5, output_per_million: 10}
  - {id: thinks, provider: a, supports_thinking: true, reasoning_modes: [low, high], default_reasoning_mode: low, input_per_million: 1, output_per_million: 2}
  - {id: unpriced, provider: a}
  - {id: free, provider: here}
`), providers.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	var booked []any
	source := providers.Open(providers.Config{Catalogue: catalogue, Environ: []string{"A_KEY=k"}, Meter: func(model models.Model, price models.Price, user string) models.Model {
		booked = []any{price, user}
		return model
	}})
	source.Keep("eve", "a", "her own")
	for _, tt := range []struct {
		user, model string
		want        models.Price
	}{
		{"ada", "priced", models.Price{Input: 2.5, Output: 10, Known: true}},
		{"ada", "thinks", models.Price{Input: 1, Output: 2, Known: true}},
		{"ada", "thinks@@thinks-high-thinking", models.Price{Input: 1, Output: 2, Known: true}},
		{"ada", "unpriced", models.Price{}},
		{"ada", "free", models.Price{Known: true}},
		{"eve", "priced", models.Price{Known: true}},
	} {
		t.Run(tt.user+" "+tt.model, func(t *testing.T) {
			if _, _, err := source.Choose(t.Context(), tt.user, tt.model); err != nil || !slices.Equal(booked, []any{tt.want, tt.user}) {
				t.Errorf("booked %v, %v", booked, err)
			}
		})
	}
	if got := source.Unpriced(); !slices.Equal(got, []string{"unpriced"}) {
		t.Errorf("without a price: %v", got)
	}
	_, err = models.ParseCatalogue([]byte("providers: [{id: a, kind: openai}]\nmodels: [{id: x, provider: a, input_per_million: -1}]"))
	if fields := fault.From(err).Details.Fields; len(fields) != 2 {
		t.Errorf("%+v", fields)
	}
}
