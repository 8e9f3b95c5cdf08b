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

// watch asks the server for progress notifications of a call, if the call has a watcher. The caller
// calls stop when the call has ended.
func (s *session) watch(ctx context.Context, params *mcp.CallToolParams) (stop func()) {
	if !agent.IsWatched(ctx) {
		return func() {}
	}
	token := strconv.FormatInt(s.calls.Add(1), 10)
	params.SetProgressToken(token)
	s.watched.Store(token, ctx)
	return func() { s.watched.Delete(token) }
}

// progressed passes a server's progress on to the watcher of a running call.
func (s *session) progressed(p *mcp.ProgressNotificationParams) {
	kept, ok := s.watched.Load(fmt.Sprint(p.ProgressToken))
	if !ok {
		return
	}
	ctx := kept.(context.Context)
	if piece, ok := p.Meta[metaOutput].(string); ok {
		agent.Output(ctx, s.wallet.hide(piece))
		return
	}
	// 0 means an unknown total
	counted := strings.TrimSuffix(fmt.Sprintf("%g of %g", p.Progress, p.Total), " of 0")
	agent.ProgressOf(ctx, s.wallet.hide(printable(cmp.Or(p.Message, counted), maxLineBytes)), p.Progress, p.Total)
}
