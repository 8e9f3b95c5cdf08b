package desktop

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// These routes show the request that a model would get. session.Sessions.Preview builds it with
// the code that builds requests for turns.

const introspectTag = "introspection"

// addIntrospection adds the routes that preview requests to models.
func (s *door) addIntrospection() {
	get := func(id, path, summary, description string, errors ...int) huma.Operation {
		return huma.Operation{OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{introspectTag}, Summary: summary, Description: description, Errors: append(errors, 403, 422, 503)}
	}
	gateway.RegisterJSON(s.Core, get("list-models", sdkapi.ModelsPath, "List language models",
		"Returns the models that the user can choose, and the current one."), s.showModels)
	gateway.RegisterJSON(s.Core, get("tool-schemas", sdkapi.ToolSchemasPath, "Get the tools for models",
		"Returns all tools, and the tools for models. Policy, settings and chat mode can exclude a tool from models."), s.showToolSchemas)
	gateway.RegisterJSON(s.Core, get("tool-capabilities", sdkapi.ToolCapabilitiesPath+"/{tool_name}", "Get a tool's properties",
		"Returns where the tool runs, its risk, and whether models can call it.", 404), s.showToolCapabilities)
	gateway.RegisterJSON(s.Core, get("system-prompt", sdkapi.SystemPromptPath, "Get the system prompt",
		"Renders the operator's template."), s.showSystemPrompt)
	gateway.Post(s.Core, sdkapi.PromptPreviewPath, sdkapi.MaxWSMessage, huma.Operation{
		OperationID: "prompt-preview", Tags: []string{introspectTag}, Summary: "Preview a prompt",
		Description: "Returns the exact prompt of a query without sending it. Each turn puts new random marks around the query's untrusted text. Only " +
			"these marks differ from the prompt of a real turn. The gateway stores nothing and sends nothing to a model.",
		Errors: []int{400, 403, 404, 408, 409, 413, 415, 422, 503},
	}, s.previewPrompt)
	gateway.Post(s.Core, sdkapi.QueryPlanPath, sdkapi.MaxWSMessage, huma.Operation{
		OperationID: "query-plan", Tags: []string{introspectTag}, Summary: "Preview a query",
		Description: "Returns the prompt, as prompt-preview does. Also returns the message that a client would send at /ws for this query, and the " +
			"messages that the gateway would send before the model's answer.",
		Errors: []int{400, 403, 404, 408, 409, 413, 415, 422, 503},
	}, s.planQuery)
}

// Overrides holds the query parameters that replace a user's settings. It is exported because
// huma ignores unexported embedded types.
type Overrides struct {
	UserID          string `query:"user_id" maxLength:"128" doc:"The user whose settings apply. If the request has a token, this is the token's user."`
	ModelID         string `query:"model_id" maxLength:"256" doc:"Model to use instead of the user's model."`
	ModelProvider   string `query:"model_provider" maxLength:"256" doc:"Provider to use instead of the user's model provider."`
	InteractionMode string `query:"interaction_mode" enum:"chat,agent" doc:"Mode to use instead of the user's interaction mode."`
}

// introspected is the user and the settings of a preview.
type introspected struct {
	user     string
	config   sdkapi.ConfigSnapshot
	settings session.Settings // the settings that a query at /ws would give its session
}

// introspect returns the user and the settings of a preview. The user is the token's. Without a
// token, it is the user that the request names, if any.
func (s *door) introspect(ctx context.Context, o Overrides, definition *sdkapi.WSAgentDefinition) (introspected, error) {
	in := introspected{user: o.UserID}
	switch owner := gateway.OwnerOf(ctx); {
	case owner != "" && o.UserID != "" && o.UserID != owner:
		return in, fault.New("gateway.introspect", sdkapi.PermissionDenied, "the token belongs to a user other than user_id; send the token's own user_id, or leave user_id out").
			At("user_id", "expected the user_id from the registration of this token, or none")
	case owner != "":
		in.user = owner
	case o.UserID == "" && gateway.RequestOf(ctx).User != "":
		var err error
		if in.user, err = gateway.UserOf(ctx); err != nil {
			return in, err
		}
	}
	if definition != nil {
		if err := turns.CheckDefinition(definition); err != nil {
			return in, fault.New("gateway.introspect", sdkapi.ValidationError, "invalid agent_definition: %s", err).At("body.agent_definition", "%s", err)
		}
	}
	chosen, err := s.loadSettings(ctx, in.user)
	if err != nil {
		return in, err
	}
	chosen.SelectedModelID = cmp.Or(o.ModelID, chosen.SelectedModelID)
	chosen.InteractionMode = cmp.Or(o.InteractionMode, chosen.InteractionMode)
	mode, provider := s.whose(ctx, in.user, chosen.SelectedModelID)
	in.config = sdkapi.ConfigSnapshot{
		ModelMode: mode, SelectedModelID: chosen.SelectedModelID, InteractionMode: chosen.InteractionMode, ModelProvider: cmp.Or(o.ModelProvider, provider),
	}
	handshake, _ := s.DefinedSettings(definition)
	in.settings = wanted(handshake, chosen)
	return in, nil
}

