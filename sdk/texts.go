package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// Embed turns a text of at most 8,192 characters into a vector. Those of texts of similar meaning are near; compare
// vectors of one EmbeddingSpaceVersion alone.
func (c *Client) Embed(ctx context.Context, text string) (*sdkapi.Embedding, error) {
	return post[sdkapi.Embedding](safe(ctx), c, sdkapi.EmbeddingsPath, sdkapi.EmbeddingRequest{Text: text})
}

// EmbeddingsHealth returns what makes vectors, and fails where nothing does.
func (c *Client) EmbeddingsHealth(ctx context.Context) (*sdkapi.EmbeddingsHealth, error) {
	return get[sdkapi.EmbeddingsHealth](safe(ctx), c, sdkapi.EmbeddingsHealthPath)
}

// SemanticHealth reports whether conversations can be summarised.
func (c *Client) SemanticHealth(ctx context.Context) (*sdkapi.SemanticHealth, error) {
	return get[sdkapi.SemanticHealth](safe(ctx), c, sdkapi.SemanticHealthPath)
}

// Summarize says what conversations were about, and lists lasting facts about the user, whom it names.
func (c *Client) Summarize(ctx context.Context, in sdkapi.SemanticSummarize) (*sdkapi.SemanticSummary, error) {
	return post[sdkapi.SemanticSummary](safe(ctx), c, sdkapi.SemanticSummarizePath, in)
}

// Title names a conversation by its first messages.
func (c *Client) Title(ctx context.Context, in sdkapi.SemanticTitleRequest) (*sdkapi.SemanticTitle, error) {
	return post[sdkapi.SemanticTitle](safe(ctx), c, sdkapi.SemanticTitlePath, in)
}
