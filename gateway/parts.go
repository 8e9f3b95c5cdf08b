package gateway

import (
	"context"
	"fmt"

	"github.com/windieos/windie/agent"
)

// Part brings routes and tools to a gateway, and may begin work. Each protocol has
// some, which doors.New lists. Others come with Config.Parts.
//
//	New:    Setup of each, in order
//	Serve:  Ready of each, in order; then the listener
type Part struct {
	ID    string                          // listed by GET /api/capabilities; empty: not listed
	Setup func(*Setup) error              // registers tools and routes; nil for none
	Ready func(ctx context.Context) error // begins work, which ends with ctx, and returns; nil for none

	Revoked func(user, install string) // ends what an install has open, or the whole user if install is empty; nil for nothing
	Close   func()                     // ends what the part began, as Serve returns; nil for nothing
}

// PartOf returns a part that only registers what add brings, of a protocol that
// open makes of the server.
func PartOf[P any](id string, open func(*Server) P, add ...func(P)) Part {
	return Part{ID: id, Setup: func(s *Setup) error {
		protocol := open(s.Server)
		for _, register := range add {
			register(protocol)
		}
		return nil
	}}
}

// Setup is what a part registers by.
type Setup struct{ Server *Server }

// ExposeTools registers tools under a heading of the list of tools and of the
// API document. It fails as agent.Registry.Register does.
func (s *Setup) ExposeTools(tag string, tools ...agent.Tool) error {
	for _, tool := range tools {
		if err := s.Server.Config.Tools.Register(tagged{tool, tag}); err != nil {
			return err
		}
	}
	return nil
}

// tagged is a tool under another heading.
type tagged struct {
	agent.Tool
	tag string
}

// Descriptor implements agent.Tool.
func (t tagged) Descriptor() agent.Descriptor {
	d := t.Tool.Descriptor()
	d.Tag = t.tag
	return d
}

// setUp lets all parts register what they bring. One that cannot is a wrong program.
func (s *Server) setUp() {
	for _, p := range s.Config.Parts {
		if p.Setup == nil {
			continue
		}
		if err := p.Setup(&Setup{Server: s}); err != nil {
			panic(fmt.Sprintf("gateway: the part %q cannot be set up: %v", p.ID, err))
		}
	}
}

// PartIDs returns the ids of the parts that have one.
func (s *Server) PartIDs() []string {
	var ids []string
	for _, p := range s.Config.Parts {
		if p.ID != "" {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// closeParts ends what the parts began.
func (s *Server) closeParts() {
	for _, p := range s.Config.Parts {
		if p.Close != nil {
			p.Close()
		}
	}
}

// beReady lets all parts begin their work.
func (s *Server) beReady(ctx context.Context) error {
	for _, p := range s.Config.Parts {
		if p.Ready == nil {
			continue
		}
		if err := p.Ready(ctx); err != nil {
			return fmt.Errorf("the part %q is not ready: %w", p.ID, err)
		}
	}
	return nil
}
