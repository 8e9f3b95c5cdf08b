package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// The tools by which a client uses more tools than a list may have. Tools of the registry cannot have
// these names.
const (
	searchTool = "tool_search"
	callTool   = "tool_call"
)

// The limits of a search.
const (
	maxFound      = 10       // tools
	maxQuery      = 500      // bytes of the query
	maxAboutFound = 1000     // bytes of a tool's description
	maxFoundBytes = 32 << 10 // bytes of the answer; tools after it are named without their schemas
)

// addSearch adds the two tools.
func (m *server) addSearch() {
	safe, risky := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)}, &mcp.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: new(true)}
	m.sdk.AddTool(&mcp.Tool{
		Name: searchTool, Title: "Tools: search", Annotations: safe,
		Description: fmt.Sprintf("Find further tools by words of their names and descriptions. Returns at most %d tools with their input schemas. Call a found tool with %s.", maxFound, callTool),
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"query":{"type":"string","maxLength":%d}},"required":["query"],"additionalProperties":false}`, maxQuery)),
	}, m.searchTools)
	m.sdk.AddTool(&mcp.Tool{
		Name: callTool, Title: "Tools: call", Annotations: risky,
		Description: "Call a tool that " + searchTool + " found, by its name, with arguments that fit its schema.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object","properties":{},"additionalProperties":true}},"required":["name"],"additionalProperties":false}`),
	}, m.callFound)
}

// isSearch reports whether a name belongs to the two tools.
func isSearch(name string) bool { return name == searchTool || name == callTool }

// searchTools lists the tools that match a query best.
func (m *server) searchTools(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	within, _, end := work(ctx, req)
	defer end()
	if err := gateway.RequestOf(within).Quota.TakeCall(); err != nil {
		return m.failed(within, err), nil
	}
	var in struct{ Query string }
	if !reads(orEmpty(req.Params.Arguments), &in) || strings.TrimSpace(in.Query) == "" || len(in.Query) > maxQuery {
		return m.failed(within, fault.New("gateway.mcp", sdkapi.ValidationError, "the query is invalid").At("arguments.query", "expected words, at most %d bytes", maxQuery)), nil
	}
	access := gateway.RequestOf(within).Access
	tools, _ := m.tools.View(m.offers, func(d agent.Descriptor) bool { return may(access, d) }).List()
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: m.printed(best(tools, in.Query))}}}, nil
}

// best returns the tools that have the most words of a query, at most maxFound. A word in the name counts
// more than one in the description.
func best(tools []agent.Descriptor, query string) []agent.Descriptor {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return strings.ContainsRune(" \t\r\n,.;:_-/", r) })
	scores := make(map[string]int, len(tools))
	for _, d := range tools {
		name, description := strings.ToLower(d.Name), strings.ToLower(d.Description)
		for _, word := range words {
			if strings.Contains(name, word) {
				scores[d.Name] += 3
			}
			if strings.Contains(description, word) {
				scores[d.Name]++
			}
		}
	}
	found := slices.DeleteFunc(slices.Clone(tools), func(d agent.Descriptor) bool { return scores[d.Name] == 0 })
	slices.SortStableFunc(found, func(a, b agent.Descriptor) int { return cmp.Compare(scores[b.Name], scores[a.Name]) })
	return found[:min(len(found), maxFound)]
}

// printed returns tools for a model: for each its name, its description and its input schema.
func (m *server) printed(tools []agent.Descriptor) string {
	if len(tools) == 0 {
		return "no tool matches; use other words"
	}
	var b strings.Builder
	known := m.tools.View().Knows
	for _, d := range tools {
		fmt.Fprintf(&b, "%s: %s\n", agent.ModelName(d.Name), plain.OneLine(agent.ForModels(d.Description, known), maxAboutFound))
		if schema := m.shownSchema(d); b.Len()+len(schema) <= maxFoundBytes {
			fmt.Fprintf(&b, "schema: %s\n", schema)
		} else {
			fmt.Fprintf(&b, "schema: search for this tool alone; the schema has %d bytes\n", len(schema))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// callFound calls another tool. The scopes, rules and approvals of that tool apply.
func (m *server) callFound(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		Name      string
		Arguments json.RawMessage
	}
	if reads(orEmpty(req.Params.Arguments), &in) {
		if d, ok := m.tools.View(m.offers).Named(in.Name); ok {
			return m.callTool(ctx, d.Name, in.Arguments, req)
		}
	}
	within, _, end := work(ctx, req)
	defer end()
	return m.failed(within, fault.New("gateway.mcp", sdkapi.ToolNotFound, "no tool has the name %q; find its name with %s", plain.Cut(in.Name, agent.MaxNameLen), searchTool)), nil
}
