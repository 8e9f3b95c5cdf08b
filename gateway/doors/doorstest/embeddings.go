package doorstest

import (
	"context"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/sdkapi"
)

// letterCounts is an embedder whose vectors count the letters, vowels and spaces of a text.
type letterCounts struct{}

// Embed returns one vector of 3 numbers for each text. If one of the texts is "fail", it returns MODEL_ERROR.
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

// CountingService returns an embedding service, with provider "counter" and model "letters", that uses letterCounts.
func CountingService() *embeddings.Service {
	return embeddings.New("counter", "letters", func() (embeddings.Embedder, error) { return letterCounts{}, nil })
}
