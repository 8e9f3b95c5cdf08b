package sdk

import (
	"context"
	"net/http"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// Operator holds the routes that administer a gateway. They need the operator's token; see
// WithToken. On a local gateway without an operator's token, they need WithKey instead. The methods
// of Operator are safe for concurrent use.
type Operator struct{ client *Client }

// Settings lists the settings in force, without secrets.
func (o *Operator) Settings(ctx context.Context) (*sdkapi.SettingList, error) {
	return get[sdkapi.SettingList](ctx, o.client, sdkapi.OperatorSettingsPath)
}

// MCPServers lists the MCP servers whose tools the gateway uses.
func (o *Operator) MCPServers(ctx context.Context) (*sdkapi.MCPServerList, error) {
	return get[sdkapi.MCPServerList](ctx, o.client, sdkapi.OperatorMCPServersPath)
}

// AcceptMCPServer accepts the changed tools of an MCP server and returns their names. The gateway
// does not call changed tools before you accept them. The parameter changes is the hash that
// MCPServers returned for the changes. If the server has changed again since, the call fails with
// DecisionConflict and accepts nothing.
func (o *Operator) AcceptMCPServer(ctx context.Context, name, changes string) ([]string, error) {
	out, err := post[sdkapi.AcceptedTools](safe(ctx), o.client, sdkapi.OperatorMCPServersPath+"/"+url.PathEscape(name)+"/accept", sdkapi.AcceptTools{Changes: changes})
	if err != nil {
		return nil, err
	}
	return out.Accepted, nil
}

// Users returns one page of users with their spending today. The parameter after is the Next of the
// previous page. It is empty for the first page. If limit is 0, the gateway chooses the number of
// users.
func (o *Operator) Users(ctx context.Context, after string, limit int) (*sdkapi.OperatorUserList, error) {
	return get[sdkapi.OperatorUserList](ctx, o.client, withQuery(sdkapi.OperatorUsersPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// CreateUser creates a user without installs.
func (o *Operator) CreateUser(ctx context.Context) (*sdkapi.OperatorUser, error) {
	return read[sdkapi.OperatorUser](o.client.call(ctx, http.MethodPost, sdkapi.OperatorUsersPath, nil, nil)) //nolint:bodyclose // read closes it
}

// User returns the installs of a user, the user's spending today, and the amount of data that the
// gateway stores for the user.
func (o *Operator) User(ctx context.Context, user string) (*sdkapi.OperatorUserDetails, error) {
	return get[sdkapi.OperatorUserDetails](ctx, o.client, userPath(user, ""))
}

// SetBudget sets a user's own budget. If budget.Default is true, it restores the budget of the
// gateway's settings.
func (o *Operator) SetBudget(ctx context.Context, user string, budget sdkapi.OperatorBudget) (*sdkapi.OperatorUser, error) {
	return put[sdkapi.OperatorUser](safe(ctx), o.client, userPath(user, "/budget"), budget)
}

// CreateToken creates a token for a user. The request is never retried, because only its response
// contains the token.
func (o *Operator) CreateToken(ctx context.Context, user, operatingSystem string) (*sdkapi.OperatorToken, error) {
	return post[sdkapi.OperatorToken](ctx, o.client, userPath(user, "/tokens"), sdkapi.OperatorTokenRequest{OperatingSystem: operatingSystem})
}

// RevokeInstall revokes the token of an install.
func (o *Operator) RevokeInstall(ctx context.Context, install string) error {
	resp, err := o.client.call(deleting(ctx), http.MethodDelete, sdkapi.OperatorInstallsPath+"/"+url.PathEscape(install), nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// History returns the gateway's metrics over the last day, in periods of five minutes.
func (o *Operator) History(ctx context.Context) (*sdkapi.History, error) {
	return get[sdkapi.History](ctx, o.client, sdkapi.OperatorHistoryPath)
}

// Kept lists the kinds of stored data and their retention.
func (o *Operator) Kept(ctx context.Context) (*sdkapi.KeptList, error) {
	return get[sdkapi.KeptList](ctx, o.client, sdkapi.OperatorKeptPath)
}

// Prune deletes the data that is older than the age that request sets for its type. If
// request.DryRun is true, Prune only counts the data.
func (o *Operator) Prune(ctx context.Context, request sdkapi.PruneRequest) (*sdkapi.Pruned, error) {
	return post[sdkapi.Pruned](safe(ctx), o.client, sdkapi.OperatorPrunePath, request)
}

// userPath returns the path of a user, with the id escaped, followed by below, for example
// "/tokens".
func userPath(user, below string) string {
	return sdkapi.OperatorUserPath(url.PathEscape(user)) + below
}
