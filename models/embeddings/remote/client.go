package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/sdkapi"
)

const (
	askTime   = 60 * time.Second // time limit of one request
	maxAnswer = 32 << 20         // bytes of a response: 256 vectors of 4,096 numbers
)

// Client sends texts to an embedding service. Make one with NewClient. It is safe for concurrent
// use.
type Client struct {
	url, key, space string
	http            *http.Client
}

var _ embeddings.Embedder = (*Client)(nil)

// NewClient returns a client of the embedding service at url. The client accepts only vectors
// from the given model. It follows no redirects: a redirect would send the key and the texts to
// another server.
func NewClient(url, key, model string) *Client {
	client := &http.Client{Timeout: askTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Client{url: strings.TrimRight(url, "/"), key: key, space: sdkapi.EmbedProviderName + ":" + model + ":", http: client}
}

// Embed implements embeddings.Embedder. If the texts exceed a limit of the service, Embed sends
// several requests.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := pieceOf(texts)
		vectors, err := c.ask(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		all, texts = append(all, vectors...), texts[n:]
	}
	return all, nil
}

// pieceOf returns how many of texts fit into one request, at least one.
func pieceOf(texts []string) int {
	all := 0
	for n, text := range texts {
		all += len(text) // bytes, which are at least as many as characters
		if n > 0 && (n == sdkapi.MaxEmbedTexts || all > sdkapi.MaxEmbedAllTexts) {
			return n
		}
	}
	return len(texts)
}

// ask sends one request, whose texts must fit into it. A service with another model is a MODEL_ERROR.
func (c *Client) ask(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(sdkapi.EmbedRequest{Texts: texts})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+sdkapi.EmbedPath, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("invalid URL of the embedding service: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sdkapi.EmbedKeyHeader, c.key)
	resp, err := c.http.Do(req)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fault.New("remote.ask", sdkapi.ModelUnavailable, "the embedding service does not respond; check that it runs").Because(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fault.New("remote.ask", sdkapi.ModelUnavailable, "the response of the embedding service ended early; try again").Because(err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, refusal(resp.StatusCode, data)
	}
	var answer sdkapi.EmbedResponse
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fault.New("remote.ask", sdkapi.ModelError, "the response of the embedding service has no vectors; check its URL").Because(err)
	}
	if !strings.HasPrefix(answer.EmbeddingSpaceVersion, c.space) {
		return nil, fault.New("remote.ask", sdkapi.ModelError, "the embedding service uses the embedding space %.200s, but the gateway expects %s; set WINDIE_EMBEDDINGS_MODEL to the service's model", answer.EmbeddingSpaceVersion, strings.TrimSuffix(c.space, ":"))
	}
	if len(answer.Embeddings) != len(texts) {
		return nil, fault.New("remote.ask", sdkapi.ModelError, "the embedding service returned %d vectors for %d texts; check the service", len(answer.Embeddings), len(texts))
	}
	return answer.Embeddings, nil
}

// refusal returns the error of a response without vectors.
func refusal(status int, body []byte) error {
	var said sdkapi.ErrorResponse
	_ = json.Unmarshal(body, &said) // it may be a page of a proxy
	code := sdkapi.ModelError
	switch {
	case status == http.StatusUnauthorized:
		return fault.New("remote.ask", code, "the embedding service refuses the key; set WINDIE_EMBEDDINGS_API_KEY to the service's WINDIE_EMBEDDING_SERVICE_API_KEY")
	case status >= http.StatusInternalServerError:
		code = sdkapi.ModelUnavailable
	}
	return fault.New("remote.ask", code, "the embedding service responded with status %d: %.300s", status, said.Error.Message)
}
