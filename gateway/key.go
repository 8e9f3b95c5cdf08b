package gateway

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// keyScheme is the API document's name for the key that CheckKey requires.
const keyScheme = "key"

// AsksForKey returns the Security field for operations that call CheckKey. In local mode the field
// requires the approval key. In hosted mode it is nil, because all routes need the user's token.
func (s *Server) AsksForKey() []map[string][]string {
	if s.app.Hosted {
		return nil
	}
	s.API.OpenAPI().Components.SecuritySchemes[keyScheme] = &huma.SecurityScheme{
		Type: "apiKey", In: "header", Name: sdkapi.KeyHeader, Description: "The key in the file approval.key of the data folder. Programs that people use may send it. Agents must not have it.",
	}
	return []map[string][]string{{keyScheme: {}}}
}

// CheckKey returns an error unless the caller proves that a person sent the request, not an agent. In
// local mode the proof is App.ApprovalKey or a signed-in console. If ApprovalKey is empty, only the
// console passes. In hosted mode every caller passes, because the gateway has already checked the
// user's token. The error explains how a person signs in. It does not name the header that a program
// sends, because models read the error too.
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
	return fault.New("gateway.key", sdkapi.KeyRequired, "only a person may do this: sign in to the console with the link of `windie console`, or with WINDIE_OPERATOR_TOKEN")
}
