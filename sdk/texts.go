package sdk

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// Embed returns the vector of a text of at most 8,192 characters. Texts of similar meaning have
// vectors that are close to each other. Only vectors with the same EmbeddingSpaceVersion can be
// compared.
func (c *Client) Embed(ctx context.Context, text string) (*sdkapi.Embedding, error) {
	return post[sdkapi.Embedding](safe(ctx), c, sdkapi.EmbeddingsPath, sdkapi.EmbeddingRequest{Text: text})
}

// EmbeddingsHealth returns the model that computes vectors. It fails if the gateway has none.
func (c *Client) EmbeddingsHealth(ctx context.Context) (*sdkapi.EmbeddingsHealth, error) {
	return get[sdkapi.EmbeddingsHealth](safe(ctx), c, sdkapi.EmbeddingsHealthPath)
}

// SemanticHealth reports whether the gateway can summarise conversations.
func (c *Client) SemanticHealth(ctx context.Context) (*sdkapi.SemanticHealth, error) {
	return get[sdkapi.SemanticHealth](safe(ctx), c, sdkapi.SemanticHealthPath)
}

// Summarize returns a summary of conversations, and lasting facts about the user. The field
// in.UserID names the user.
func (c *Client) Summarize(ctx context.Context, in sdkapi.SemanticSummarize) (*sdkapi.SemanticSummary, error) {
	return post[sdkapi.SemanticSummary](safe(ctx), c, sdkapi.SemanticSummarizePath, in)
}

// Title returns a title for a conversation, based on its first messages.
func (c *Client) Title(ctx context.Context, in sdkapi.SemanticTitleRequest) (*sdkapi.SemanticTitle, error) {
	return post[sdkapi.SemanticTitle](safe(ctx), c, sdkapi.SemanticTitlePath, in)
}
