package gateway

import (
	"context"
	"fmt"

	"github.com/windieos/windie/agent"
)

// Part is a component of a gateway, for example one protocol. It adds routes and tools, and may
// start background work. doors.New creates the part of each protocol and adds App.Parts. The server
// calls the functions of its parts:
//
//	Join:   calls Setup of each part, in order
//	Serve:  calls Ready of each part, in order, and then starts the listener
type Part struct {
	// ID is the name of the part in GET /api/capabilities. If it is empty, the part is not listed.
	ID    string
	Setup func(*Setup) error // registers tools and routes; may be nil
	// Ready starts background work that ends with ctx, and returns without waiting for it. It may be
	// nil.
	Ready func(ctx context.Context) error

	// Revoked ends the open work of an install. If install is empty, it ends the open work of the
	// user. It may be nil.
	Revoked func(user, install string)
	Close   func() // ends the part's work when Serve returns; may be nil
}

// PartOf returns a part with this id. Its Setup calls the given functions in order.
func PartOf(id string, add ...func()) Part {
	return Part{ID: id, Setup: func(*Setup) error {
		for _, register := range add {
			register()
		}
		return nil
	}}
}

// Setup is the argument of the function Part.Setup.
type Setup struct{ Server *Server }

// ExposeTools registers tools. The list of tools and the API document show them under the heading
// tag. It returns the errors of agent.Registry.Register.
func (s *Setup) ExposeTools(tag string, tools ...agent.Tool) error {
	for _, tool := range tools {
		if err := s.Server.app.Tools.Register(tagged{tool, tag}); err != nil {
			return err
		}
	}
	return nil
}

// tagged is a tool with another heading.
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

// Join sets up parts in order. Call it once, before Serve. It panics if the Setup of a part
// fails.
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

// PartIDs returns the ids of all parts, except parts with an empty id.
func (s *Server) PartIDs() []string {
	var ids []string
	for _, p := range s.parts {
		if p.ID != "" {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// closeParts calls Close of each part.
func (s *Server) closeParts() {
	for _, p := range s.parts {
		if p.Close != nil {
			p.Close()
		}
	}
}

// beReady calls Ready of each part in order. It returns the first error.
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
