package docs

import (
	"cmp"
	"encoding/json"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// The gateway generates the API document on request, because the document has an operation for each tool,
// and tools change at run time. A hosted gateway serves the document without sign-in, so the document does
// not contain the tools.

// apiForms are the formats of the document, by the ends of their paths.
var apiForms = map[string]struct {
	contentType string
	write       func(*huma.OpenAPI) ([]byte, error)
}{
	".json":     {"application/openapi+json", (*huma.OpenAPI).MarshalJSON},
	".yaml":     {"application/openapi+yaml", (*huma.OpenAPI).YAML},
	"-3.0.json": {"application/openapi+json", (*huma.OpenAPI).Downgrade},
	"-3.0.yaml": {"application/openapi+yaml", (*huma.OpenAPI).DowngradeYAML},
}

// maxWritten is the maximum number of cached documents. Clients use few base URLs, but one client could invent
// many.
const maxWritten = 16

// apiDocument caches generated documents until the tools change.
type apiDocument struct {
	mu       sync.Mutex
	revision uint64            // revision of the registry's tools
	written  map[string][]byte // by format and server URL
}

// addOpenAPI adds a route for each format of the document.
func (s *door) addOpenAPI() {
	s.describeNulls()
	kept := &apiDocument{}
	for end, form := range apiForms {
		s.core.App.Get("/openapi"+end, func(c *fiber.Ctx) error {
			text, err := s.apiText(kept, end, s.serverOf(c))
			if err != nil {
				return err
			}
			c.Set(fiber.HeaderContentType, form.contentType)
			return c.Send(text)
		})
	}
}

// serverOf returns the base URL of the API for c's client. It is absolute if the gateway knows it,
// so that example requests work unchanged.
func (s *door) serverOf(c *fiber.Ctx) string {
	base := gateway.RequestOf(c.UserContext()).Base
	if s.publicURL != "" {
		return base
	}
	name := c.Hostname()
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	if ip := net.ParseIP(strings.Trim(name, "[]")); name == "localhost" || ip != nil && ip.IsLoopback() {
		return base
	}
	// A proxy may have removed https. A relative URL is correct in any case.
	if c.Locals(gateway.Mounted{}) != nil {
		return s.pathPrefix
	}
	return "/"
}

// apiText returns the document in a format, from the cache if possible.
func (s *door) apiText(kept *apiDocument, end, server string) ([]byte, error) {
	var tools []agent.Descriptor
	all, revision := s.core.Tools().List()
	if !s.hosted {
		tools = all
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.written == nil || kept.revision != revision {
		kept.revision, kept.written = revision, map[string][]byte{}
	}
	key := end + " " + server
	if text := kept.written[key]; text != nil {
		return text, nil
	}
	doc, err := mended(s.documented(tools, server), s.defaultModel())
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(end, "-3.0") {
		older(doc)
	}
	text, err := apiForms[end].write(doc)
	if err == nil {
		if len(kept.written) >= maxWritten {
			clear(kept.written)
		}
		kept.written[key] = text
	}
	return text, err
}

// defaultModel returns the name of the gateway's default model, or empty if there is none.
func (s *door) defaultModel() string {
	if s.models == nil {
		return ""
	}
	return s.models.Default()
}

// documented returns the document with an operation for each of the tools.
func (s *door) documented(tools []agent.Descriptor, server string) *huma.OpenAPI {
	doc := *s.core.API.OpenAPI()
	doc.Servers = []*huma.Server{{URL: server}}
	doc.Paths = maps.Clone(doc.Paths)
	components := *doc.Components
	schemas := &toolSchemas{Registry: components.Schemas, all: maps.Clone(components.Schemas.Map())}
	components.Schemas = schemas
	doc.Components = &components
	call := doc.Paths[sdkapi.ToolPath("{toolId}")].Post
	for _, d := range tools {
		doc.Paths[sdkapi.ToolPath(d.Name)] = &huma.PathItem{Post: schemas.operation(call, d)}
	}
	return &doc
}

// toolSchemas is huma's registry of schemas, extended by the schemas of tools.
type toolSchemas struct {
	huma.Registry
	all map[string]*huma.Schema
}

// Map implements huma.Registry.
func (t *toolSchemas) Map() map[string]*huma.Schema { return t.all }

// MarshalJSON implements json.Marshaler.
func (t *toolSchemas) MarshalJSON() ([]byte, error) { return json.Marshal(t.all) }

// operation returns the operation that calls one tool. call is the generic operation for all tools.
func (t *toolSchemas) operation(call *huma.Operation, d agent.Descriptor) *huma.Operation {
	op := *call
	op.OperationID, op.Path, op.Parameters = call.OperationID+"-"+d.Name, sdkapi.ToolPath(d.Name), gateway.HeadersOf(call.Parameters)
	op.Summary, op.Description = d.Name, cmp.Or(d.Description, "Calls the tool "+d.Name+".")
	if d.Tag != "" {
		op.Tags = []string{toolTagPrefix + d.Tag}
	}
	op.RequestBody = &huma.RequestBody{Content: jsonContent(t.add(toolSchemaPrefix+d.Name+".input", d.Input))}
	result := &huma.Schema{Type: huma.TypeObject, Required: []string{"result"}, Properties: map[string]*huma.Schema{"result": {}}}
	for name, schema := range t.all["ToolResult"].Properties {
		result.Properties[name] = schema
	}
	if len(d.Output) > 0 {
		result.Properties["result"] = t.add(toolSchemaPrefix+d.Name+toolOutputSuffix, d.Output)
	}
	op.Responses = maps.Clone(call.Responses)
	op.Responses["200"] = &huma.Response{Description: "The result of the tool.", Content: jsonContent(result)}
	return &op
}

// jsonContent returns the content of a body or response in JSON.
func jsonContent(schema *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{fiber.MIMEApplicationJSON: {Schema: schema}}
}

// toolTagPrefix is the start of the tags of tools. Generators write a file per tag, and without the
// prefix "OCR" and "ocr" would be the same file on some systems.
const toolTagPrefix = "tools: "

// toolSchemaPrefix and toolOutputSuffix form the names of tool schemas: tool.NAME.input and
// tool.NAME.output.
const (
	toolSchemaPrefix = "tool."
	toolOutputSuffix = ".output"
)

// schemasAt is the path of schemas in a document, for references.
const schemasAt = "#/components/schemas/"

// add adds a tool's schema and returns a reference to it.
func (t *toolSchemas) add(name string, raw json.RawMessage) *huma.Schema {
	var schema map[string]any
	if json.Unmarshal(raw, &schema) != nil { // the schema true, which accepts any value
		schema = map[string]any{}
	}
	repointed(schema, schemasAt+name, false)
	t.all[name] = &huma.Schema{Extensions: schema}
	return &huma.Schema{Ref: schemasAt + name}
}

// The keywords of a schema whose values are data, and those whose values map names to schemas.
var (
	dataKeywords = []string{"const", "default", "enum", "example", "examples"}
	nameKeywords = []string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)

// repointed changes references to the root of a tool's schema, so that they refer to root, the
// schema's place in the document. It leaves anchors alone, and the values of dataKeywords, which only look like schemas.
// named means that the keys of node are names, for example of properties, and not keywords.
func repointed(node any, root string, named bool) {
	switch v := node.(type) {
	case map[string]any:
		for key, value := range v {
			if to, ok := value.(string); ok && key == "$ref" && (to == "#" || strings.HasPrefix(to, "#/")) {
				v[key] = root + strings.TrimPrefix(to, "#")
				continue
			}
			if named || !slices.Contains(dataKeywords, key) {
				repointed(value, root, !named && slices.Contains(nameKeywords, key))
			}
		}
	case []any:
		for _, value := range v {
			repointed(value, root, false)
		}
	}
}