// showModels returns the models and services that are available to the user of the request.
func (s *door) showModels(ctx context.Context, o *Overrides) (*sdkapi.ModelCatalogue, error) {
	in, err := s.introspect(ctx, *o, nil)
	if err != nil {
		return nil, err
	}
	return &sdkapi.ModelCatalogue{Config: in.config, Models: s.models.List(ctx, in.user), Services: s.services()}, nil
}

// canonical returns the schemas of all tools.
func (s *door) canonical(settings session.Settings) []sdkapi.FunctionSchema {
	list := session.Tools(s.Tools.View(), settings)
	out := make([]sdkapi.FunctionSchema, len(list))
	for i, t := range list {
		out[i] = functionSchema(t.Name, t.Description, t.Input)
	}
	return out
}

// offered returns the schemas of the tools in a prompt.
func offered(shown *session.Preview) []sdkapi.FunctionSchema {
	out := make([]sdkapi.FunctionSchema, len(shown.Request.Tools))
	for i, t := range shown.Request.Tools {
		out[i] = functionSchema(t.Name, t.Description, t.Schema)
	}
	return out
}

// functionSchema returns a tool in the wire form. A tool without a schema for its input takes an
// object without properties.
func functionSchema(name, description string, input json.RawMessage) sdkapi.FunctionSchema {
	if len(input) == 0 {
		input = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return sdkapi.FunctionSchema{Type: "function", Name: name, Description: description, Parameters: input}
}

// previewed returns the settings and the request that a model would get.
func (s *door) previewed(ctx context.Context, o Overrides) (introspected, *session.Preview, error) {
	in, err := s.introspect(ctx, o, nil)
	if err != nil {
		return in, nil, err
	}
	shown, err := s.Sessions.Preview(ctx, session.Draft{User: in.user, Settings: in.settings})
	return in, shown, err
}

// showToolSchemas returns all tools of the user, and those that a model would get.
func (s *door) showToolSchemas(ctx context.Context, o *Overrides) (*sdkapi.ToolSchemaLists, error) {
	in, shown, err := s.previewed(ctx, *o)
	if err != nil {
		return nil, err
	}
	return &sdkapi.ToolSchemaLists{
		Config: in.config, CanonicalToolSchemas: s.canonical(in.settings), ProviderToolSchemas: offered(shown), ToolTokens: shown.Tokens.Tools,
	}, nil
}

type toolCapabilitiesInput struct {
	Overrides

	ToolName string `path:"tool_name" maxLength:"128" doc:"The tool's id, or the name by which models call the tool." example:"ocr_find_text"`
}

// showToolCapabilities returns the properties of one tool. The error for an unknown tool is TOOL_NOT_FOUND.
func (s *door) showToolCapabilities(ctx context.Context, o *toolCapabilitiesInput) (*sdkapi.ToolCapabilities, error) {
	in, err := s.introspect(ctx, o.Overrides, nil)
	if err != nil {
		return nil, err
	}
	view := s.Tools.View()
	named := func(t session.Tool) bool {
		return t.Name == o.ToolName || t.Registered != "" && t.Registered == o.ToolName
	}
	all := session.Tools(view, in.settings)
	at := slices.IndexFunc(all, named)
	if at < 0 {
		return nil, fault.New("gateway.introspect", sdkapi.ToolNotFound, "unknown tool; %s lists all tools", sdkapi.ToolSchemasPath)
	}
	verdict, _, err := s.Sessions.Verdict(ctx, in.user, in.settings, all[at])
	if err != nil {
		return nil, err
	}
	tool, schema := all[at], functionSchema(all[at].Name, all[at].Description, all[at].Input)
	out := sdkapi.ToolCapabilities{ToolName: tool.Name, CanonicalToolSchema: &schema, Capability: sdkapi.ToolCapability{
		Name: tool.Name, ID: tool.Registered, Risk: string(tool.Risk), ExecutionTarget: "backend", Approval: string(verdict),
	}}
	if tool.Client {
		out.Capability.ExecutionTarget = "local_runtime"
	}
	if slices.ContainsFunc(session.Offered(view, in.settings), named) {
		out.Capability.Offered, out.ProviderToolSchema = true, &schema
	}
	return &out, nil
}

// showSystemPrompt returns the system prompt that a model would get, with its estimated tokens.
func (s *door) showSystemPrompt(ctx context.Context, o *Overrides) (*sdkapi.SystemPrompt, error) {
	in, shown, err := s.previewed(ctx, *o)
	if err != nil {
		return nil, err
	}
	return &sdkapi.SystemPrompt{Config: in.config, SystemPrompt: shown.Request.System, SystemTokens: shown.Tokens.System}, nil
}
