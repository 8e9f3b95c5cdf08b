package doorstest

import (
	"context"
	"strings"

	"github.com/windieos/windie/internal/fault"
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

func CountingService() *embeddings.Service {
	return embeddings.New("counter", "letters", func() (embeddings.Embedder, error) { return letterCounts{}, nil })
}
