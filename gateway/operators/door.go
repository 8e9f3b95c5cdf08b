// Package operators serves the routes by which operators manage a gateway: its settings, MCP
// servers, users with their tokens and budgets, and stored data.
package operators

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/ledger"
	"github.com/windieos/windie/state/retention"
)

// door holds what the handlers of this package need.
type door struct {
	core          *gateway.Server
	hosted        bool
	identity      *identity.Identity
	ledger        *ledger.Ledger
	mcpServers    *mcptools.Servers
	operatorToken string
	retention     *retention.Store
	settings      []sdkapi.Setting
}

// Parts returns the gateway's parts for operators. If app lacks the services that a part needs,
// Parts omits the part.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, hosted: app.Hosted, identity: app.Identity, ledger: app.Ledger, mcpServers: app.MCPServers, operatorToken: app.OperatorToken, retention: app.Retention, settings: app.Settings}
	parts := []gateway.Part{gateway.PartOf("", func() {
		core.App.Use(sdkapi.OperatorPath, gateway.Recognize)
		d.addHistory()
	})}
	for _, p := range []struct {
		there bool
		id    string
		add   func()
	}{
		{app.Settings != nil, "operator-settings", d.addSettings},
		{app.MCPServers != nil, "operator-mcp-servers", d.addServers},
		{app.Identity != nil && app.Ledger != nil && app.Retention != nil, "operator-users", d.addUsers},
		{app.Retention != nil, "operator-kept", d.addKept},
	} {
		if p.there {
			parts = append(parts, gateway.PartOf(p.id, p.add))
		}
	}
	return parts
}

// operation describes a route for the API document.
func operation(id, method, path, summary, description string, errs ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{"operator"}, Security: gateway.AsksForOperator,
		Summary: summary, Description: description, Errors: append([]int{401, 403}, errs...),
	}
}

// checkPerson returns an error if the caller may not act as the operator. If no operator token is
// set, a request from this machine is not enough, since an agent may run on it too: the caller also
// needs the approval key, which only a person can read.
func (s *door) checkPerson(ctx context.Context) error {
	if s.operatorToken != "" {
		return nil
	}
	return s.core.CheckKey(ctx)
}

// register adds a JSON route for operators.
func register[In, Out any](s *door, doc huma.Operation, handle func(context.Context, *In) (*Out, error)) {
	gateway.RegisterJSON(s.core, doc, func(ctx context.Context, in *In) (*Out, error) {
		if err := s.checkPerson(ctx); err != nil {
			return nil, err
		}
		return handle(ctx, in)
	})
}

// addHistory registers the route of the history.
func (s *door) addHistory() {
	register(s, operation("operator-history", http.MethodGet, sdkapi.OperatorHistoryPath, "Get the history of the last day",
		"Returns requests, tool calls, screens and models in periods of five minutes. The history is only in memory, so it begins "+
			"when the gateway starts."), func(context.Context, *struct{}) (*sdkapi.History, error) {
		return new(s.core.History.Get(time.Now())), nil
	})
}

// addSettings registers the route of the settings.
func (s *door) addSettings() {
	register(s, operation("operator-settings", http.MethodGet, sdkapi.OperatorSettingsPath, "List settings",
		"Returns each setting with its source, without secrets and passwords in URLs."), func(context.Context, *struct{}) (*sdkapi.SettingList, error) {
		return &sdkapi.SettingList{Settings: s.settings}, nil
	})
}
