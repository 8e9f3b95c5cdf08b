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

// progressEvery is how often a client that asks for progress hears of a running call.
const progressEvery = time.Second

// metaOutput is the key, in the metadata of a notification, of a piece of the tool's output, which its message shows.
const metaOutput = "windie/output"

// progress is what a client that asked for it hears of a call: how far it is, once a tool that counts says so, and each second
// how long it has been running, the line that the tool reported last, or the output that is new.
type progress struct {
	req   *mcp.CallToolRequest
	since time.Time
	news  chan struct{} // of one: the tool has counted further

	mu     sync.Mutex
	last   agent.Report // its line and its figures
	fresh  bool         // they were not sent
	pieces agent.Pieces
	sent   float64 // the figure of the last notification; each is higher than the one before
}

// tellProgress returns within, in which a call is made for the sender of req, with what hears the call. stop is called
// when the call has ended, and sends the output that waits still.
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

func (p *progress) hear(r agent.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pieces.Add(r.Output)
	if r.Line != "" {
		p.last.Line = r.Line
	}
	if r.Done > p.last.Done { // what a tool counts may not fall
		p.last.Done, p.last.Total, p.fresh = r.Done, r.Total, true
		select {
		case p.news <- struct{}{}:
		default: // they are sent together
		}
	}
}

// run sends until ctx ends. Most tools report nothing, but a client that hears something does not give up.
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

// sendOutput sends the output that waits, and reports whether there was any.
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

// sendFigures sends how far the call is, if the tool has counted further.
func (p *progress) sendFigures(ctx context.Context) {
	p.mu.Lock()
	text, fresh := p.last.Line, p.fresh
	p.fresh = false
	p.mu.Unlock()
	if fresh {
		p.notify(ctx, &mcp.ProgressNotificationParams{Message: text})
	}
}

// notify sends a notification, with the tool's own figures as far as they rise. A client that has left ends the call too.
func (p *progress) notify(ctx context.Context, params *mcp.ProgressNotificationParams) {
	p.mu.Lock()
	p.sent = max(p.sent+0.001, p.last.Done)
	params.ProgressToken, params.Progress, params.Total = p.req.Params.GetProgressToken(), p.sent, p.last.Total
	p.mu.Unlock()
	_ = p.req.Session.NotifyProgress(ctx, params)
}
