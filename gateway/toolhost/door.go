// Package toolhost serves remote tool hosts. A tool host is a program on a user's machine that
// holds a conversation with an agent and runs the agent's tools. It connects over a WebSocket, or
// over server-sent events with POST requests.
package toolhost

import (
	"sync"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/ratelimit"
	"github.com/windieos/windie/sdkapi"
)

const op = "gateway.toolhost"

// door holds what the handlers of this package need.
type door struct {
	turns.Turns
	heartbeat time.Duration
	times     gateway.Times
	calls     *ratelimit.Limiter // limits calls of client tools, by session id

	mu        sync.Mutex
	listeners map[place][]*listener // newest last
}

// Parts returns the part that serves remote tool hosts, or no part if app.Sessions or app.Journal
// is nil.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Sessions == nil || app.Journal == nil {
		return nil
	}
	d := &door{Turns: turns.New(core, app), heartbeat: app.Heartbeat, times: app.Times, calls: ratelimit.New(sdkapi.MaxAgentCalls, time.Minute), listeners: map[place][]*listener{}}
	return []gateway.Part{gateway.PartOf("toolhost", d.addSocket, d.addSessions, d.addStream)}
}
