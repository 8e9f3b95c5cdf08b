// Package minilm computes embeddings of texts in this process, with the model all-MiniLM-L6-v2.
//
//	model, err := minilm.Open(dir) // with model.safetensors and vocab.txt
//	if err != nil {
//		return err
//	}
//	vectors, err := model.Embed(ctx, []string{"reset my password", "I forgot my login"})
//
// An *embedding* is a vector of length 1. The dot product of two vectors compares their texts: it
// is near 1 for the same meaning, and near 0 for unrelated texts.
//
// A text is split into *tokens*: words and parts of words. Each token is a *row* of numbers that
// passes through the layers. A *piece* contains the rows of several texts one after another; only
// attention treats the texts separately. A weight is stored in *panels*. A panel has the weights of
// a few outputs, in the order in which the kernel reads them.
package minilm

import (
	"context"
	"path/filepath"

	"github.com/windieos/windie/internal/fair"
)

// Width is the length of a vector. MaxTokens is the maximum number of tokens of a text, the two end
// marks included; Embed ignores the rest of a text.
const (
	Width     = 384
	MaxTokens = 256
)

// Model is the embedding model all-MiniLM-L6-v2. Make one with Open. Its methods are safe for
// concurrent use.
type Model struct {
	vocabulary *vocabulary
	network    *network
	kernel     *kernel
}

// Open reads model.safetensors and vocab.txt from a folder. It refuses files of any other version
// of the model. If a file is missing, fs.ErrNotExist is in the error chain.
func Open(dir string) (*Model, error) {
	list, err := readWhole(filepath.Join(dir, vocabularyFile), vocabularyBytes, vocabularySum)
	if err != nil {
		return nil, err
	}
	weights, err := readWhole(filepath.Join(dir, weightsFile), weightsBytes, weightsSum)
	if err != nil {
		return nil, err
	}
	net, err := newNetwork(weights)
	if err != nil {
		return nil, err
	}
	return &Model{vocabulary: newVocabulary(list), network: net, kernel: fastest()}, nil
}

// Tokens returns the number of tokens that Embed uses for a text: 2 for an empty text, and at most
// MaxTokens.
func (m *Model) Tokens(text string) int { return len(m.vocabulary.tokens(text)) }

// Embed returns a vector for each text. It uses as many cores as the fair.Share in ctx allows: see
// fair.Each. It fails only if ctx ends.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var pieces []piece
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = make([]float32, Width)
		pieces = place(pieces, text{tokens: m.vocabulary.tokens(s), vector: vectors[i]})
	}
	if len(pieces) == 1 {
		if err := m.run(ctx, &pieces[0], fair.Each); err != nil {
			return nil, err
		}
		return vectors, nil
	}
	err := fair.Each(ctx, len(pieces), func(i int) {
		_ = m.run(ctx, &pieces[i], oneByOne) // it fails only if ctx ends, and then Each fails too
	})
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// spread runs work, in parallel or not: fair.Each or oneByOne.
type spread func(ctx context.Context, n int, do func(i int)) error

// oneByOne runs the work in the caller's goroutine.
func oneByOne(ctx context.Context, n int, do func(i int)) error {
	for i := range n {
		do(i)
	}
	return ctx.Err()
}
