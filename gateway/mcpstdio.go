package gateway

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeMCP speaks MCP with one client over in and out, for a user, until the
// client ends it or ctx ends. Of a server that keeps users apart it shows what
// is the user's. URLs that it gives out begin with base. The client may name files in
// the folders, and in those that it shows itself.
//
// It is in place of Serve, and closes in and out.
func (s *Server) ServeMCP(ctx context.Context, in io.ReadCloser, out io.WriteCloser, user, base string, folders ...string) error {
	defer s.mcp.close()
	defer s.cut()
	r := &request{id: newRequestID(), base: base, user: user}
	if s.cfg.Hosted {
		r.owner = user
	}
	go s.mcp.follow(s.requests)
	known := context.WithValue(ctx, requestKey{}, r)
	session, err := s.mcp.sdk.Connect(context.WithValue(known, callerKey{}, &mcpCaller{user: user, request: r, of: known, files: &mcpFiles{folders: folders}}), &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMCPBody}, nil)
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
