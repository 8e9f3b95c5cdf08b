package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// overMCP reports whether MCP clients can call a tool. Their callers are models.
func overMCP(d agent.Descriptor) bool {
	return d.Risk != agent.Forbidden && (!d.APIOnly || d.Name == gateway.UploadTool) && !d.Starting
}

// sameTool reports whether two versions of a tool look the same to clients.
func sameTool(a, b agent.Descriptor) bool {
	return a.Description == b.Description && a.Risk == b.Risk && bytes.Equal(a.Input, b.Input) && bytes.Equal(a.Output, b.Output)
}

// metaName is the metadata key of a tool's name in the registry, for example ocr.read.
const metaName = "windie/name"

// add adds a tool to the SDK. The SDK panics on some plugin schemas that the registry accepts, for
// example one that names an invalid header for an argument. add returns that panic as an error.
func (m *server) add(d agent.Descriptor) (err error) {
	defer func() {
		if p := recover(); p != nil {
			m.sdk.RemoveTools(agent.ModelName(d.Name))
			err = fmt.Errorf("%v", p)
		}
	}()
	_, images := withTexts(d)
	m.images.Store(d.Name, images)
	tool := &mcp.Tool{
		Name: agent.ModelName(d.Name), Title: titleOf(d), Description: agent.ForModels(d.Description, m.tools.View().Knows), Meta: mcp.Meta{metaName: d.Name},
		InputSchema: m.shownSchema(d), Annotations: hintsOf(d),
	}
	switch {
	case isDrawer(d):
	case hasLean(d):
		tool.OutputSchema = leanSchema
	case isObjectSchema(d.Output):
		tool.OutputSchema = plainSchema(d, d.Output)
	}
	m.sdk.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return m.callTool(ctx, d.Name, req.Params.Arguments, req)
	})
	return nil
}

// shownSchema returns the input schema of a tool that clients get.
func (m *server) shownSchema(d agent.Descriptor) json.RawMessage {
	schema, _ := withTexts(d)
	return json.RawMessage(agent.ForModels(string(withType(plainSchema(d, schema))), m.tools.View().Knows))
}

// titleOf returns a tool's title for people, for example "OCR: resolve text".
func titleOf(d agent.Descriptor) string {
	group, verb, _ := strings.Cut(d.Name, ".")
	if strings.EqualFold(group, d.Tag) {
		group = d.Tag
	} else if group != "" {
		group = strings.ToUpper(group[:1]) + group[1:]
	}
	return strings.TrimSuffix(group+": "+strings.NewReplacer("_", " ", ".", " ").Replace(verb), ": ")
}

// hintsOf returns the hints by which clients describe a tool. By default the protocol assumes that
// a tool reaches the outside world. Built-in tools deny this, except those for the web and for the
// computer.
func hintsOf(d agent.Descriptor) *mcp.ToolAnnotations {
	risky, closed := d.Risk == agent.Risky, false
	hints := &mcp.ToolAnnotations{ReadOnlyHint: !risky && d.Name != gateway.UploadTool, DestructiveHint: &risky}
	hints.IdempotentHint = hints.ReadOnlyHint
	if d.Origin.Kind == agent.Builtin && !slices.Contains([]string{"Web", "computer"}, d.Tag) {
		hints.OpenWorldHint = &closed
	}
	return hints
}

// withType returns an input schema with the type "object" and with properties. Arguments are always
// an object, and some clients reject a schema without these fields.
func withType(schema json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(schema, &fields) != nil || fields == nil || isObjectSchema(schema) && fields["properties"] != nil {
		return schema
	}
	fields["type"] = json.RawMessage(`"object"`)
	if fields["properties"] == nil {
		fields["properties"] = json.RawMessage(`{}`)
	}
	typed, err := json.Marshal(fields)
	if err != nil {
		return schema // unreachable: it was decoded from JSON
	}
	return typed
}

// isObjectSchema reports whether a schema has the type "object". Older clients reject the whole
// list of tools if an output schema has another type.
func isObjectSchema(schema json.RawMessage) bool {
	var root struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &root) == nil && root.Type == "object"
}

// callTool calls a tool with arguments for the sender of req, if the rules or the user allow it. Failures
// are results, never errors.
func (m *server) callTool(ctx context.Context, name string, arguments json.RawMessage, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	within, user, end := work(ctx, req)
	defer end()
	d, ok := m.tools.Named(name)
	if !ok || !m.offers(d) {
		return m.failed(within, fault.New("gateway.mcp", sdkapi.ToolNotFound, "the tool %q was removed; list the tools again", name)), nil
	}
	if err := gateway.MissingScopes(gateway.RequestOf(within).Access, scopesOf(d)...); err != nil {
		return m.failed(within, err), nil
	}
	quota := gateway.RequestOf(within).Quota
	// A stream refused later would cut off a call that may already have run.
	if req.Params.GetProgressToken() != nil {
		if err := quota.Hold(); err != nil {
			return m.failed(within, err), nil
		}
	}
	if err := quota.TakeCall(); err != nil {
		return m.failed(within, err), nil
	}
	_, caller := httpOf(ctx, req)
	caller.files.learn(req)
	arguments, detail := withoutDetail(d, arguments)
	// req stays unchanged: the SDK repeats the call with it.
	arguments, err := m.named(within, d, arguments, caller.files)
	switch {
	case errors.Is(err, errNoRoots):
		return askForRoots(), nil
	case err != nil:
		return m.failed(within, err), nil
	}
	if instead, err := m.connect(within, user, d, req); err != nil {
		return m.failed(within, err), nil
	} else if instead != nil {
		return instead, nil
	}
	by, instead, err := m.approve(within, user, d, arguments, req)
	switch {
	case err != nil:
		return m.failed(within, err), nil
	case instead != nil && req.Params.InputResponses[connectInputID] != nil: // older clients answer one question a call
		return m.failed(within, fault.New("gateway.mcp", sdkapi.ConnectionRequired, "the user has signed in; repeat the call, which also needs the user's approval")), nil
	case instead != nil:
		return instead, nil
	}
	within, told := m.tellProgress(within, ctx, req)
	defer told()
	return m.made(within, d, agent.Call{User: user, Arguments: arguments, Consent: by}, detail), nil
}

