// Package embeddings serves the routes that turn texts into vectors.
package embeddings

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/ledger"
)

// Parts returns the part that embeds texts, or no part if app.Embeddings is nil.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Embeddings == nil {
		return nil
	}
	d := &door{core: core, embeddings: app.Embeddings, pools: app.Pools}
	return []gateway.Part{gateway.PartOf("embeddings", d.add)}
}

// door has the parts of the gateway that the handlers of this package use.
type door struct {
	core       *gateway.Server
	embeddings *embeddings.Service
	pools      metrics.Pools
}

// maxBody is the maximum size of a request, in bytes. JSON may take 12 bytes to escape a character,
// as a surrogate pair.
const maxBody = 12*sdkapi.MaxEmbedText + 4<<10

// add adds the routes of the part.
func (s *door) add() {
	gateway.Post(s.core, sdkapi.EmbeddingsPath, maxBody, huma.Operation{
		OperationID: "embed-text", Tags: []string{"embeddings"},
		Summary: "Turn a text into a vector",
		Description: "Texts with similar meanings have vectors with a high cosine similarity. Store `embedding_space_version` with each vector, and compare only " +
			"vectors with the same version.",
		Errors: []int{400, 403, 408, 413, 415, 422, 502, 503},
	}, s.embed)
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "embeddings-health", Method: http.MethodGet, Path: sdkapi.EmbeddingsHealthPath, Tags: []string{"embeddings"},
		Summary: "Check the embedding model",
		Description: "If the gateway cannot embed texts, for example because the model's weights are missing, the response is 503 and says how to fix the problem. " +
			"If the model runs on a server, and the gateway has not used the model for ten seconds, the gateway tests the server by embedding one word.",
		Errors: []int{502, 503},
	}, s.health)
}

// defaultModel is the model_name for the gateway's own model.
const defaultModel = "default"

// embed returns the vector of one text. It counts as a call of the user. A model in this process
// waits for a core.
func (s *door) embed(ctx context.Context, in *sdkapi.EmbeddingRequest) (*sdkapi.Embedding, error) {
	user, err := gateway.CallerOf(ctx)
	if err == nil {
		err = gateway.RequestOf(ctx).Quota.TakeCall()
	}
	if err != nil {
		return nil, err
	}
	ctx = ledger.For(ctx, user)
	space, err := s.embeddings.Space(ctx)
	if err != nil {
		return nil, err
	}
	if name := in.ModelName; name != "" && name != defaultModel && name != space.ModelID {
		return nil, fault.New("gateway.embeddings", sdkapi.ValidationError, "model_name must be %s, or %s", defaultModel, space.ModelID).
			At("body.model_name", "expected %s or %s", defaultModel, space.ModelID)
	}
	if s.embeddings.Computes() {
		var give func()
		if ctx, give, err = fair.Within(ctx, s.pools[gateway.CorePool], user); err != nil {
			return nil, err
		}
		defer give()
	}
	vectors, err := s.embeddings.Embed(ctx, []string{in.Text})
	if err != nil {
		return nil, err
	}
	return &sdkapi.Embedding{Embedding: vectors[0], EmbeddingSpace: space}, nil
}

// health returns the embedding space if the gateway can embed texts. It counts as no call.
func (s *door) health(ctx context.Context, _ *struct{}) (*sdkapi.EmbeddingsHealth, error) {
	if err := s.embeddings.Check(ctx); err != nil {
		return nil, err
	}
	space, err := s.embeddings.Space(ctx)
	if err != nil {
		return nil, err
	}
	return &sdkapi.EmbeddingsHealth{Status: "healthy", EmbeddingSpace: space}, nil
}
