package gateway

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// runsScheme names, in the API document, what routes ask for that call checkRunsKey.
const runsScheme = "runs"

// AsksForRunsKey returns what routes of runs ask for: the key that the operator shares with dashboards and workers.
func (s *Server) AsksForRunsKey() []map[string][]string {
	s.API.OpenAPI().Components.SecuritySchemes[runsScheme] = &huma.SecurityScheme{
		Type: "apiKey", In: "header", Name: sdkapi.RunsKeyHeader, Description: "The key of runs, which the operator sets.",
	}
	return []map[string][]string{{runsScheme: {}}}
}

// checkRunsKey refuses a request about runs that does not bring the key, and all where none is set. A visit to the
// console counts as the key where its person may read the key: the operator's, and on a local gateway also that of
// somebody who reads the data folder.
func (s *Server) checkRunsKey(ctx context.Context) error {
	const op = "gateway.runs"
	switch {
	case s.app.RunsKey == "":
		return fault.New(op, sdkapi.RunsUnavailable, "runs have no key here; whoever runs the gateway sets WINDIE_RUNS_API_KEY")
	case RequestOf(ctx).Visit.Operates(), !s.app.Hosted && peer.IsVisit(RequestOf(ctx).Visit, identity.VisitPerson):
		return nil
	case !peer.SameToken(RequestOf(ctx).head.RunsKey, s.app.RunsKey):
		return fault.New(op, sdkapi.KeyRequired, "the request does not bring the key of runs").
			At("header."+sdkapi.RunsKeyHeader, "expected the key that the operator set as WINDIE_RUNS_API_KEY")
	}
	return nil
}
