package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// Most messages are simple tool calls. For these the SDK takes several times as long as the tool:
// it creates a session for each call without one, and decodes each message five times into new
// buffers of 32 KiB. So the gateway handles a call itself if the call is certainly plain. The SDK
// handles all other messages, and rejects invalid ones.

const (
	methodCall     = "tools/call"
	methodCanceled = "notifications/cancelled"
)

// plainCall is a tool call without a progress token and without fields that need the SDK.
type plainCall struct {
	id        json.RawMessage
	name      string
	arguments json.RawMessage
	meta      map[string]json.RawMessage
}

// maxPlainID is the maximum length of a plain call's id, in bytes of JSON.
const maxPlainID = 64

// readPlainCall parses raw. ok is false if raw is not a plain call.
func readPlainCall(raw []byte) (call plainCall, ok bool) {
	message, ok := members(raw, "jsonrpc", "id", "method", "params")
	if !ok || string(message["jsonrpc"]) != `"2.0"` || string(message["method"]) != `"`+methodCall+`"` {
		return call, false
	}
	params, ok := members(message["params"], "name", "arguments", "_meta")
	if !ok {
		return call, false
	}
	call = plainCall{id: message["id"], arguments: params["arguments"]}
	if meta := params["_meta"]; meta != nil {
		if call.meta, ok = members(meta, mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities); !ok {
			return call, false
		}
	}
	return call, isPlainID(call.id) && json.Unmarshal(params["name"], &call.name) == nil
}

// members decodes an object. ok is false if raw is not an object or has a member that names does
// not list.
func members(raw []byte, names ...string) (map[string]json.RawMessage, bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return nil, false
	}
	known := 0
	for _, name := range names {
		if _, ok := all[name]; ok {
			known++
		}
	}
	return all, known == len(all)
}

// isPlainID reports whether the SDK would return an id unchanged: a short string without escapes,
// or a whole number of at most 15 digits.
func isPlainID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > maxPlainID {
		return false
	}
	return id[0] == '"' && bytes.IndexByte(id, '\\') < 0 || len(id) <= 15 && len(bytes.Trim(id, "0123456789")) == 0
}

// direct handles c if it is a plain call that the rules allow without approval. done is false if it
// did not handle c.
func (m *server) direct(c *fiber.Ctx, user string, raw []byte) (done bool) {
	if c.Method() != fiber.MethodPost || !takesJSON(c) {
		return false
	}
	call, ok := readPlainCall(raw)
	if !ok {
		return false
	}
	d, ok := m.tools.Named(call.name)
	if !ok || agent.ModelName(d.Name) != call.name || !m.offers(d) || m.signsIn(d) || bytes.Contains(d.Input, []byte("x-mcp-header")) {
		return false
	}
	if gateway.MissingScopes(gateway.RequestOf(c.UserContext()).Access, scopesOf(d)...) != nil {
		return false
	}
	ctx, cancel := context.WithCancel(c.UserContext())
	defer cancel()
	if verdict, _, err := m.verdict(ctx, user, d); err != nil || verdict != session.Allow {
		return false
	}
	if c.Get(sdkapi.MCPVersionHeader) >= statelessSince {
		ok = call.saysWhatItIs(c)
	} else {
		var end func()
		if end, ok = m.sessions.begin(c.Get(sdkapi.MCPSessionHeader), c.Get(sdkapi.MCPVersionHeader), call, cancel, m.sessionTTL/4); ok {
			defer end()
		}
	}
	return ok && answerPlain(c, call, m.callPlain(ctx, user, d, call), m.self)
}

// takesJSON reports whether c sends JSON and accepts both JSON and event streams. The protocol
// requires both of all clients.
func takesJSON(c *fiber.Ctx) bool {
	accept := c.Get(fiber.HeaderAccept)
	return c.Get(fiber.HeaderContentType) == fiber.MIMEApplicationJSON && c.Get("Last-Event-Id") == "" &&
		strings.Contains(accept, fiber.MIMEApplicationJSON) && strings.Contains(accept, "text/event-stream")
}

// saysWhatItIs reports whether a call without a session has the headers and the metadata that the
// protocol requires.
func (call plainCall) saysWhatItIs(c *fiber.Ctx) bool {
	var client *mcp.Implementation
	var can *mcp.ClientCapabilities
	return c.Get(sdkapi.MCPVersionHeader) == statelessSince && string(call.meta[mcp.MetaKeyProtocolVersion]) == `"`+statelessSince+`"` &&
		json.Unmarshal(call.meta[mcp.MetaKeyClientInfo], &client) == nil && client != nil &&
		json.Unmarshal(call.meta[mcp.MetaKeyClientCapabilities], &can) == nil && can != nil &&
		c.Get(sdkapi.MCPMethodHeader) == methodCall && c.Get("Mcp-Name") == call.name
}

// callPlain runs a plain call. A failure is also a result.
func (m *server) callPlain(ctx context.Context, user string, d agent.Descriptor, call plainCall) *mcp.CallToolResult {
	if err := gateway.RequestOf(ctx).Quota.TakeCall(); err != nil {
		return m.failed(ctx, err)
	}
	arguments, detail := withoutDetail(d, call.arguments)
	arguments, err := m.named(ctx, d, arguments, nil)
	if err != nil {
		return m.failed(ctx, err)
	}
	return m.made(ctx, d, agent.Call{User: user, Arguments: arguments, Consent: agent.RulesAllow}, detail)
}

// answerPlain writes the result of a call to c. A response without a session also names the server.
func answerPlain(c *fiber.Ctx, call plainCall, result *mcp.CallToolResult, self *mcp.Implementation) bool {
	stateless := call.meta != nil
	if stateless {
		if result.Meta == nil {
			result.Meta = mcp.Meta{}
		}
		result.Meta[mcp.MetaKeyServerInfo] = self
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return false // unreachable: a result always encodes
	}
	answer := append(append([]byte(`{"jsonrpc":"2.0","id":`), call.id...), `,"result":`...)
	answer = append(answer, raw[:len(raw)-1]...)
	if stateless {
		answer = append(answer, `,"resultType":"complete"`...)
	}
	c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	c.Response().SetBodyRaw(append(answer, "}}"...))
	return true
}

// endPlain applies c to the plain calls of its session, which the SDK does not know: c may cancel a
// call, or end the session. The SDK then handles c too.
func (m *server) endPlain(c *fiber.Ctx, user string, raw []byte) error {
	id := c.Get(sdkapi.MCPSessionHeader)
	switch {
	case id == "":
	case c.Method() == fiber.MethodDelete:
		m.sessions.end(id)
		return m.forget(c.UserContext(), id, user)
	case bytes.Contains(raw, []byte(methodCanceled)):
		var message struct {
			Method string `json:"method"`
			Params struct {
				RequestID json.RawMessage `json:"requestId"`
			} `json:"params"`
		}
		if json.Unmarshal(raw, &message) == nil && message.Method == methodCanceled && len(message.Params.RequestID) > 0 {
			m.sessions.cancel(id, string(message.Params.RequestID))
		}
	}
	return nil
}