// made runs an allowed call. With detail, the result of a picture tool is the whole answer. A failure is
// also a result.
func (m *server) made(ctx context.Context, d agent.Descriptor, call agent.Call, detail bool) *mcp.CallToolResult {
	call.ID, call.Via = gateway.RequestOf(ctx).ID, agent.ViaMCP
	res, err := m.core.Call(ctx, d.Name, call)
	if err != nil {
		return m.failed(ctx, err)
	}
	out := toResult(res)
	if !detail {
		shorten(d, out, res.Structured)
	}
	if d.Origin.Kind == agent.Builtin && d.Name != gateway.UploadTool {
		out.Content = append(out.Content, m.picture(ctx, res.Structured)...)
	}
	return out
}

// metaError is the metadata key of a failed call's error, as the HTTP API returns it. Clients do not show
// metadata to their models.
const metaError = "windie/error"

// failed returns the result of a call that failed or was not run. Its text is for a model: the code and
// the message, then the candidates or the invalid fields, one a line. It has no JSON, which some clients
// read as structured output.
func (m *server) failed(ctx context.Context, err error) *mcp.CallToolResult {
	failure := m.core.Failure(ctx, err).ErrorResponse.Error
	message := failure.Message
	if failure.Details.ResolverPayload != nil {
		message = fault.From(agent.WithCandidates(err)).Message
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", failure.Code, message)
	for _, f := range failure.Details.Fields {
		fmt.Fprintf(&b, "\n%s: %s", f.Path, f.Message)
	}
	if failure.Details.RetryAfter > 0 {
		fmt.Fprintf(&b, "\nretry after %d seconds", failure.Details.RetryAfter)
	}
	if failure.Details.RequestID != "" {
		fmt.Fprintf(&b, "\nrequest %s", failure.Details.RequestID)
	}
	said := agent.ForModels(strings.Replace(b.String(), "; details.fields lists the problems", ":", 1), m.tools.View().Knows)
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: said}}, Meta: mcp.Meta{metaError: failure}}
}

// toResult converts a tool's result to an MCP result. Structured output is also included as text if
// there is no other content, for clients that do not read structured output.
func toResult(res agent.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{Meta: metaOf(res.Meta), IsError: res.IsError, Content: []mcp.Content{}}
	for _, p := range res.Content {
		if whole := wholeOf(p); whole != nil {
			out.Content = append(out.Content, whole)
			continue
		}
		switch p.Kind {
		case agent.TextPart:
			out.Content = append(out.Content, &mcp.TextContent{Text: p.Text})
		case agent.ImagePart:
			out.Content = append(out.Content, &mcp.ImageContent{MIMEType: p.MediaType, Data: p.Data})
		case agent.JSONPart:
			out.Content = append(out.Content, &mcp.TextContent{Text: string(p.JSON)})
		}
	}
	if len(res.Structured) == 0 {
		return out
	}
	if len(out.Content) == 0 {
		out.Content = append(out.Content, &mcp.TextContent{Text: string(res.Structured)})
	}
	// Older clients accept only objects.
	if first := bytes.TrimSpace(res.Structured); len(first) > 0 && first[0] == '{' {
		out.StructuredContent = res.Structured
	}
	return out
}

// metaOf returns a tool's metadata without the keys that are reserved for the protocol and for the
// gateway.
func metaOf(raw json.RawMessage) (meta mcp.Meta) {
	if len(raw) == 0 || json.Unmarshal(raw, &meta) != nil {
		return nil
	}
	maps.DeleteFunc(meta, func(key string, _ any) bool {
		return strings.HasPrefix(key, "io.modelcontextprotocol/") || strings.HasPrefix(key, "windie/")
	})
	return meta
}

// wholeOf returns a part as its MCP server sent it, with annotations. It returns nil if the part
// has no MCP form, or one that the protocol does not define.
func wholeOf(p agent.Part) mcp.Content {
	if len(p.MCP) == 0 {
		return nil
	}
	var res mcp.CallToolResult
	raw := slices.Concat([]byte(`{"content":[`), p.MCP, []byte(`]}`))
	if json.Unmarshal(raw, &res) != nil || len(res.Content) != 1 {
		return nil
	}
	return res.Content[0]
}
