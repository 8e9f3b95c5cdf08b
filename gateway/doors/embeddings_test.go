package doors_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/services"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/sdkapi"
)

// letterCounts turns a text into how many letters, vowels and spaces it has.
type letterCounts struct{}

func (letterCounts) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if text == "fail" {
			return nil, fault.New("letterCounts", sdkapi.ModelError, "the model cannot count this")
		}
		vowels := 0
		for _, v := range "aeiou" {
			vowels += strings.Count(text, string(v))
		}
		vectors[i] = []float32{float32(len(text)), float32(vowels), float32(strings.Count(text, " "))}
	}
	return vectors, nil
}

func countingService() *embeddings.Service {
	return embeddings.New("counter", "letters", func() (embeddings.Embedder, error) { return letterCounts{}, nil })
}

// Limits hold at their edges, in characters and not in bytes.
func TestEmbeddingLimits(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.Config{Services: services.Services{Embeddings: countingService()}, Scenes: gatewaytest.Scenes(t)})
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
			resp, answer := ask(t, http.MethodPost, url+sdkapi.EmbeddingsPath, "ada", strings.NewReader(string(body)))
			if resp.StatusCode != tt.status {
				t.Errorf("%s: %.300s", resp.Status, answer)
			}
		})
	}
}
