package sdk

import (
	"context"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// Agent holds the routes that show what a model is asked. They change nothing, and
// no model is asked. Its methods may be called from several goroutines at once.
type Agent struct{ client *Client }

// As says by whose settings something is shown. An empty field means the user's setting,
// or else the gateway's. A hosted gateway knows the user by the token, and refuses others.
type As struct {
	UserID          string
	ModelID         string
	ModelProvider   string
	InteractionMode string // chat, or agent
}

func (a As) query() string {
	return withQuery("", map[string]string{"user_id": a.UserID, "model_id": a.ModelID, "model_provider": a.ModelProvider, "interaction_mode": a.InteractionMode})
}

// Models returns the models that can be chosen, and the one in effect.
func (a *Agent) Models(ctx context.Context, as As) (*sdkapi.ModelCatalogue, error) {
	return get[sdkapi.ModelCatalogue](ctx, a.client, sdkapi.ModelsPath+as.query())
}

// ToolSchemas returns the tools that there are, and those that a model is offered.
func (a *Agent) ToolSchemas(ctx context.Context, as As) (*sdkapi.ToolSchemaLists, error) {
	return get[sdkapi.ToolSchemaLists](ctx, a.client, sdkapi.ToolSchemasPath+as.query())
}

// ToolCapabilities returns what one tool is. It fails with ToolNotFound when
// there is none of that name.
func (a *Agent) ToolCapabilities(ctx context.Context, tool string, as As) (*sdkapi.ToolCapabilities, error) {
	return get[sdkapi.ToolCapabilities](ctx, a.client, sdkapi.ToolCapabilitiesPath+"/"+url.PathEscape(tool)+as.query())
}

// SystemPrompt returns the first text that a model gets.
func (a *Agent) SystemPrompt(ctx context.Context, as As) (*sdkapi.SystemPrompt, error) {
	return get[sdkapi.SystemPrompt](ctx, a.client, sdkapi.SystemPromptPath+as.query())
}

// PromptPreview returns what a model would be asked if a query was sent.
func (a *Agent) PromptPreview(ctx context.Context, query sdkapi.PromptRequest) (*sdkapi.PromptPreview, error) {
	return post[sdkapi.PromptPreview](safe(ctx), a.client, sdkapi.PromptPreviewPath, query)
}

// QueryPlan returns the same, with what to send for it to happen.
func (a *Agent) QueryPlan(ctx context.Context, query sdkapi.PromptRequest) (*sdkapi.QueryPlan, error) {
	return post[sdkapi.QueryPlan](safe(ctx), a.client, sdkapi.QueryPlanPath, query)
}
