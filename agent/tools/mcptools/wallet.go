package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/upstream"
)

// maxHidden is the number of a session's last tokens that hide removes from texts.
const maxHidden = 8

// wallet has the access tokens of one user's session. It uses tokens of one connection alone: a session
// must not continue with the tokens of another account.
type wallet struct {
	from       Connections
	server     upstream.Server
	user       string
	connection string

	mu     sync.Mutex
	denied *fault.Error // the last reason why there was no token; nil if there is one
	tokens []string     // the last tokens, newest last
}

// token returns a valid access token, other than stale if that is set.
func (w *wallet) token(ctx context.Context, stale string) (string, error) {
	t, err := w.from.Token(ctx, w.server, w.user, stale)
	if err == nil && t.Connection != w.connection {
		err = fault.New("mcptools.token", sdkapi.ToolError, "the user has signed in to the MCP server %q again; repeat the call", w.server.Name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			w.denied = fault.From(err)
		}
		return "", err
	}
	w.denied = nil
	if !slices.Contains(w.tokens, t.Access) {
		w.tokens = append(w.tokens, t.Access)
		w.tokens = w.tokens[max(0, len(w.tokens)-maxHidden):]
	}
	return t.Access, nil
}

// refusal returns the last reason why there was no token, or nil. A nil wallet has none.
func (w *wallet) refusal() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.denied == nil {
		return nil
	}
	return w.denied
}

// reject records that the server refuses new tokens, and returns the error for the user.
func (w *wallet) reject(ctx context.Context) error {
	if err := w.from.Reject(ctx, w.connection); err != nil {
		return err
	}
	_, err := w.token(ctx, "")
	return err
}

// hide removes the tokens from a text. A nil wallet has none.
func (w *wallet) hide(text string) string {
	if w == nil {
		return text
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, token := range w.tokens {
		if len(token) >= minSecret {
			text = strings.ReplaceAll(text, token, "[set]")
		}
	}
	return text
}

// clean returns an answer without the tokens: a server may send its caller's token back, and no model
// may see it.
func (w *wallet) clean(answer *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	if w == nil {
		return answer, nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	text := string(raw)
	hidden := w.hide(text)
	if hidden == text {
		return answer, nil
	}
	var out mcp.CallToolResult
	if err := json.Unmarshal([]byte(hidden), &out); err != nil {
		return nil, errors.New("the server's answer has the user's token in an unreadable form")
	}
	return &out, nil
}

// send sends a request with the user's token. If the server refuses the token, send repeats the request
// once, with another token.
func (w *wallet) send(req *http.Request, by http.RoundTripper) (*http.Response, error) {
	stale := ""
	for {
		token, err := w.token(req.Context(), stale)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := by.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusUnauthorized {
			return resp, err
		}
		resp.Body.Close()
		if stale != "" {
			return nil, errors.Join(errors.New("the server refuses the user's new token"), w.reject(req.Context()))
		}
		stale = token
		if req.Body != nil && req.Body != http.NoBody {
			if req.GetBody == nil {
				return nil, errors.New("the server refuses the user's token")
			}
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}
