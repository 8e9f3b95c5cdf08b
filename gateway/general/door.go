// Package general serves the general agent service: sessions under /v1. A client reads a stream
// of events, runs its own tools and posts their results.
package general

import (
	"time"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
)

// door holds the services that the routes of this package use.
type door struct {
	turns.Turns
	memory      *memory.Memory
	sessionIdle time.Duration
	streamIdle  time.Duration
	toolTimeout time.Duration
}

// Parts returns the parts that serve sessions and users' memories. It leaves out a part if app
// lacks a service that the part needs.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Sessions == nil || app.Journal == nil {
		return nil
	}
	d := &door{Turns: turns.New(core, app), memory: app.Memory, sessionIdle: app.SessionIdle, streamIdle: app.StreamIdle, toolTimeout: app.ToolTimeout}
	parts := []gateway.Part{gateway.PartOf("general", d.addSessions, d.addKeptSessions)}
	if app.Memory != nil {
		parts = append(parts, gateway.PartOf("memory", d.addMemory, d.addKeptMemory))
	}
	return parts
}
