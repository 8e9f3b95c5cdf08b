package mcptools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
)

// Limits of an answer.
const (
	maxResultBytes = 8 << 20 // bytes of all parts
	maxParts       = 100     // number of parts
)

// images are the image types that models accept.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// resultOf converts a server's answer to the result of a tool. If the answer is too large or invalid, the
// result is a failure.
func resultOf(r *mcp.CallToolResult) agent.Result {
	res := agent.Result{IsError: r.IsError, Meta: metaOf(r.Meta)}
	if r.StructuredContent != nil {
		structured, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return agent.Failf("the server's answer is invalid").Result()
		}
		res.Structured, res.Checked = structured, true
	}
	if len(r.Content) > maxParts {
		return agent.Failf("the answer has %d parts; the limit is %d; ask for less", len(r.Content), maxParts).Result()
	}
	size := len(res.Structured)
	for _, c := range r.Content {
		part := partOf(c)
		size += len(part.Text) + len(part.Data) + len(part.MCP)
		res.Content = append(res.Content, part)
	}
	if size > maxResultBytes {
		return agent.Failf("the answer has %d bytes; the limit is %d; ask for less", size, maxResultBytes).Result()
	}
	return res
}

// metaOf returns the metadata of a server's answer, without the keys of the protocol itself. It returns nil if
// none is left, or if the metadata exceeds agent.MaxMeta bytes.
func metaOf(m mcp.Meta) json.RawMessage {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(key string, _ any) bool { return strings.HasPrefix(key, "io.modelcontextprotocol/") })
	if len(m) == 0 {
		return nil
	}
	raw, err := json.Marshal(m)
	if err != nil || len(raw) > agent.MaxMeta {
		return nil // the answer is valid without it
	}
	return raw
}

// partOf converts a part of an answer. It also keeps the original if the part is more than a plain text or a
// plain image.
func partOf(c mcp.Content) agent.Part {
	part := shownOf(c)
	switch c := c.(type) {
	case *mcp.TextContent:
		if c.Annotations == nil && len(c.Meta) == 0 {
			return part
		}
	case *mcp.ImageContent:
		if c.Annotations == nil && len(c.Meta) == 0 {
			return part
		}
	}
	if raw, err := json.Marshal(c); err == nil {
		part.MCP = raw
	}
	return part
}

// shownOf returns a part in a form for models. For content that models cannot read, it returns a text that
// mentions the content.
func shownOf(c mcp.Content) agent.Part {
	switch c := c.(type) {
	case *mcp.TextContent:
		return agent.Text(c.Text)
	case *mcp.ImageContent:
		return file(c.MIMEType, c.Data, "")
	case *mcp.AudioContent:
		return file(c.MIMEType, c.Data, "")
	case *mcp.ResourceLink:
		return agent.Text(fmt.Sprintf("[resource %s: %s %s]", c.URI, c.Name, c.Description))
	case *mcp.EmbeddedResource:
		switch {
		case c.Resource == nil:
		case c.Resource.Blob != nil:
			return file(c.Resource.MIMEType, c.Resource.Blob, c.Resource.URI)
		default:
			return agent.Text(c.Resource.Text)
		}
	}
	return agent.Text("[a part of the answer that cannot be shown]")
}

// file returns an image, or a text that mentions a file of another type.
func file(mediaType string, data []byte, uri string) agent.Part {
	if slices.Contains(images, mediaType) {
		return agent.Image(mediaType, data)
	}
	return agent.Text(fmt.Sprintf("[a file of %d bytes, %.100q %.500s, which cannot be shown]", len(data), mediaType, uri))
}
