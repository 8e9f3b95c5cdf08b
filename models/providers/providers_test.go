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
