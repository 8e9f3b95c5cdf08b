package sdk

import (
	"context"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// WithUser says on whose behalf a Client calls, which the routes of Tools ask
// for: at most sdkapi.MaxUserLen bytes of printable ASCII.
func WithUser(user string) Option { return WithHeader(sdkapi.UserHeader, user) }

// Tools holds the routes that list and call tools. They need WithUser, and fail with
// AuthRequired without it. Its methods may be called from several goroutines at once.
type Tools struct{ client *Client }

// Capabilities returns what the gateway is made of.
func (t *Tools) Capabilities(ctx context.Context) (*sdkapi.Capabilities, error) {
	return get[sdkapi.Capabilities](ctx, t.client, sdkapi.CapabilitiesPath)
}

// List returns all tools, by id.
func (t *Tools) List(ctx context.Context) ([]sdkapi.Tool, error) {
	return t.list(ctx, sdkapi.ToolsPath)
}

// ListTag returns the tools under one heading, by id.
func (t *Tools) ListTag(ctx context.Context, tag string) ([]sdkapi.Tool, error) {
	return t.list(ctx, sdkapi.ToolsPath+"?tag="+url.QueryEscape(tag))
}

// Get returns one tool, and fails with ToolNotFound when there is none of that id.
func (t *Tools) Get(ctx context.Context, id string) (*sdkapi.Tool, error) {
	return get[sdkapi.Tool](ctx, t.client, sdkapi.ToolsPath+"/"+url.PathEscape(id))
}

func (t *Tools) list(ctx context.Context, path string) ([]sdkapi.Tool, error) {
	list, err := get[sdkapi.ToolList](ctx, t.client, path)
	if err != nil {
		return nil, err
	}
	return list.Tools, nil
}

// Invoke calls a tool. arguments is what its input schema describes, as a struct, a map or a
// json.RawMessage; nil is an empty object. It fails with ToolNotFound, ValidationError when the
// arguments do not fit, ToolStarting when the tool is not ready, and ToolError when it cannot
// do it, with its reason as the message; the gateway's own tools fail with the codes of the
// routes they resemble. A call may have effects, so it is tried again only when no connection
// came about. The answer's Result holds JSON, as the tool's output schema describes it.
func (t *Tools) Invoke(ctx context.Context, id string, arguments any) (*sdkapi.ToolResult, error) {
	if arguments == nil {
		arguments = struct{}{}
	}
	return post[sdkapi.ToolResult](ctx, t.client, sdkapi.ToolPath(url.PathEscape(id)), arguments)
}
