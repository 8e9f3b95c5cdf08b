package mcptools

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
)

// metaOutput is the key of a piece of output in a notification of another Windie.
const metaOutput = "windie/output"

// watch asks the server how far a call is, if somebody watches the call. stop is called when the call has ended.
func (s *session) watch(ctx context.Context, params *mcp.CallToolParams) (stop func()) {
	if !agent.IsWatched(ctx) {
		return func() {}
	}
	token := strconv.FormatInt(s.calls.Add(1), 10)
	params.SetProgressToken(token)
	s.watched.Store(token, ctx)
	return func() { s.watched.Delete(token) }
}

// progressed shows what a server reports to whoever watches the call, if it runs.
func (s *session) progressed(p *mcp.ProgressNotificationParams) {
	kept, ok := s.watched.Load(fmt.Sprint(p.ProgressToken))
	if !ok {
		return
	}
	ctx := kept.(context.Context)
	if piece, ok := p.Meta[metaOutput].(string); ok {
		agent.Output(ctx, piece)
		return
	}
	counted := strings.TrimSuffix(fmt.Sprintf("%g of %g", p.Progress, p.Total), " of 0") // a total that is not known
	agent.ProgressOf(ctx, printable(cmp.Or(p.Message, counted), maxLineBytes), p.Progress, p.Total)
}
