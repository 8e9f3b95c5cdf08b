package sdkapi

import (
	"encoding/json"
	"strconv"
)

// Paths of the tool routes. All require UserHeader.
const (
	CapabilitiesPath = "/api/capabilities" // GET lists the parts of the gateway
	// GET lists the tools. GET of ToolsPath/ID returns one tool. POST to the ToolPath of a tool
	// calls it.
	ToolsPath = "/api/tools"
)

// ToolPath returns the path of a tool. POST to this path calls the tool. The id of a tool needs no
// escaping.
func ToolPath(id string) string { return ToolsPath + "/" + id + "/invoke" }

// UserHeader names the header with the user of a request.
const UserHeader = "X-User-Id"

// MaxUserLen bounds a user in X-User-Id, in bytes; beyond it: 422 VALIDATION_ERROR.
const MaxUserLen = 128

// Capabilities lists the parts of the gateway.
type Capabilities struct {
	Plugins []string `json:"plugins" doc:"Sorted ids of the built-in parts, and of the plugins, clients and servers that provide tools." example:"[\"artifacts\",\"ocr\",\"tools\"]"`
}

// ToolList is the response of ToolsPath.
type ToolList struct {
	Tools []Tool `json:"tools" doc:"The tools, sorted by id."`
}

// Tool describes a tool: its id, its input and its output.
type Tool struct {
	ID          string          `json:"id" doc:"Name of the tool, in the form group.verb." example:"ocr.find_text"`
	Description string          `json:"description" doc:"What the tool does."`
	Tag         string          `json:"tag,omitempty" doc:"Heading under which lists show the tool." example:"OCR"`
	Input       json.RawMessage `json:"input" doc:"JSON Schema of the arguments."`
	Output      json.RawMessage `json:"output,omitempty" doc:"JSON Schema of the result. Absent if the tool has no output schema."`
	Risk        string          `json:"risk" enum:"safe,risky,forbidden" doc:"Risk of a call. Agents ask a person before a risky call, and never make a forbidden call."`
	Origin      ToolOrigin      `json:"origin" doc:"Provider of the tool."`
	Starting    bool            `json:"starting,omitempty" doc:"Whether the tool is still starting. Until it is ready, calls fail with TOOL_STARTING."`
}

// ToolOrigin is the source of a tool.
type ToolOrigin struct {
	Kind  string `json:"kind" enum:"builtin,wasm,client,mcp" doc:"Source of the tool: the gateway, a sandboxed plugin, a client or an MCP server."`
	Owner string `json:"owner,omitempty" doc:"Name of the plugin, client or server. Absent for a builtin tool."`
}

// ToolResult is the result of a tool call.
type ToolResult struct {
	Result  json.RawMessage `json:"result" doc:"Structured output in the form of the tool's output schema. If the tool has no output schema, the result is an object with the answer in \"content\"."`
	Content []ToolContent   `json:"content,omitempty" doc:"Content for models, besides the structured output."`
	Meta    json.RawMessage `json:"_meta,omitempty" doc:"Metadata of a plugin or MCP server: an object in the form of _meta in the Model Context Protocol."`
	Usage   *ToolUsage      `json:"usage,omitempty" doc:"Resources that the call used, if a sandbox measured them."`
}

// ToolContent is one part of a tool's result, for example a text or an image. Type says which other
// fields are set. Texts and images have the form of the Model Context Protocol.
type ToolContent struct {
	Type     string          `json:"type" enum:"text,image,json"`
	Text     string          `json:"text,omitempty" doc:"The text. Only for the type text."`
	MIMEType string          `json:"mimeType,omitempty" doc:"Media type of the image. Only for the type image." example:"image/png"`
	Data     []byte          `json:"data,omitempty" doc:"The image, as base64. Only for the type image."`
	JSON     json.RawMessage `json:"json,omitempty" doc:"The JSON value. Only for the type json."`
}

// The types of ToolContent.
const (
	TextContent  = "text"
	ImageContent = "image"
	JSONContent  = "json"
)

// MarshalJSON writes exactly the fields of c's type, even if they are empty.
func (c ToolContent) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"type": c.Type}
	switch c.Type {
	case TextContent:
		fields["text"] = c.Text
	case ImageContent:
		fields["mimeType"], fields["data"] = c.MIMEType, append([]byte{}, c.Data...)
	case JSONContent:
		fields["json"] = c.JSON
	}
	return json.Marshal(fields)
}

// ToolContents is the result of a tool without structured output.
type ToolContents struct {
	Content []ToolContent `json:"content" doc:"Content of the answer, in order."`
}

// ToolUsage holds the resources that a tool call used. A value of 0 can also mean that the resource
// was not measured.
type ToolUsage struct {
	Fuel            uint64 `json:"fuel" doc:"Executed instructions, counted by the sandbox."`
	PeakMemoryBytes int64  `json:"peak_memory_bytes"`
	WallMS          int64  `json:"wall_ms" doc:"Milliseconds from the call to its return."`
	HostCalls       int64  `json:"host_calls" doc:"Number of calls from the sandbox into the gateway."`
	EgressBytes     int64  `json:"egress_bytes" doc:"Bytes sent to the network."`
}

// AppendJSON appends to b the JSON that encoding/json would write for u. It needs a tenth of the
// time. The time matters because every tool call ends with this JSON.
func (u ToolUsage) AppendJSON(b []byte) []byte {
	b = strconv.AppendUint(append(b, `{"fuel":`...), u.Fuel, 10)
	b = strconv.AppendInt(append(b, `,"peak_memory_bytes":`...), u.PeakMemoryBytes, 10)
	b = strconv.AppendInt(append(b, `,"wall_ms":`...), u.WallMS, 10)
	b = strconv.AppendInt(append(b, `,"host_calls":`...), u.HostCalls, 10)
	b = strconv.AppendInt(append(b, `,"egress_bytes":`...), u.EgressBytes, 10)
	return append(b, '}')
}

// OCRReadArguments are the arguments of the tool ocr.read. The arguments of the tools ocr.find_text
// and ocr.resolve_text are an OCRTextRequest.
type OCRReadArguments struct {
	Image ImageSource `json:"image"`
	Reading
	Region *Region `json:"region,omitempty" doc:"Only rows centered in this rectangle, which must overlap the image."`
}

// UploadArguments are the arguments of the tool artifact.upload.
type UploadArguments struct {
	File string `json:"file" doc:"The file: a data URL with at most 1 MiB of base64, or \"artifact:\" followed by the id of a stored artifact."`
}
