package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/plain"
)

// progressEvery is the time between progress notifications of a running call.
const progressEvery = time.Second

// metaOutput is the metadata key, in a notification, of the new output of the tool. The
// notification's message shows the same output.
const metaOutput = "windie/output"

// progress reports on a call to a client that requested progress. It sends the tool's count as soon
// as it rises. Each second it also sends new output, or else the tool's last line, or else the
// running time.
type progress struct {
	req   *mcp.CallToolRequest
	since time.Time
	news  chan struct{} // capacity 1; signals a higher count

	mu     sync.Mutex
	last   agent.Report // the last line and the highest count
	fresh  bool         // the count was not sent yet
	pieces agent.Pieces
	sent   float64 // value of the last notification; each is higher than the one before
}

// tellProgress starts progress notifications for req if it has a progress token. It returns within
// with a listener for the tool's reports. stop ends the notifications, after it has sent the
// remaining output.
func (m *server) tellProgress(within, ctx context.Context, req *mcp.CallToolRequest) (heard context.Context, stop func()) {
	if req.Params.GetProgressToken() == nil {
		return within, func() {}
	}
	p := &progress{req: req, since: time.Now(), news: make(chan struct{}, 1)}
	end := background.Start(ctx, p.run)
	return agent.WithProgress(within, p.hear), func() {
		end()
		p.sendOutput(ctx)
		p.sendFigures(ctx)
	}
}

// hear stores a report of the tool. It never blocks: run sends the notifications.
func (p *progress) hear(r agent.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pieces.Add(r.Output)
	if r.Line != "" {
		p.last.Line = r.Line
	}
	if r.Done > p.last.Done { // a lower count is ignored
		p.last.Done, p.last.Total, p.fresh = r.Done, r.Total, true
		select {
		case p.news <- struct{}{}:
		default: // already signaled; run sends both together
		}
	}
}

// run sends notifications until ctx ends. Most tools report nothing, so it also sends the running
// time: a client that gets notifications does not time out.
func (p *progress) run(ctx context.Context) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.news:
			p.sendFigures(ctx)
			continue
		case <-tick.C:
		}
		if !p.sendOutput(ctx) {
			p.mu.Lock()
			text := p.last.Line
			p.mu.Unlock()
			if text == "" {
				text = fmt.Sprintf("%s has been running for %d s", p.req.Params.Name, int(time.Since(p.since).Seconds()))
			}
			p.notify(ctx, &mcp.ProgressNotificationParams{Message: text})
		}
	}
}

// sendOutput sends the new output, and reports whether there was any.
func (p *progress) sendOutput(ctx context.Context) bool {
	p.mu.Lock()
	piece := p.pieces.Waiting()
	p.pieces.Sent()
	p.mu.Unlock()
	if piece != "" {
		p.notify(ctx, &mcp.ProgressNotificationParams{Message: plain.Lines(piece, ""), Meta: mcp.Meta{metaOutput: piece}})
	}
	return piece != ""
}

// sendFigures sends the tool's count if it has risen since the last call.
func (p *progress) sendFigures(ctx context.Context) {
	p.mu.Lock()
	text, fresh := p.last.Line, p.fresh
	p.fresh = false
	p.mu.Unlock()
	if fresh {
		p.notify(ctx, &mcp.ProgressNotificationParams{Message: text})
	}
}

// notify sends a notification. Its value is the tool's count, or slightly above the last value if
// the count has not risen, since values must increase. It ignores errors: when the client leaves,
// the call ends as well.
func (p *progress) notify(ctx context.Context, params *mcp.ProgressNotificationParams) {
	p.mu.Lock()
	p.sent = max(p.sent+0.001, p.last.Done)
	params.ProgressToken, params.Progress, params.Total = p.req.Params.GetProgressToken(), p.sent, p.last.Total
	p.mu.Unlock()
	_ = p.req.Session.NotifyProgress(ctx, params)
}
