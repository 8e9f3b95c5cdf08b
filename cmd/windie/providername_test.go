package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
)

// What fails at a provider names it as the catalogue does: several may be of one
// kind.
func TestProviderIsNamed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(server.Close)
	for _, kind := range []models.Kind{models.KindOpenAI, models.KindAnthropic, models.KindGemini} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			model, err := openModel(models.Provider{ID: "the-office", Kind: kind, BaseURL: server.URL}, models.NewSecret("sk-x"))
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
