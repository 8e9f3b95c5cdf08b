// Package minilm makes embeddings of texts with all-MiniLM-L6-v2, in the process.
//
//	model, err := minilm.Open(dir) // with model.safetensors and vocab.txt
//	if err != nil {
//		return err
//	}
//	vectors, err := model.Embed(ctx, []string{"reset my password", "I forgot my login"})
//
// An *embedding* is a vector of length 1. The products of two vectors compare texts: near 1 for
// texts that mean the same, near 0 for texts that have nothing to do with each other.
//
// A text is cut into *tokens*, words and parts of words. Each token is a *row* of numbers that goes
// through the layers. The rows of several texts lie side by side in a *piece*; only attention knows
// where one text ends. A weight is kept in *panels* of a few outputs each, in the order in which
// the kernel reads them.
package minilm

import (
	"context"
	"path/filepath"

	"github.com/windieos/windie/internal/fair"
)

// Width is the length of a vector. MaxTokens is how many tokens of a text count, with the two
// that mark its ends; the rest is left out.
const (
	Width     = 384
	MaxTokens = 256
)

// Model is all-MiniLM-L6-v2. Its methods may be called from several goroutines at once.
type Model struct {
	vocabulary *vocabulary
	network    *network
	kernel     *kernel
}

// Open reads model.safetensors and vocab.txt from a folder. It refuses files other than those of
// the one version that it knows. fs.ErrNotExist is in the error where a file is missing.
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

// Tokens returns how many tokens of a text Embed looks at, from 2 for an empty text to MaxTokens.
func (m *Model) Tokens(text string) int { return len(m.vocabulary.tokens(text)) }

// Embed returns a vector for each text. It works with as many cores as the share of ctx allows:
// see fair.Each. The only errors are those of ctx.
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
		_ = m.run(ctx, &pieces[i], oneByOne) // fails with ctx alone, and so does Each
	})
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// spread is how work is shared out: fair.Each or oneByOne.
type spread func(ctx context.Context, n int, do func(i int)) error

// oneByOne does the work in the caller's goroutine.
func oneByOne(ctx context.Context, n int, do func(i int)) error {
	for i := range n {
		do(i)
	}
	return ctx.Err()
}
