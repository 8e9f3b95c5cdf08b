// Package usage serves the route by which users see their spending on models.
package usage

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/ledger"
)

// Parts returns the part that reports usage, or no part if app.Ledger is nil.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Ledger == nil {
		return nil
	}
	d := &door{core: core, ledger: app.Ledger}
	return []gateway.Part{gateway.PartOf("usage", d.add)}
}

// door has the parts of the gateway that the handlers of this package use.
type door struct {
	core   *gateway.Server
	ledger *ledger.Ledger
}

// add adds the route of the part.
func (s *door) add() {
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "usage", Method: http.MethodGet, Path: sdkapi.UsagePath, Tags: []string{"gateway"},
		Summary: "Get today's model spend",
		Description: "Returns today's tokens and cost of model requests over all protocols, and the budgets. When a budget is used up, model requests fail with " +
			"`BUDGET_EXCEEDED` until `resets_at`.",
		Errors: []int{403, 422, 503},
	}, s.usage)
}

// usage returns the caller's own spending and budget. In local mode the caller is the user that the
// request names.
func (s *door) usage(ctx context.Context, _ *struct{}) (*sdkapi.Usage, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	u, err := s.ledger.Usage(ctx, user)
	if err != nil {
		return nil, err
	}
	return new(u.Wire(user)), nil
}
