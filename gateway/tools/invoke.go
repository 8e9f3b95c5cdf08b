package tools

import (
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	plaintext "github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// maxToolMessage is the maximum length of a failed tool's own text in the error, in bytes.
const maxToolMessage = 4 << 10

// retryStarting is the Retry-After for a tool that is starting, in seconds.
const retryStarting = "2"

// addInvoke adds the route that calls a tool. It is raw, because invoke reads the body itself.
func (s *door) addInvoke() {
	gateway.AddRaw(s.core, huma.Operation{
		OperationID: "invoke-tool", Method: http.MethodPost, Path: sdkapi.ToolPath("{toolId}"), Tags: []string{"tools"}, Security: gateway.AsksForUser,
		Summary: "Call a tool",
		Description: "The body has the tool's arguments: an object that fits its `input` schema. An empty body means `{}`. `result` is the tool's " +
			"structured output, or `{\"content\": [...]}` if the tool has no structured output. The request itself is the approval: a risky tool runs without another " +
			"approval. If the tool fails, the error is TOOL_ERROR with the tool's message.",
		Parameters: []*huma.Param{{
			Name: "toolId", In: "path", Required: true, Description: "The tool's id.", Example: "ocr.find_text",
			Schema: &huma.Schema{Type: huma.TypeString},
		}},
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{
			fiber.MIMEApplicationJSON: {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
		}},
		Responses: map[string]*huma.Response{"200": gateway.JSONResponse[sdkapi.ToolResult](s.core, "The result of the tool.")},
		Errors:    []int{400, 401, 403, 404, 408, 409, 413, 415, 422, 503, 504},
	}, s.invoke)
}

// invoke calls a tool for the user of the request. It also calls risky tools, since the sender of
// the request is the person whom an agent would ask. It does not decode the body: the registry does
// that once, with stricter rules.
func (s *door) invoke(c *fiber.Ctx) error {
	ctx := c.UserContext()
	user, err := gateway.UserOf(ctx)
	if err != nil {
		return err
	}
	if err := s.checkJSON(c.Request().Header.ContentType()); err != nil {
		return err
	}
	if err := gateway.RequestOf(ctx).Quota.TakeCall(); err != nil {
		return err
	}
	arguments, err := peer.ReadWhole(gateway.BodyOf(c), agent.MaxArguments, argumentsTooLarge)
	if err != nil {
		return err
	}
	tool := c.Params("toolId")
	res, err := s.core.Call(ctx, tool, agent.Call{ID: gateway.RequestOf(ctx).ID, User: user, Arguments: arguments, Via: agent.ViaHTTP})
	if err == nil && res.IsError {
		err = toolFailed(tool, res)
	}
	if err != nil {
		return invokeFailed(c, err, arguments, res.Usage)
	}
	if err := encodeResult(c.Response(), res); err != nil {
		return err
	}
	c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	return nil
}

// checkJSON rejects the Content-Types that huma rejects on other routes.
func (s *door) checkJSON(contentType []byte) error {
	if len(contentType) == 0 || string(contentType) == fiber.MIMEApplicationJSON {
		return nil
	}
	var nothing any
	if err := s.core.API.Unmarshal(string(contentType), []byte(`null`), &nothing); err != nil {
		return gateway.FromHuma(http.StatusUnsupportedMediaType, "", nil)
	}
	return nil
}

// argumentsTooLarge returns the error for a body that is larger than agent.MaxArguments.
func argumentsTooLarge() error {
	return fault.New("gateway.invoke", sdkapi.PayloadTooLarge, "the body is larger than the limit for a tool's arguments; upload large images and send their artifact_id").
		At("body", "expected at most %d bytes", agent.MaxArguments)
}

// toolFailed returns a TOOL_ERROR with the failed tool's own text as the message.
func toolFailed(id string, res agent.Result) error {
	var words []string
	for _, part := range res.Content {
		if part.Kind == agent.TextPart {
			words = append(words, part.Text)
		}
	}
	message := plaintext.Short(strings.TrimSpace(strings.Join(words, "\n")), maxToolMessage)
	if message == "" {
		message = "the tool " + id + " failed and gave no reason"
	}
	return fault.New("gateway.invoke", sdkapi.ToolError, "%s", message)
}

// invokeFailed converts the error of a failed call for its caller: paths below arguments become
// paths below body.
func invokeFailed(c *fiber.Ctx, err error, arguments []byte, usage agent.Usage) error {
	f := fault.From(err).Renamed("arguments", "body")
	switch {
	case f.Code == sdkapi.ValidationError && len(arguments) > 0 && !json.Valid(arguments):
		return fault.New("gateway.invoke", sdkapi.MalformedBody, "the body is not valid JSON").
			At("body", "expected an object with the tool's arguments").Because(err)
	case f.Code == sdkapi.ToolNotFound && len(f.Details.Fields) == 0:
		f = f.At("path.toolId", "expected the id of a listed tool")
	case f.Code == sdkapi.ToolStarting:
		c.Set(fiber.HeaderRetryAfter, retryStarting)
	}
	f.Details.Usage = wireUsage(usage)
	return f
}

// usageSpare is the approximate length of a call's usage in JSON, in bytes.
const usageSpare = 160

// encodeResult writes the response of a call. The tool's result is already JSON and is not decoded
// again.
func encodeResult(to *fasthttp.Response, res agent.Result) error {
	result, content := res.Structured, wireContent(res.Content)
	if len(result) == 0 {
		var err error
		if result, err = json.Marshal(sdkapi.ToolContents{Content: content}); err != nil {
			return err
		}
		content = nil
	}
	var more []byte
	if len(content) > 0 {
		var err error
		if more, err = json.Marshal(content); err != nil {
			return err
		}
	}
	to.AppendBodyString(`{"result":`)
	to.AppendBody(valid(result))
	if len(more) > 0 {
		to.AppendBodyString(`,"content":`)
		to.AppendBody(more)
	}
	if len(res.Meta) > 0 {
		to.AppendBodyString(`,"_meta":`)
		to.AppendBody(valid(res.Meta))
	}
	if usage := wireUsage(res.Usage); usage != nil {
		to.AppendBodyString(`,"usage":`)
		to.AppendBody(usage.AppendJSON(make([]byte, 0, usageSpare)))
	}
	to.AppendBodyString(`}`)
	return nil
}

// valid returns JSON with U+FFFD in place of invalid UTF-8.
func valid(raw []byte) []byte {
	if utf8.Valid(raw) {
		return raw
	}
	return []byte(strings.ToValidUTF8(string(raw), "\uFFFD"))
}

// wireContent converts a tool's content to the API's form.
func wireContent(parts []agent.Part) []sdkapi.ToolContent {
	content := make([]sdkapi.ToolContent, len(parts))
	for i, p := range parts {
		switch p.Kind {
		case agent.TextPart:
			content[i] = sdkapi.ToolContent{Type: sdkapi.TextContent, Text: p.Text}
		case agent.ImagePart:
			content[i] = sdkapi.ToolContent{Type: sdkapi.ImageContent, MIMEType: p.MediaType, Data: p.Data}
		case agent.JSONPart:
			content[i] = sdkapi.ToolContent{Type: sdkapi.JSONContent, JSON: p.JSON}
		}
	}
	return content
}

// wireUsage converts the usage of a call to the API's form. It returns nil if no sandbox measured
// the call: the caller can measure the time itself.
func wireUsage(u agent.Usage) *sdkapi.ToolUsage {
	if u.Fuel == 0 && u.PeakMemory == 0 && u.HostCalls == 0 && u.EgressBytes == 0 {
		return nil
	}
	return &sdkapi.ToolUsage{
		Fuel: u.Fuel, PeakMemoryBytes: u.PeakMemory, WallMS: u.WallTime.Milliseconds(), HostCalls: u.HostCalls, EgressBytes: u.EgressBytes,
	}
}
