package gateway

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// keyScheme names, in the API document, what routes ask for that call CheckKey.
const keyScheme = "key"

// AsksForKey is what the operation of such a route has as its Security: the key in
// local mode. In hosted mode the token that all routes ask for takes its place.
func (s *Server) AsksForKey() []map[string][]string {
	if s.app.Hosted {
		return nil
	}
	s.API.OpenAPI().Components.SecuritySchemes[keyScheme] = &huma.SecurityScheme{
		Type: "apiKey", In: "header", Name: sdkapi.KeyHeader, Description: "The key in the file approval.key of the data folder, which people's programs read and agents are not given.",
	}
	return []map[string][]string{{keyScheme: {}}}
}

// CheckKey lets callers through that prove to act for a person, and not for an agent: in
// local mode, where no other route asks, by the key in the data folder or a visit to the console; in hosted mode by
// the user's token, checked before. A gateway without a key lets nobody through. Models
// read the refusal too, so it says how a person signs in, and not which header a program sends.
func (s *Server) CheckKey(ctx context.Context) error {
	if s.app.Hosted {
		return nil
	}
	if r := RequestOf(ctx); peer.IsVisit(r.Visit, identity.VisitPerson) || r.Visit.Operates() {
		return nil
	}
	if brought := RequestOf(ctx).head.Key; brought != "" && s.app.ApprovalKey != "" && peer.SameToken(brought, s.app.ApprovalKey) {
		return nil
	}
	return fault.New("gateway.key", sdkapi.KeyRequired, "this needs a person: sign in to the console with the link of `windie console`, or with WINDIE_OPERATOR_TOKEN")
}
