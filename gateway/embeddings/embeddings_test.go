package embeddings_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// Limits hold at their edges, in characters and not in bytes.
func TestEmbeddingLimits(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Embeddings: doorstest.CountingService(), Scenes: gatewaytest.Scenes(t)})
	for _, tt := range []struct {
		name, text, model string
		status            int
	}{
		{"the longest text", strings.Repeat("ü", 8192), "", http.StatusOK},
		{"a longer text", strings.Repeat("a", 8193), "", http.StatusUnprocessableEntity},
		{"an empty text", "", "", http.StatusOK},
		{"the default model", "tea", "default", http.StatusOK},
		{"the model by its name", "tea", "letters", http.StatusOK},
		{"another model", "tea", "words", http.StatusUnprocessableEntity},
		{"a model's name that is too long", "tea", strings.Repeat("l", 129), http.StatusUnprocessableEntity},
		{"a text that the model refuses", "fail", "", http.StatusBadGateway},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, err := json.Marshal(sdkapi.EmbeddingRequest{Text: tt.text, ModelName: tt.model})
			if err != nil {
				t.Fatal(err)
			}
			resp, answer := doorstest.Ask(t, http.MethodPost, url+sdkapi.EmbeddingsPath, "ada", strings.NewReader(string(body)))
			if resp.StatusCode != tt.status {
				t.Errorf("%s: %.300s", resp.Status, answer)
			}
		})
	}
}
