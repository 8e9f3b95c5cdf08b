package abi

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Modules of the functions that Extism plugins import. userFunctions has the further ones of
// hyper-mcp; its template misspells the name of that module.
const (
	extismModule = "extism:host/env"
	userModule   = "extism:host/user"
	userAlias    = "extism:host/usr"
)

// plain makes a function of run, which needs neither context nor module.
func plain(params, results string, run func(c *Call, s []uint64)) function {
	return function{params, results, func(c *Call, _ context.Context, _ api.Module, s []uint64) { run(c, s) }}
}

// extismFunctions are the functions that Extism offers (its runtime/src/pdk.rs and
// kernel/src/lib.rs). A handle is an offset in the arena. As in Extism, a missing block has length
// 0, reads as 0 and ignores writes.
var extismFunctions = map[string]function{
	"alloc":            plain("j", "j", func(c *Call, s []uint64) { s[0] = c.alloc(s[0]) }),
	"free":             plain("j", "", func(c *Call, s []uint64) { c.arena.free(s[0]) }),
	"length":           plain("j", "j", func(c *Call, s []uint64) { s[0] = c.arena.length(s[0]) }),
	"length_unsafe":    plain("j", "j", func(c *Call, s []uint64) { s[0] = c.arena.length(s[0]) }),
	"load_u8":          plain("j", "i", func(c *Call, s []uint64) { s[0] = load8(c.arena.bytes, s[0]) }),
	"load_u64":         plain("j", "j", func(c *Call, s []uint64) { s[0] = load64(c.arena.bytes, s[0]) }),
	"store_u8":         plain("ji", "", func(c *Call, s []uint64) { c.arena.store8(s[0], byte(s[1])) }),
	"store_u64":        plain("jj", "", func(c *Call, s []uint64) { c.arena.store64(s[0], s[1]) }),
	"input_length":     plain("", "j", func(c *Call, s []uint64) { s[0] = uint64(len(c.input)) }),
	"input_offset":     plain("", "j", func(c *Call, s []uint64) { s[0] = c.inputHandle() }),
	"input_load_u8":    plain("j", "i", func(c *Call, s []uint64) { s[0] = load8(c.input, s[0]) }),
	"input_load_u64":   plain("j", "j", func(c *Call, s []uint64) { s[0] = load64(c.input, s[0]) }),
	"output_set":       plain("jj", "", func(c *Call, s []uint64) { c.Output = c.Output[:0]; c.write(c.arena.slice(s[0], s[1])) }),
	"error_set":        plain("j", "", func(c *Call, s []uint64) { c.Failure = c.Failure[:0]; c.fail(c.arena.block(s[0])) }),
	"config_get":       plain("j", "j", func(c *Call, s []uint64) { s[0] = c.configHandle(s[0]) }),
	"http_status_code": plain("", "i", func(c *Call, s []uint64) { s[0] = uint64(c.status) }),
	"http_headers":     plain("", "j", func(c *Call, s []uint64) { s[0] = c.headers }),
	"get_log_level":    plain("", "i", func(_ *Call, s []uint64) { s[0] = uint64(logInfo) }),
	"log_trace":        logFunction(logTrace),
	"log_debug":        logFunction(logDebug),
	"log_info":         logFunction(logInfo),
	"log_warn":         logFunction(logWarn),
	"log_error":        logFunction(logError),
	"var_get":          {"j", "j", func(c *Call, ctx context.Context, _ api.Module, s []uint64) { s[0] = c.varGet(ctx, s[0]) }},
	"var_set":          {"jj", "", func(c *Call, ctx context.Context, _ api.Module, s []uint64) { c.varSet(ctx, s[0], s[1]) }},
	"http_request":     {"jj", "j", func(c *Call, ctx context.Context, _ api.Module, s []uint64) { s[0] = c.httpRequest(ctx, s[0], s[1]) }},
}

// logFunction makes a function that logs the text of a block at a level.
func logFunction(level Level) function {
	return plain("j", "", func(c *Call, s []uint64) { c.logText(level, c.arena.block(s[0])) })
}

// userFunctions are the further functions of hyper-mcp. The gateway has nobody to ask, so a
// question to the user returns an error. A notification is logged or ignored.
var userFunctions = map[string]function{
	"create_elicitation":               plain("j", "j", refuseToAsk),
	"create_message":                   plain("j", "j", refuseToAsk),
	"get_access_token":                 plain("j", "j", refuseToAsk),
	"get_keyring_secret":               plain("j", "j", refuseToAsk),
	"list_roots":                       plain("", "j", refuseToAsk),
	"notify_logging_message":           logFunction(logInfo),
	"notify_progress":                  plain("j", "", func(c *Call, s []uint64) { c.notifyProgress(c.arena.block(s[0])) }),
	"notify_resource_updated":          logFunction(logDebug),
	"notify_url_elicitation_completed": logFunction(logDebug),
	"notify_prompt_list_changed":       plain("", "", ignore),
	"notify_resource_list_changed":     plain("", "", ignore),
	"notify_tool_list_changed":         plain("", "", ignore),
}

// ignore is a function without effect. It still counts as a use of the host.
func ignore(c *Call, _ []uint64) { c.count() }

