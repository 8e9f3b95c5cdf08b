package gateway

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// runsScheme is the API document's name for the key that checkRunsKey requires.
const runsScheme = "runs"

// AsksForRunsKey returns the Security (in the API document) of the operations for runs. They
// require the key that the operator shares with dashboards and workers.
func (s *Server) AsksForRunsKey() []map[string][]string {
	s.API.OpenAPI().Components.SecuritySchemes[runsScheme] = &huma.SecurityScheme{
		Type: "apiKey", In: "header", Name: sdkapi.RunsKeyHeader, Description: "The key for runs. The operator sets it.",
	}
	return []map[string][]string{{runsScheme: {}}}
}

// checkRunsKey returns an error unless the request has App.RunsKey. If no key is set, it refuses
// all requests. Some console visits need no key: the operator's and, on a local gateway, that
// of a person who can read the data folder.
func (s *Server) checkRunsKey(ctx context.Context) error {
	const op = "gateway.runs"
	switch {
	case s.app.RunsKey == "":
		return fault.New(op, sdkapi.RunsUnavailable, "runs are disabled on this gateway; its operator can set WINDIE_RUNS_API_KEY")
	case RequestOf(ctx).Visit.Operates(), !s.app.Hosted && peer.IsVisit(RequestOf(ctx).Visit, identity.VisitPerson):
		return nil
	case !peer.SameToken(RequestOf(ctx).head.RunsKey, s.app.RunsKey):
		return fault.New(op, sdkapi.KeyRequired, "the API key for runs is missing or wrong; send the gateway's WINDIE_RUNS_API_KEY").
			At("header."+sdkapi.RunsKeyHeader, "expected the operator's WINDIE_RUNS_API_KEY")
	}
	return nil
}
