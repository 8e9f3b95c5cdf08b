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

// services are what the guest of one call may ask for, as it was granted.
type services struct {
	plugin     *Plugin
	ctx        context.Context
	call       agent.Call
	started    time.Time
	describing bool            // the guest may not do anything
	network    *egress.Session // nil before the first request
}

var _ abi.Host = (*services)(nil)

// early is the fault for what a guest asks for while it describes itself.
func (s *services) early(permission string) error {
	return fault.New("wasmtools.permission", sdkapi.PermissionDenied,
		"the plugin %q asked for %s while it started or described itself; that must wait for a call", s.plugin.Name, permission)
}

func (s *services) egressBytes() int64 {
	if s.network == nil {
		return 0
	}
	return s.network.Usage().BytesSent
}

// refuse is the fault for what was not granted, with what to put into a grant.
func (s *services) refuse(permission, example string) error {
	return fault.New("wasmtools.permission", sdkapi.PermissionDenied,
		"the plugin %q was not granted %s; the operator can put %s into the permissions of its grant", s.plugin.Name, permission, example)
}

// userSetting is the setting that has the user's id: plugins of Extism have nothing else to ask.
const userSetting = "windie.user"

func (s *services) Config(key string) (string, bool) {
	if key == userSetting && !s.describing {
		return s.User(), true
	}
	value, ok := s.plugin.config[key]
	return value, ok
}

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

// nameLimit says which limit a request met, if it met one.
func nameLimit(err error) error {
	name, ok := map[egress.Reason]string{egress.TooManyRequests: "http_requests", egress.TooLarge: "http_bytes"}[egress.ReasonOf(err)]
	if !ok {
		return err
	}
	f := fault.From(err)
	return fault.New("wasmtools.http", f.Code, "%s; that limit is %s", f.Message, name).Because(err)
}

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

func (s *services) User() string { return s.plugin.userID(s.call) }

func (s *services) CallTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	if s.describing {
		return nil, s.early("a tool")
	}
	if !slices.Contains(s.plugin.Permissions.Tools, name) {
		quoted, _ := json.Marshal([]string{name}) // a text is always JSON
		return nil, s.refuse("that tool", `"tools":`+string(quoted))
	}
	result, err := s.call.Invoke(within(ctx), name, arguments)
	if err != nil {
		return nil, err
	}
	return marshalAnswer(result)
}

func (s *services) Now() (time.Time, error) {
	if !s.plugin.Permissions.clock() {
		return time.Unix(0, 0), s.refuse("the clock", `"clock":true`)
	}
	return time.Now(), nil
}

func (s *services) Random(p []byte) error {
	if !s.plugin.Permissions.random() {
		return s.refuse("random numbers", `"random":true`)
	}
	_, err := crand.Read(p)
	return err
}

// Monotonic begins with each call. Without a clock it stands still.
func (s *services) Monotonic() int64 {
	if !s.plugin.Permissions.clock() {
		return 0
	}
	return int64(time.Since(s.started))
}

// maxProgress is the longest line about how far a call is, in bytes.
const maxProgress = 500

// Progress shows a line and output to whoever watches the call. While a guest describes itself nobody does.
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

// levels are the log's levels by those of guests.
var levels = [...]slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}

func (s *services) Log(level abi.Level, line string) {
	l := levels[min(max(level, 0), abi.Level(len(levels)-1))]
	s.plugin.log.LogAttrs(s.ctx, l, line, slog.String("plugin", s.plugin.Name), slog.String("call", s.call.ID))
}

// userOf returns whom a call is for, empty where users are not apart.
func (p *Plugin) userOf(call agent.Call) string {
	if len(p.cfg.UserKey) == 0 {
		return ""
	}
	return call.User
}

// localUser is the id of everybody where users are not apart.
const localUser = "local"

// userID returns the id of a call's user that the plugin sees: the same in each call, another for
// each plugin, and nothing that leads back to the user.
func (p *Plugin) userID(call agent.Call) string {
	user := p.userOf(call)
	if user == "" {
		return localUser
	}
	mac := hmac.New(sha256.New, p.cfg.UserKey)
	mac.Write([]byte(p.identity() + "\n" + user)) // an identity has no end of line
	return "u" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// resultOf makes a guest's answer, which was parsed, the result of a tool.
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
		case len(c.Other) > 0: // a resource_link, say
			r.Content = append(r.Content, agent.JSON(c.Other))
		default:
			r.Content = append(r.Content, agent.Text(c.Text))
		}
		r.Content[len(r.Content)-1].MCP = c.Whole
	}
	return r
}

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
