package sdk

import (
	"context"
	"net/http"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// Operator holds the routes by which operators look after a gateway. They ask for the operator's token, which WithToken
// brings, and on a local gateway without one for the key, see WithKey. Its methods may be called from several goroutines
// at once.
type Operator struct{ client *Client }

// Settings lists the settings in force, without secrets.
func (o *Operator) Settings(ctx context.Context) (*sdkapi.SettingList, error) {
	return get[sdkapi.SettingList](ctx, o.client, sdkapi.OperatorSettingsPath)
}

// MCPServers lists the MCP servers whose tools the gateway uses.
func (o *Operator) MCPServers(ctx context.Context) (*sdkapi.MCPServerList, error) {
	return get[sdkapi.MCPServerList](ctx, o.client, sdkapi.OperatorMCPServersPath)
}

// AcceptMCPServer lets the tools of an MCP server be used that are not what they were, and returns their names. The changes are
// those of the server as MCPServers listed it; if they are others by now, it fails with DECISION_CONFLICT and accepts nothing.
func (o *Operator) AcceptMCPServer(ctx context.Context, name, changes string) ([]string, error) {
	out, err := post[sdkapi.AcceptedTools](safe(ctx), o.client, sdkapi.OperatorMCPServersPath+"/"+url.PathEscape(name)+"/accept", sdkapi.AcceptTools{Changes: changes})
	if err != nil {
		return nil, err
	}
	return out.Accepted, nil
}

// Users lists users with what they spent today, those behind a cursor. A limit of 0 is the gateway's choice.
func (o *Operator) Users(ctx context.Context, after string, limit int) (*sdkapi.OperatorUserList, error) {
	return get[sdkapi.OperatorUserList](ctx, o.client, withQuery(sdkapi.OperatorUsersPath, map[string]string{"after": after, "limit": limitOf(limit)}))
}

// CreateUser makes a user without installs.
func (o *Operator) CreateUser(ctx context.Context) (*sdkapi.OperatorUser, error) {
	return read[sdkapi.OperatorUser](o.client.call(ctx, http.MethodPost, sdkapi.OperatorUsersPath, nil, nil)) //nolint:bodyclose // read closes it
}

// User returns what a user has: installs, what was spent today, and how much is kept.
func (o *Operator) User(ctx context.Context, user string) (*sdkapi.OperatorUserDetails, error) {
	return get[sdkapi.OperatorUserDetails](ctx, o.client, userPath(user, ""))
}

// SetBudget gives a user a budget of their own, or that of the settings again.
func (o *Operator) SetBudget(ctx context.Context, user string, budget sdkapi.OperatorBudget) (*sdkapi.OperatorUser, error) {
	return put[sdkapi.OperatorUser](safe(ctx), o.client, userPath(user, "/budget"), budget)
}

// CreateToken makes a token for a user. It is not sent again after a failure: the answer has the token, once.
func (o *Operator) CreateToken(ctx context.Context, user, operatingSystem string) (*sdkapi.OperatorToken, error) {
	return post[sdkapi.OperatorToken](ctx, o.client, userPath(user, "/tokens"), sdkapi.OperatorTokenRequest{OperatingSystem: operatingSystem})
}

// RevokeInstall lets an install in no more.
func (o *Operator) RevokeInstall(ctx context.Context, install string) error {
	resp, err := o.client.call(deleting(ctx), http.MethodDelete, sdkapi.OperatorInstallsPath+"/"+url.PathEscape(install), nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// History lists the figures of the last day, in periods of five minutes.
func (o *Operator) History(ctx context.Context) (*sdkapi.History, error) {
	return get[sdkapi.History](ctx, o.client, sdkapi.OperatorHistoryPath)
}

// Kept lists what the gateway keeps, and for how long.
func (o *Operator) Kept(ctx context.Context) (*sdkapi.KeptList, error) {
	return get[sdkapi.KeptList](ctx, o.client, sdkapi.OperatorKeptPath)
}

// Prune removes what is older than an age, or only counts it.
func (o *Operator) Prune(ctx context.Context, request sdkapi.PruneRequest) (*sdkapi.Pruned, error) {
	return post[sdkapi.Pruned](safe(ctx), o.client, sdkapi.OperatorPrunePath, request)
}

func userPath(user, below string) string {
	return sdkapi.OperatorUserPath(url.PathEscape(user)) + below
}
