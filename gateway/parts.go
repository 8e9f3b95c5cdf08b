package gateway

import (
	"context"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent"
)

// Part is something that a gateway is made of: it brings routes and tools, and
// may have work to begin. The gateway's own are listed by parts; others come
// with Config.Parts.
//
//	New:    Setup of each, in order
//	Serve:  Ready of each, in order; then the listener
type Part struct {
	ID    string                          // told by GET /api/capabilities; empty for what nobody asks for
	Setup func(*Setup) error              // registers tools and routes; nil for none
	Ready func(ctx context.Context) error // begins work, which ends with ctx, and returns; nil for none
}

// Setup is what a part registers by.
type Setup struct{ server *Server }

// ExposeTools registers tools under a heading of the list of tools and of the
// API document. It fails as agent.Registry.Register does.
func (s *Setup) ExposeTools(tag string, tools ...agent.Tool) error {
	for _, tool := range tools {
		if err := s.server.cfg.Tools.Register(tagged{tool, tag}); err != nil {
			return err
		}
	}
	return nil
}

// API is where a part registers routes, with the helpers of huma.
func (s *Setup) API() huma.API { return s.server.api }

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

// builtin returns the gateway's own parts, as far as it has what they need.
func (s *Server) builtin() []Part {
	var list []Part
	add := func(there bool, id string, routes ...func()) {
		if there {
			list = append(list, Part{ID: id, Setup: func(*Setup) error {
				for _, register := range routes {
					register()
				}
				return nil
			}})
		}
	}
	talks := s.cfg.Sessions != nil && s.cfg.Journal != nil
	add(true, "", s.addHealth, s.addMetrics)
	add(true, "artifacts", s.addUpload, s.addFetch)
	add(true, "ocr", s.addOCR)
	add(true, "vision", s.addVision)
	add(true, "screen", s.addScreen)
	add(true, "tools", s.addTools)
	add(s.cfg.Plugins != nil, "plugins", s.addPlugins)
	add(s.cfg.Audit != nil, "audit", s.addAudit)
	add(s.cfg.Sessions != nil, "agent", s.addWS, s.addIntrospection)
	add(talks, "prompt", s.addPrompts)
	add(talks && s.cfg.Prompts != nil, "", s.addPromptList)
	add(talks && s.cfg.Conversations != nil, "", s.addConversationList)
	add(talks, "general", s.addV1)
	add(talks && s.cfg.Memory != nil, "memory", s.addV1Memory)
	if talks && s.cfg.Conversations != nil {
		list = append(list, Part{ID: "conversation", Setup: func(setup *Setup) error {
			return setup.ExposeTools("Conversations", s.conversationTools()...)
		}})
	}
	add(s.cfg.Journal != nil, "", s.addDecisions)
	add(true, "mcp", s.addMCP)
	add(s.cfg.Identity != nil, "install", s.addInstall)
	return list
}

// setUp lets all parts register what they bring. One that cannot is a wrong
// program.
func (s *Server) setUp() {
	s.parts = append(s.builtin(), s.cfg.Parts...)
	for _, p := range s.parts {
		if p.Setup == nil {
			continue
		}
		if err := p.Setup(&Setup{s}); err != nil {
			panic(fmt.Sprintf("gateway: the part %q cannot be set up: %v", p.ID, err))
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
