package mcp

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/gateway"
)

// ServeStdio serves MCP to one client: it reads from in and writes to out. Call it in place of
// core.Serve. It acts for a user: on a hosted gateway the client sees only this user's artifacts.
// URLs in results begin with base. The client may name files in folders, and in the root folders that
// it announces itself. ServeStdio returns when the client disconnects or ctx ends, and closes in and
// out.
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
		_ = session.Wait() // the client may disconnect in any way
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		_ = session.Close()
		<-ended
	}
	return nil
}
