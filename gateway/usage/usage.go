// Package usage is the protocol by which users see what they have spent on models.
package usage

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/services"
	"github.com/windieos/windie/sdkapi"
)

// Parts returns the part of a gateway that keeps a ledger; nothing of another.
func Parts(cfg gateway.Config) []gateway.Part {
	if cfg.Ledger == nil {
		return nil
	}
	return []gateway.Part{gateway.PartOf("usage", func(s *gateway.Server) *door { return &door{s} }, (*door).add)}
}

// door is the protocol at a gateway.
type door struct{ *gateway.Server }

func (s *door) add() {
	gateway.RegisterJSON(s.Server, huma.Operation{
		OperationID: "usage", Method: http.MethodGet, Path: sdkapi.UsagePath, Tags: []string{"gateway"},
		Summary: "Tell what was spent on models today",
		Description: "The tokens and the money that requests to models have taken today, whichever protocol they came by, and the budgets that hold. " +
			"Beyond a budget requests to models are refused with `BUDGET_EXCEEDED` until `resets_at`.",
		Errors: []int{403, 422, 503},
	}, s.usage)
}

func (s *door) usage(ctx context.Context, _ *struct{}) (*sdkapi.Usage, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	u, err := s.Config.Ledger.Usage(ctx, user)
	if err != nil {
		return nil, err
	}
	return new(services.Usage(user, u)), nil
}
