// Package toolhost serves remote tool hosts: programs on users' machines that hold a conversation with an agent and
// run its tools. Each has a WebSocket, or server-sent events and requests.
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

// door is this protocol of a gateway.
type door struct {
	turns.Turns
	heartbeat time.Duration
	times     gateway.Times
	calls     *ratelimit.Limiter // of tools, by session

	mu        sync.Mutex
	listeners map[place][]*listener // the newest last
}

// Parts returns the part that serves remote tool hosts, none without sessions.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Sessions == nil || app.Journal == nil {
		return nil
	}
	d := &door{Turns: turns.New(core, app), heartbeat: app.Heartbeat, times: app.Times, calls: ratelimit.New(sdkapi.MaxAgentCalls, time.Minute), listeners: map[place][]*listener{}}
	return []gateway.Part{gateway.PartOf("toolhost", d.addSocket, d.addSessions, d.addStream)}
}
