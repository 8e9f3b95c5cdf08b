package openai

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// maxEmbedBody is the maximum size of a request, in bytes: 16 texts of sdkapi.MaxEmbedText
// characters, each character escaped in up to 12 bytes.
const maxEmbedBody = 12*sdkapi.MaxEmbedText*16 + 4<<10

// addEmbeddings adds the route for embeddings.
func (s *door) addEmbeddings() {
	post[sdkapi.OpenAIEmbeddings](s, sdkapi.OpenAIEmbeddingsPath, maxEmbedBody, huma.Operation{
		OperationID: "openai-embeddings", Summary: "Turn texts into vectors",
		Description: "Compatible with OpenAI's embeddings route. Uses the gateway's embedding model.",
		Responses:   map[string]*huma.Response{"200": gateway.JSONResponse[sdkapi.OpenAIVectors](s.core, "The vectors, in the order of the texts.")},
		Errors:      []int{400, 403, 408, 413, 415, 422, 429, 502, 503},
	}, s.embed)
}

// embed returns the vectors of texts. A request counts as one call.
func (s *door) embed(ctx context.Context, in *rawBody) (*huma.StreamResponse, error) {
	var body sdkapi.OpenAIEmbeddings
	if err := read(in.RawBody, &body); err != nil {
		return nil, err
	}
	texts, err := embedded(body)
	if err != nil {
		return nil, err
	}
	if s.embeddings == nil {
		return nil, fault.New(op, sdkapi.FeatureUnavailable, "this gateway has no embedding model; its operator can set one with WINDIE_EMBEDDINGS_BACKEND")
	}
	user, ctx, err := charged(ctx)
	if err != nil {
		return nil, err
	}
	space, err := s.embeddings.Space(ctx)
	switch {
	case err != nil:
		return nil, err
	case body.Model != defaultModel && body.Model != space.ModelID:
		return nil, invalid("body.model", "expected %s or %s", space.ModelID, defaultModel)
	case body.Dimensions != nil && *body.Dimensions != space.Dimension:
		return nil, invalid("body.dimensions", "expected %d, the length of this model's vectors", space.Dimension)
	}
	ctx, stop := gateway.UntilClientLeaves(ctx)
	defer stop()
	if s.embeddings.Computes() {
		var give func()
		if ctx, give, err = fair.Within(ctx, s.pools[gateway.CorePool], user); err != nil {
			return nil, err
		}
		defer give()
	}
	vectors, err := s.embeddings.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := sdkapi.OpenAIVectors{Object: "list", Model: space.ModelID, Data: make([]sdkapi.OpenAIVector, len(vectors))}
	for i, v := range vectors {
		out.Data[i] = sdkapi.OpenAIVector{Object: "embedding", Index: i, Embedding: v}
		if body.EncodingFormat == "base64" {
			out.Data[i].Embedding = encoded(v)
		}
		out.Usage.PromptTokens += models.EstimateText(texts[i])
	}
	out.Usage.TotalTokens = out.Usage.PromptTokens
	return answerJSON(out), nil
}

// embedded returns the validated texts of a request.
func embedded(body sdkapi.OpenAIEmbeddings) ([]string, error) {
	texts, err := textsOf(body.Input)
	switch {
	case err != nil || len(texts) == 0 || len(texts) > sdkapi.MaxOpenAIInputs:
		return nil, invalid("body.input", "expected a text, or a list of 1 to %d texts, not token ids", sdkapi.MaxOpenAIInputs)
	case body.EncodingFormat != "" && body.EncodingFormat != "float" && body.EncodingFormat != "base64":
		return nil, invalid("body.encoding_format", "expected float or base64")
	}
	for i, text := range texts {
		if n := len([]rune(text)); n == 0 || n > sdkapi.MaxEmbedText {
			return nil, invalid(fmt.Sprintf("body.input[%d]", i), "expected 1 to %d characters", sdkapi.MaxEmbedText)
		}
	}
	return texts, nil
}

// encoded returns a vector as base64 of little-endian 32-bit floats.
func encoded(v []float32) string {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}
