package openai

import (
	"context"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// embedTime limits one request for vectors. Embedding models do not think, so they answer quickly.
const embedTime = 30 * time.Second

// Embedder converts texts to vectors with one model of a server, at /embeddings. Make one with
// OpenEmbedder. Its methods are safe for concurrent use.
type Embedder struct {
	wire   models.Wire
	client *openai.Client
	model  string
}

// OpenEmbedder returns an Embedder for a model of a server. It sends no request.
func OpenEmbedder(cfg Config, model string) (*Embedder, error) {
	wire, client, err := cfg.connect()
	if err != nil {
		return nil, err
	}
	return &Embedder{wire, client, model}, nil
}

// Embed returns a vector for each text, in order. It sends one request. It fails like
// models.Model.Stream, or with MODEL_ERROR if the response lacks vectors.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	const op = "openai.Embed"
	within, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	var answer openai.EmbeddingResponse
	err := e.wire.Document(within, func(ctx context.Context) (err error) {
		answer, err = e.client.CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{Input: texts, Model: openai.EmbeddingModel(e.model)})
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, fault.New(op, sdkapi.ModelUnavailable, "the embedding model sent nothing for %v", embedTime)
	case err != nil:
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for _, v := range answer.Data { // by index, because the protocol does not promise their order
		if v.Index >= 0 && v.Index < len(vectors) {
			vectors[v.Index] = v.Embedding
		}
	}
	for i, v := range vectors {
		if len(v) == 0 || len(answer.Data) != len(texts) {
			return nil, fault.New(op, sdkapi.ModelError, "the embedding model returned %d vectors for %d texts; expected one vector for each text; the first mismatch is at text %d", len(answer.Data), len(texts), i)
		}
	}
	return vectors, nil
}
