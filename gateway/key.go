package gateway

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// keyScheme names, in the API document, what routes ask for that call checkKey.
const keyScheme = "key"

// asksForKey is what the operation of such a route has as its Security: the key
// in local mode. In hosted mode the token that all routes ask for takes its
// place.
func (s *Server) asksForKey() []map[string][]string {
	if s.cfg.Hosted {
		return nil
	}
	s.api.OpenAPI().Components.SecuritySchemes[keyScheme] = &huma.SecurityScheme{
		Type: "apiKey", In: "header", Name: sdkapi.KeyHeader, Description: "The key in the file approval.key of the data folder, which people's programs read and agents are not given.",
	}
	return []map[string][]string{{keyScheme: {}}}
}

// checkKey lets through who proves to act for a person, and not for an agent: in
// local mode, where no other route asks who calls, by the key in the data
// folder; in hosted mode by the user's token, which came before. A gateway that
// was given no key lets nobody through. The refusal is read by models too, so it
// says where a person decides, and not how a program would.
func (s *Server) checkKey(ctx context.Context) error {
	if s.cfg.Hosted {
		return nil
	}
	if brought := requestOf(ctx).key; brought != "" && s.cfg.ApprovalKey != "" && sameToken(brought, s.cfg.ApprovalKey) {
		return nil
	}
	return fault.New("gateway.key", sdkapi.KeyRequired, "this is for a person to see and decide; run `windie approvals` on the gateway's machine")
}

// mayAnswer lets through who answers a question by its id alone. That of a
// turn's call follows from the turn's random id, and was told to the program
// that began the turn. That of a call over MCP follows from the call, which the
// model knows.
func (s *Server) mayAnswer(ctx context.Context, d journal.Decision) error {
	if d.Stream != decisionsOf(d.User) {
		return nil
	}
	return s.checkKey(ctx)
}

// checkKeyed is the middleware of routes that ask for the key in any case.
func (s *Server) checkKeyed(ctx huma.Context, next func(huma.Context)) {
	if err := s.checkKey(ctx.Context()); err != nil {
		_ = s.fail(humafiber.UnwrapV2(ctx), err) // an envelope can be written as JSON
		return
	}
	next(ctx)
}
