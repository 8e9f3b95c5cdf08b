package wasmtools

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	crand "crypto/rand"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// services performs the requests of the guest in one call, within its permissions.
type services struct {
	plugin     *Plugin
	ctx        context.Context
	call       agent.Call
	started    time.Time
	describing bool            // the guest describes itself and may do nothing
	network    *egress.Session // nil before the first request
}

var _ abi.Host = (*services)(nil)

// early returns the fault for a request that a guest makes while it describes itself.
func (s *services) early(permission string) error {
	return fault.New("wasmtools.permission", sdkapi.PermissionDenied,
		"the plugin %q used %s while it started or described itself; use it only in calls", s.plugin.Name, permission)
}

// egressBytes returns the number of bytes that the call's requests sent, or 0 before the first request.
func (s *services) egressBytes() int64 {
	if s.network == nil {
		return 0
	}
	return s.network.Usage().BytesSent
}

// refuse returns the fault for a request without the permission, with an example grant.
func (s *services) refuse(permission, example string) error {
	return fault.New("wasmtools.permission", sdkapi.PermissionDenied,
		"the plugin %q was not granted %s; the operator can put %s into the permissions of its grant", s.plugin.Name, permission, example)
}

// userSetting is the setting that holds the user's id. Extism plugins have no other way to get the id.
const userSetting = "windie.user"

// Config returns a setting of the plugin. For the key userSetting it returns the user's id, except
// while the guest describes itself.
func (s *services) Config(key string) (string, bool) {
	if key == userSetting && !s.describing {
		return s.User(), true
	}
	value, ok := s.plugin.config[key]
	return value, ok
}

// HTTP performs a request, if the plugin's rules allow it. If no rule allows the request, or if the
// address is private, HTTP returns PERMISSION_DENIED.
func (s *services) HTTP(ctx context.Context, req abi.HTTPRequest) (abi.HTTPResponse, error) {
	if s.describing {
		return abi.HTTPResponse{}, s.early("a request")
	}
	if s.network == nil {
		s.network = s.plugin.client.Session()
	}
	res, err := s.network.Do(ctx, egress.Request{Method: req.Method, URL: req.URL, Header: req.Header, Body: req.Body})
	if reason := egress.ReasonOf(err); reason == egress.Denied || reason == egress.PrivateAddress {
		f := *fault.From(err)
		f.Code = sdkapi.PermissionDenied
		return abi.HTTPResponse{}, &f
	}
	if err != nil {
		return abi.HTTPResponse{}, nameLimit(err)
	}
	return abi.HTTPResponse{Status: res.Status, Header: res.Header, Body: res.Body}, nil
}

// nameLimit adds the name of the limit to the error of a request that exceeded one.
func nameLimit(err error) error {
	name, ok := map[egress.Reason]string{egress.TooManyRequests: "http_requests", egress.TooLarge: "http_bytes"}[egress.ReasonOf(err)]
	if !ok {
		return err
	}
	f := fault.From(err)
	return fault.New("wasmtools.http", f.Code, "%s; the name of this limit is %s", f.Message, name).Because(err)
}

// Store returns the plugin's store for the calling user, or the plugin's shared store. If the
// plugin lacks the permission kv, Store returns PERMISSION_DENIED.
func (s *services) Store() (abi.Store, error) {
	if s.describing {
		return nil, s.early("its store")
	}
	quota := s.plugin.Permissions.KV
	if quota == nil {
		return nil, s.refuse("a store", `"kv":{"bytes":1048576}`)
	}
	user := s.plugin.userOf(s.call)
	if quota.Shared {
		user = ""
	}
	return s.plugin.cfg.Store(s.plugin.identity(), user, *quota), nil
}

// User returns the id by which the plugin knows the calling user; see userID.
func (s *services) User() string { return s.plugin.userID(s.call) }

// CallTool calls the tool called name, with the rights of the calling user. If the grant does not
// list this tool, CallTool returns PERMISSION_DENIED.
func (s *services) CallTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	if s.describing {
		return nil, s.early("a tool")
	}
	if !slices.Contains(s.plugin.Permissions.Tools, name) {
		quoted, _ := json.Marshal([]string{name}) // a string always encodes as JSON
		return nil, s.refuse("that tool", `"tools":`+string(quoted))
	}
	result, err := s.call.Invoke(within(ctx), name, arguments)
	if err != nil {
		return nil, err
	}
	return marshalAnswer(result)
}

