package mcptools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
)

// Limits of a server's list of tools.
const (
	maxPages        = 100
	maxListingBytes = 4 << 20 // bytes of all names, descriptions and schemas
)

// fetch requests a server's tools. If the list exceeds a limit, fetch omits the rest and names the limit in
// listing.Short.
func fetch(ctx context.Context, session *mcp.ClientSession) (l *listing, err error) {
	defer recoverTo(&err)
	l = &listing{}
	size, cursor := 0, ""
	for range maxPages {
		page, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, fmt.Errorf("the server failed to list its tools: %w", err)
		}
		for _, t := range page.Tools {
			tool, bytes := readTool(t)
			if size += bytes; size > maxListingBytes || len(l.Tools) == agent.MaxToolsPerOwner {
				l.Short = fmt.Sprintf("the server lists more than %d tools or %d bytes, the limits: tools from %.100q on are ignored", agent.MaxToolsPerOwner, maxListingBytes, tool.Name)
				return l, nil
			}
			l.Tools = append(l.Tools, tool)
		}
		if cursor = page.NextCursor; cursor == "" {
			return l, nil
		}
	}
	l.Short = fmt.Sprintf("the server lists its tools in more than %d pages, the limit: later pages are ignored", maxPages)
	return l, nil
}

// without returns a listing without a user's tokens, which a server may send back: all users see the listing. A
// tool that cannot be cleaned is omitted.
func (l *listing) without(w *wallet) *listing {
	clean := &listing{Spec: l.Spec, Short: w.hide(l.Short)}
	for _, t := range l.Tools {
		raw, err := json.Marshal(t)
		if err != nil {
			continue
		}
		if hidden := w.hide(string(raw)); hidden != string(raw) {
			t = listed{}
			err = json.Unmarshal([]byte(hidden), &t)
		}
		if err == nil {
			clean.Tools = append(clean.Tools, t)
		}
	}
	return clean
}

// recoverTo converts a panic about a server's answer to an error.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the server's answer is unreadable: %v", p)
	}
}

// readTool cleans a server's description of a tool, and returns its size in bytes.
func readTool(t *mcp.Tool) (tool listed, bytes int) {
	tool = listed{Name: t.Name, Description: printable(t.Description, agent.MaxDescriptionLen), Input: objectSchema(t.InputSchema)}
	tool.Description = cmp.Or(tool.Description, printable(t.Title, agent.MaxDescriptionLen))
	if t.OutputSchema != nil {
		tool.Output = schemaOf(t.OutputSchema)
	}
	return tool, len(tool.Name) + len(tool.Description) + len(tool.Input) + len(tool.Output)
}

// objectSchema returns a schema of arguments as JSON. It adds the type object to a schema without a type.
func objectSchema(schema any) json.RawMessage {
	fields, ok := schema.(map[string]any)
	if schema == nil || ok && fields["type"] == nil {
		typed := map[string]any{}
		maps.Copy(typed, fields)
		typed["type"] = "object"
		schema = typed
	}
	return schemaOf(schema)
}

// schemaOf returns a schema as JSON, without invisible characters. If schema cannot be encoded, it returns null, which
// agent.CheckSchema refuses.
func schemaOf(schema any) json.RawMessage {
	raw, err := json.Marshal(shown(schema))
	if err != nil {
		return json.RawMessage("null") // null is not a valid schema
	}
	return raw
}

// withoutNeed returns a schema of arguments in which no field with a default is required. Many
// servers derive their schemas from the arguments after they have filled in the defaults, and so require
// all fields.
func withoutNeed(schema json.RawMessage) json.RawMessage {
	var fields, properties map[string]json.RawMessage
	var required []string
	if json.Unmarshal(schema, &fields) != nil || fields == nil {
		return schema
	}
	if json.Unmarshal(fields["properties"], &properties) == nil && json.Unmarshal(fields["required"], &required) == nil {
		fields["required"] = schemaOf(slices.DeleteFunc(required, func(name string) bool {
			var field struct {
				Default json.RawMessage `json:"default"`
			}
			return json.Unmarshal(properties[name], &field) == nil && field.Default != nil
		}))
	}
	for name, field := range properties {
		properties[name] = withoutNeed(field)
	}
	if properties != nil {
		fields["properties"] = schemaOf(properties)
	}
	return schemaOf(fields)
}

// withDefaults adds each missing argument that the server's schema requires and for which it has a default.
// Some servers refuse calls without these arguments.
func withDefaults(schema, arguments json.RawMessage) json.RawMessage {
	var of struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(schema, &of) != nil || json.Unmarshal(arguments, &fields) != nil || fields == nil {
		return arguments
	}
	for name, property := range of.Properties {
		var field struct {
			Default json.RawMessage `json:"default"`
		}
		if given, ok := fields[name]; ok {
			fields[name] = withDefaults(property, given)
		} else if slices.Contains(of.Required, name) && json.Unmarshal(property, &field) == nil && field.Default != nil {
			fields[name] = field.Default
		}
	}
	return schemaOf(fields)
}

// shown returns a schema without invisible characters in its descriptions, titles and comments. It does not
// change other values, because the tool reads them.
func shown(schema any) any {
	switch v := schema.(type) {
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = shown(value)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			text, is := value.(string)
			if is && slices.Contains([]string{"description", "title", "$comment"}, key) {
				out[key] = printable(text, agent.MaxDescriptionLen)
			} else {
				out[key] = shown(value)
			}
		}
		return out
	}
	return schema
}

// printable returns at most limit bytes of text, without invisible characters.
func printable(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return text
	}
	const more = " [...]"
	return strings.ToValidUTF8(text[:limit-len(more)], "") + more
}
