package sdk

import (
	"context"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// WithUser sets the user of the Client's requests. Tools and Prompts require it. user has at most
// sdkapi.MaxUserLen bytes of printable ASCII.
func WithUser(user string) Option { return WithHeader(sdkapi.UserHeader, user) }

// Tools holds the routes that list and call tools. Without WithUser they fail with AuthRequired.
// Its methods are safe for concurrent use.
type Tools struct{ client *Client }

// Capabilities returns the parts that the gateway consists of.
func (t *Tools) Capabilities(ctx context.Context) (*sdkapi.Capabilities, error) {
	return get[sdkapi.Capabilities](ctx, t.client, sdkapi.CapabilitiesPath)
}

// List returns all tools, sorted by id.
func (t *Tools) List(ctx context.Context) ([]sdkapi.Tool, error) {
	return t.list(ctx, sdkapi.ToolsPath)
}

// ListTag returns the tools with one tag, sorted by id.
func (t *Tools) ListTag(ctx context.Context, tag string) ([]sdkapi.Tool, error) {
	return t.list(ctx, sdkapi.ToolsPath+"?tag="+url.QueryEscape(tag))
}

// Get returns one tool. An unknown id fails with ToolNotFound.
func (t *Tools) Get(ctx context.Context, id string) (*sdkapi.Tool, error) {
	return get[sdkapi.Tool](ctx, t.client, sdkapi.ToolsPath+"/"+url.PathEscape(id))
}

// list returns the tools that path lists, in the gateway's order.
func (t *Tools) list(ctx context.Context, path string) ([]sdkapi.Tool, error) {
	list, err := get[sdkapi.ToolList](ctx, t.client, path)
	if err != nil {
		return nil, err
	}
	return list.Tools, nil
}

// Invoke calls a tool. arguments is a struct, a map or a json.RawMessage that fits the tool's input
// schema; nil means an empty object. The Result of the response is JSON that fits the output
// schema.
//
// Invoke fails with ToolNotFound, with ValidationError if the arguments do not fit, with
// ToolStarting if the tool is not ready, and with ToolError and the reason if the tool failed. The
// gateway's own tools fail with the codes of their routes. Because a call may have effects, the
// client retries it only if no connection was made.
func (t *Tools) Invoke(ctx context.Context, id string, arguments any) (*sdkapi.ToolResult, error) {
	if arguments == nil {
		arguments = struct{}{}
	}
	return post[sdkapi.ToolResult](ctx, t.client, sdkapi.ToolPath(url.PathEscape(id)), arguments)
}