// Now returns the time. Without the permission clock it returns 1970-01-01 and PERMISSION_DENIED.
func (s *services) Now() (time.Time, error) {
	if !s.plugin.Permissions.clock() {
		return time.Unix(0, 0), s.refuse("the clock", `"clock":true`)
	}
	return time.Now(), nil
}

// Random fills p with random bytes. Without the permission random it returns PERMISSION_DENIED.
func (s *services) Random(p []byte) error {
	if !s.plugin.Permissions.random() {
		return s.refuse("random numbers", `"random":true`)
	}
	_, err := crand.Read(p)
	return err
}

// Monotonic returns the time since the call began, in nanoseconds. Without the permission clock it
// returns 0.
func (s *services) Monotonic() int64 {
	if !s.plugin.Permissions.clock() {
		return 0
	}
	return int64(time.Since(s.started))
}

// maxProgress limits a progress line, in bytes.
const maxProgress = 500

// Progress shows a progress line and a part of the tool's output to the users who watch the call.
// While a guest describes itself, Progress does nothing.
func (s *services) Progress(line, output string) {
	if s.describing {
		return
	}
	if line != "" {
		agent.Progress(s.ctx, plain.Text(plain.Short(line, maxProgress)))
	}
	if output != "" {
		agent.Output(s.ctx, output)
	}
}

// levels maps each log level of guests to a level of slog. The lowest guest level is below slog.LevelDebug.
var levels = [...]slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}

// Log writes a line of the guest to the log, with the names of the plugin and the call. An unknown
// level counts as the nearest known level.
func (s *services) Log(level abi.Level, line string) {
	l := levels[min(max(level, 0), abi.Level(len(levels)-1))]
	s.plugin.log.LogAttrs(s.ctx, l, line, slog.String("plugin", s.plugin.Name), slog.String("call", s.call.ID))
}

// userOf returns the user of a call, or "" if users are not isolated.
func (p *Plugin) userOf(call agent.Call) string {
	if len(p.cfg.UserKey) == 0 {
		return ""
	}
	return call.User
}

// localUser is the id of every user if users are not isolated.
const localUser = "local"

// userID returns the id of a call's user for the plugin. It is the same in each call, differs
// between plugins, and does not reveal the user.
func (p *Plugin) userID(call agent.Call) string {
	user := p.userOf(call)
	if user == "" {
		return localUser
	}
	mac := hmac.New(sha256.New, p.cfg.UserKey)
	mac.Write([]byte(p.identity() + "\n" + user)) // an identity contains no line break
	return "u" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// resultOf turns a guest's decoded answer into the result of a tool.
func resultOf(a *abi.Answer) agent.Result {
	r := agent.Result{Structured: a.StructuredContent, Checked: true, IsError: a.IsError, Meta: json.RawMessage(a.Meta)}
	for _, c := range a.Content {
		switch {
		case c.Type == "image":
			r.Content = append(r.Content, agent.Image(c.MimeType, c.Data))
		case c.Type == "resource" && len(c.Resource) > 0:
			r.Content = append(r.Content, agent.JSON(c.Resource))
		case c.Type == "audio":
			r.Content = append(r.Content, agent.Text(fmt.Sprintf("[audio of type %.64q, %d bytes]", c.MimeType, len(c.Data))))
		case len(c.Other) > 0: // for example a resource_link
			r.Content = append(r.Content, agent.JSON(c.Other))
		default:
			r.Content = append(r.Content, agent.Text(c.Text))
		}
		r.Content[len(r.Content)-1].MCP = c.Whole
	}
	return r
}

// marshalAnswer encodes the result of another tool in the form that guests decode. It is the inverse of resultOf.
func marshalAnswer(r agent.Result) (json.RawMessage, error) {
	a := abi.Answer{StructuredContent: r.Structured, IsError: r.IsError, Meta: abi.Object(r.Meta)}
	for _, p := range r.Content {
		switch p.Kind {
		case agent.ImagePart:
			a.Content = append(a.Content, abi.Content{Type: "image", Data: p.Data, MimeType: p.MediaType})
		case agent.JSONPart:
			a.Content = append(a.Content, abi.Content{Type: "resource", Resource: p.JSON})
		default:
			a.Content = append(a.Content, abi.Content{Type: "text", Text: p.Text})
		}
		a.Content[len(a.Content)-1].Whole = p.MCP
	}
	return json.Marshal(a)
}
