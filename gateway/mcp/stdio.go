package mcp

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/gateway"
)

// ServeStdio speaks MCP with one client over in and out, for a user, in place of
// s.Serve, until the client ends it or ctx ends, and closes both. Of a server that
// keeps users apart it shows what is the user's. URLs that it gives out begin with
// base. The client may name files in the folders, and in those that it shows itself.
func ServeStdio(ctx context.Context, core *gateway.Server, app gateway.App, in io.ReadCloser, out io.WriteCloser, user, base string, folders ...string) error {
	m := newServer(open(core, app.WithDefaults()))
	defer m.close()
	defer core.Cut()
	r := &gateway.Request{ID: gateway.NewRequestID(), Base: base, User: user}
	if app.Hosted {
		r.Owner = user
	}
	go m.follow(core.Requests)
	known := context.WithValue(ctx, gateway.RequestKey{}, r)
	session, err := m.sdk.Connect(context.WithValue(known, callerKey{}, &caller{user: user, request: r, of: known, files: &files{folders: folders}}), &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMCPBody}, nil)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = session.Wait() // how it left is the client's business
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		_ = session.Close()
		<-ended
	}
	return nil
}
