// Package operators is the protocol by which operators look after a gateway: its settings, its MCP
// servers, its users with their tokens and budgets, and what it keeps.
package operators

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// door is the protocol at a gateway.
type door struct{ *gateway.Server }

func open(s *gateway.Server) *door { return &door{s} }

// Parts returns the parts for which cfg has what they need.
func Parts(cfg gateway.Config) []gateway.Part {
	parts := []gateway.Part{gateway.PartOf("", open, func(s *door) { s.App.Use(sdkapi.OperatorPath, gateway.Recognize) })}
	for _, p := range []struct {
		there bool
		id    string
		add   func(*door)
	}{
		{cfg.Settings != nil, "operator-settings", (*door).addSettings},
		{cfg.MCPServers != nil, "operator-mcp-servers", (*door).addServers},
		{cfg.Identity != nil && cfg.Ledger != nil && cfg.Retention != nil, "operator-users", (*door).addUsers},
		{cfg.Retention != nil, "operator-kept", (*door).addKept},
	} {
		if p.there {
			parts = append(parts, gateway.PartOf(p.id, open, p.add))
		}
	}
	return parts
}

// operation describes a route.
func operation(id, method, path, summary, description string, errs ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{"operator"}, Security: gateway.AsksForOperator,
		Summary: summary, Description: description, Errors: append([]int{401, 403}, errs...),
	}
}

// checkPerson lets operators through. Where no operator's token is set, being on this machine is not
// enough: an agent may be there too, so a person is asked for.
func (s *door) checkPerson(ctx context.Context) error {
	if s.Config.OperatorToken != "" {
		return nil
	}
	return s.CheckKey(ctx)
}

// register adds a route for operators that answers with JSON.
func register[In, Out any](s *door, doc huma.Operation, handle func(context.Context, *In) (*Out, error)) {
	gateway.RegisterJSON(s.Server, doc, func(ctx context.Context, in *In) (*Out, error) {
		if err := s.checkPerson(ctx); err != nil {
			return nil, err
		}
		return handle(ctx, in)
	})
}

func (s *door) addSettings() {
	register(s, operation("operator-settings", http.MethodGet, sdkapi.OperatorSettingsPath, "List the settings in force",
		"Each with where it comes from. Secrets, and passwords within URLs, are not shown."), func(context.Context, *struct{}) (*sdkapi.SettingList, error) {
		return &sdkapi.SettingList{Settings: s.Config.Settings}, nil
	})
}
