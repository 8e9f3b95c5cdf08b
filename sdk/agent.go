package sdk

import (
	"context"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// Agent holds the routes that show what the gateway would send to a model. They change nothing and
// call no model. Its methods are safe for concurrent use.
type Agent struct{ client *Client }

// As selects the settings that a route of Agent uses. If a field is empty, the user's own setting
// applies, or else the gateway's default. A hosted gateway takes the user from the token. It
// refuses a request that names a different user.
type As struct {
	UserID          string
	ModelID         string
	ModelProvider   string
	InteractionMode string // "chat" or "agent"
}

// query returns the fields as a query string that begins with "?", or "" if all fields are empty.
func (a As) query() string {
	return withQuery("", map[string]string{"user_id": a.UserID, "model_id": a.ModelID, "model_provider": a.ModelProvider, "interaction_mode": a.InteractionMode})
}

// Models returns the models that the user can choose, and the model in effect.
func (a *Agent) Models(ctx context.Context, as As) (*sdkapi.ModelCatalogue, error) {
	return get[sdkapi.ModelCatalogue](ctx, a.client, sdkapi.ModelsPath+as.query())
}

// ToolSchemas returns the schemas of all tools, and of the tools that the gateway offers to a
// model.
func (a *Agent) ToolSchemas(ctx context.Context, as As) (*sdkapi.ToolSchemaLists, error) {
	return get[sdkapi.ToolSchemaLists](ctx, a.client, sdkapi.ToolSchemasPath+as.query())
}

// ToolCapabilities returns the properties of one tool. An unknown name fails with ToolNotFound.
func (a *Agent) ToolCapabilities(ctx context.Context, tool string, as As) (*sdkapi.ToolCapabilities, error) {
	return get[sdkapi.ToolCapabilities](ctx, a.client, sdkapi.ToolCapabilitiesPath+"/"+url.PathEscape(tool)+as.query())
}

// SystemPrompt returns the system prompt: the text that a model gets before any message.
func (a *Agent) SystemPrompt(ctx context.Context, as As) (*sdkapi.SystemPrompt, error) {
	return get[sdkapi.SystemPrompt](ctx, a.client, sdkapi.SystemPromptPath+as.query())
}

// PromptPreview returns the messages that a model would get for query. It sends nothing.
func (a *Agent) PromptPreview(ctx context.Context, query sdkapi.PromptRequest) (*sdkapi.PromptPreview, error) {
	return post[sdkapi.PromptPreview](safe(ctx), a.client, sdkapi.PromptPreviewPath, query)
}

// QueryPlan returns the preview of PromptPreview together with the WebSocket messages that would
// send the query.
func (a *Agent) QueryPlan(ctx context.Context, query sdkapi.PromptRequest) (*sdkapi.QueryPlan, error) {
	return post[sdkapi.QueryPlan](safe(ctx), a.client, sdkapi.QueryPlanPath, query)
}
