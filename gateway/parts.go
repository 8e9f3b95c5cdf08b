package gateway

import (
	"context"
	"fmt"

	"github.com/windieos/windie/agent"
)

// Part brings routes and tools to a gateway, and may begin work. Each protocol has
// some, which doors.New lists. Others come with App.Parts.
//
//	Join:   Setup of each, in order
//	Serve:  Ready of each, in order; then the listener
type Part struct {
	ID    string                          // listed by GET /api/capabilities; empty: not listed
	Setup func(*Setup) error              // registers tools and routes; nil for none
	Ready func(ctx context.Context) error // begins work, which ends with ctx, and returns; nil for none

	Revoked func(user, install string) // ends what an install has open, or the whole user if install is empty; nil for nothing
	Close   func()                     // ends what the part began, as Serve returns; nil for nothing
}

// PartOf returns a part that only registers what add brings.
func PartOf(id string, add ...func()) Part {
	return Part{ID: id, Setup: func(*Setup) error {
		for _, register := range add {
			register()
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
		if err := s.Server.app.Tools.Register(tagged{tool, tag}); err != nil {
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

// Join lets parts register what they bring. It is called once, before Serve. A part that cannot is a wrong program.
func (s *Server) Join(parts ...Part) {
	s.parts = parts
	for _, p := range parts {
		if p.Setup == nil {
			continue
		}
		if err := p.Setup(&Setup{Server: s}); err != nil {
			panic(fmt.Sprintf("gateway: the part %q cannot be set up: %v", p.ID, err))
		}
	}
	s.describeAdmission()
	s.metrics.LearnRoutes(s.App)
}

// PartIDs returns the ids of the parts that have one.
func (s *Server) PartIDs() []string {
	var ids []string
	for _, p := range s.parts {
		if p.ID != "" {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// closeParts ends what the parts began.
func (s *Server) closeParts() {
	for _, p := range s.parts {
		if p.Close != nil {
			p.Close()
		}
	}
}

// beReady lets all parts begin their work.
func (s *Server) beReady(ctx context.Context) error {
	for _, p := range s.parts {
		if p.Ready == nil {
			continue
		}
		if err := p.Ready(ctx); err != nil {
			return fmt.Errorf("the part %q is not ready: %w", p.ID, err)
		}
	}
	return nil
}