// notifyProgress shows the progress of the call to its viewers. It ignores the notification's
// token: the guest got no token.
func (c *Call) notifyProgress(raw []byte) {
	c.count()
	var p struct {
		Message  string  `json:"message"`
		Progress float64 `json:"progress"`
		Total    float64 `json:"total"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return
	}
	// drops an unknown total
	counted := strings.TrimSuffix(fmt.Sprintf("%g of %g", p.Progress, p.Total), " of 0")
	c.host.Progress(cmp.Or(p.Message, counted), "")
}

// refuseToAsk answers a question to the user with the error NOT_SUPPORTED, in the JSON form of hyper-mcp.
func refuseToAsk(c *Call, s []uint64) {
	c.count()
	s[0] = c.put([]byte(`{"error":{"code":"NOT_SUPPORTED","message":"this host has nobody to ask"}}`))
}

// load8 returns the byte of b at an offset, or 0 beyond its end.
func load8(b []byte, at uint64) uint64 {
	if at < uint64(len(b)) {
		return uint64(b[at])
	}
	return 0
}

// load64 returns 8 bytes of b at an offset, little-endian. It returns 0 if b lacks one of them.
func load64(b []byte, at uint64) uint64 {
	if at < uint64(len(b)) && uint64(len(b))-at >= 8 {
		return binary.LittleEndian.Uint64(b[at:])
	}
	return 0
}

// alloc returns a block of n bytes, or ends the guest if the arena is full.
func (c *Call) alloc(n uint64) uint64 {
	c.check() // clearing a large block takes time
	handle, ok := c.arena.alloc(n)
	if !ok {
		c.end(&BoundError{"bytes in Extism's memory, which input_bytes and output_bytes set", int64(c.arena.most)})
	}
	return handle
}

// put copies b into a new block. An empty b has no block and handle 0.
func (c *Call) put(b []byte) uint64 {
	handle := c.alloc(uint64(len(b)))
	copy(c.arena.slice(handle, uint64(len(b))), b)
	return handle
}

// inputHandle returns the block of the input. It creates the block on demand: most guests read the
// input without it.
func (c *Call) inputHandle() uint64 {
	if c.arena.input == 0 {
		c.arena.input = c.put(c.input)
	}
	return c.arena.input
}

// configHandle returns a block with the setting that the block key names, or 0 if the setting is missing or empty.
func (c *Call) configHandle(key uint64) uint64 {
	c.count()
	value, _ := c.host.Config(string(c.arena.block(key)))
	return c.put([]byte(value))
}

// varGet returns a block with the value of a variable, or 0 if the value is missing or empty. See
// varSet for the place of the variables.
func (c *Call) varGet(ctx context.Context, key uint64) uint64 {
	c.count()
	name := string(c.arena.block(key))
	store, err := c.host.Store()
	if err != nil {
		return c.put(c.vars[name])
	}
	ctx, done := c.bounded(ctx)
	defer done()
	value, err := outside(c, func() ([]byte, error) {
		value, _, err := store.Get(ctx, name)
		return value, err
	})
	c.endOn(err)
	return c.put(value)
}

// varSet sets a variable, or deletes it if value is 0. It keeps variables in the plugin's store if
// there is one, and otherwise only until the call ends.
func (c *Call) varSet(ctx context.Context, key, value uint64) {
	c.count()
	name, bytes := string(c.arena.block(key)), slices.Clone(c.arena.block(value))
	ctx, done := c.bounded(ctx)
	defer done()
	store, err := c.host.Store()
	switch {
	case err != nil && value == 0:
		delete(c.vars, name)
	case err != nil:
		c.setVar(name, bytes)
	default:
		_, err := outside(c, func() (struct{}, error) {
			if value == 0 {
				return struct{}{}, store.Delete(ctx, name)
			}
			return struct{}{}, store.Set(ctx, name, bytes)
		})
		c.endOn(err)
	}
}

// endOn ends the guest with err, unless err is nil.
func (c *Call) endOn(err error) {
	if err != nil {
		c.end(err)
	}
}

// maxVars limits the variables of a run, in bytes.
const maxVars = 1 << 20

// setVar sets a variable of the call. It ends the call if all variables exceed maxVars bytes.
func (c *Call) setVar(name string, value []byte) {
	size := len(name) + len(value)
	for k, v := range c.vars {
		if k != name {
			size += len(k) + len(v)
		}
	}
	if size > maxVars {
		c.end(&BoundError{"bytes of variables", maxVars})
	}
	if c.vars == nil {
		c.vars = map[string][]byte{}
	}
	c.vars[name] = value
}

// extismRequest is the argument of http_request. The body is a separate block.
type extismRequest struct {
	URL     string  `json:"url"`
	Method  string  `json:"method"`
	Headers headers `json:"headers"`
	Header  headers `json:"header"` // older name of the field
}

// httpRequest sends a request and returns the block of the response body. As in Extism, a request
// that cannot be sent ends the guest.
func (c *Call) httpRequest(ctx context.Context, request, body uint64) uint64 {
	c.count()
	var r extismRequest
	if err := json.Unmarshal(c.arena.block(request), &r); err != nil {
		c.end(fault.New("abi.http_request", sdkapi.ValidationError, "http_request expects JSON with a url").Because(err))
	}
	ctx, done := c.bounded(ctx)
	defer done()
	res, err := outside(c, func() (HTTPResponse, error) {
		return c.host.HTTP(ctx, HTTPRequest{Method: r.Method, URL: r.URL, Header: headerOf(r.Header, r.Headers), Body: slices.Clone(c.arena.block(body))})
	})
	c.endOn(err)
	c.status = int32(min(res.Status, math.MaxInt32))
	c.headers = c.put(marshal(lowerHeaders(res.Header)))
	return c.put(res.Body)
}

// headerOf merges lists into the headers of a request. A later list wins.
func headerOf(lists ...headers) http.Header {
	header := http.Header{}
	for _, list := range lists {
		for name, value := range list {
			header.Set(name, value)
		}
	}
	return header
}

// lowerHeaders returns h with lower-case names. The values of one name are joined.
func lowerHeaders(h http.Header) map[string]string {
	out := make(map[string]string, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		out[strings.ToLower(name)] = strings.Join(h[name], ",")
	}
	return out
}
