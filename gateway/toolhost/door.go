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
	calls *ratelimit.Limiter // of tools, by session

	mu        sync.Mutex
	listeners map[place][]*listener // the newest last
}

func open(s *gateway.Server) *door {
	return &door{Turns: turns.Turns{Server: s}, calls: ratelimit.New(sdkapi.MaxAgentCalls, time.Minute), listeners: map[place][]*listener{}}
}

// Parts returns the part that serves remote tool hosts, none without sessions.
func Parts(cfg gateway.Config) []gateway.Part {
	if cfg.Sessions == nil || cfg.Journal == nil {
		return nil
	}
	return []gateway.Part{gateway.PartOf("toolhost", open, (*door).addSocket, (*door).addSessions, (*door).addStream)}
}
