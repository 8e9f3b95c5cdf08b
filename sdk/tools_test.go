package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

type sumIn struct {
	Left  int `json:"left"`
	Right int `json:"right" maximum:"100"`
}

type sumOut struct {
	Sum  int    `json:"sum"`
	User string `json:"user"`
}

// Content implements agent.Contenter.
func (sumOut) Content() []agent.Part { return []agent.Part{agent.Image("image/png", []byte("a plot"))} }

// sum is a tool that adds, except for bob.
func sum(_ context.Context, call agent.Call, in sumIn) (sumOut, error) {
	if call.User == "bob" {
		return sumOut{}, agent.Failf("not for %s", call.User)
	}
	return sumOut{in.Left + in.Right, call.User}, nil
}

// startTools runs a gateway with tools and returns its URL.
func startTools(t *testing.T) string {
	t.Helper()
	registry := agent.NewRegistry()
	for _, d := range []agent.Descriptor{
		{Name: "math.add", Tag: "Math", Risk: agent.Safe},
		{Name: "math.late", Tag: "Math & more", Risk: agent.Risky, Starting: true},
	} {
		if err := registry.Register(agent.Func(d, sum)); err != nil {
			t.Fatal(err)
		}
	}
	return gatewaytest.Start(t, gateway.App{Tools: registry})
}

func TestTools(t *testing.T) {
	t.Parallel()
	c := clientOf(t, startTools(t), sdk.WithUser("ada"))
	made, err := c.Tools.Capabilities(t.Context())
	if err != nil || !slices.Equal(made.Plugins, []string{"artifacts", "mcp", "ocr", "screen", "tools", "vision"}) {
		t.Errorf("Capabilities: %+v, %v", made, err)
	}
	all, err := c.Tools.List(t.Context())
	if err != nil || len(all) != 2 || all[0].ID != "math.add" || all[0].Origin.Kind != "builtin" || !strings.Contains(string(all[0].Input), `"maximum":100`) {
		t.Errorf("List: %+v, %v", all, err)
	}
	some, err := c.Tools.ListTag(t.Context(), "Math & more")
	if err != nil || len(some) != 1 || some[0].Risk != "risky" || !some[0].Starting {
		t.Errorf("ListTag: %+v, %v", some, err)
	}
	for name, arguments := range map[string]any{
		"a struct": sumIn{1, 2}, "a map": map[string]int{"left": 1, "right": 2}, "raw": json.RawMessage(`{"left":1,"right":2}`),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.Tools.Invoke(t.Context(), "math.add", arguments)
			if err != nil || string(got.Result) != `{"sum":3,"user":"ada"}` || len(got.Content) != 1 || string(got.Content[0].Data) != "a plot" || got.Content[0].MIMEType != "image/png" {
				t.Errorf("Invoke with %s: %+v, %v", name, got, err)
			}
		})
	}
}

// TestToolErrors checks that errors have the gateway's codes and fields, or the text of the tool.
func TestToolErrors(t *testing.T) {
	t.Parallel()
	url := startTools(t)
	invoke := func(tool string, arguments any, opts ...sdk.Option) *sdkapi.Error {
		_, err := clientOf(t, url, opts...).Tools.Invoke(t.Context(), tool, arguments)
		var e *sdkapi.Error
		if !errors.As(err, &e) {
			t.Fatalf("no *sdkapi.Error: %v", err)
		}
		return e
	}
	ada := sdk.WithUser("ada")
	for _, tt := range []struct {
		got          *sdkapi.Error
		code         sdkapi.Code
		status       int
		path, phrase string
	}{
		{invoke("math.add", sumIn{}), sdkapi.AuthRequired, http.StatusUnauthorized, "header.X-User-Id", ""},
		{invoke("math.divide", nil, ada), sdkapi.ToolNotFound, http.StatusNotFound, "path.toolId", ""},
		{invoke("../health", nil, ada), sdkapi.ToolNotFound, http.StatusNotFound, "path.toolId", ""},
		{invoke("math.add", nil, ada), sdkapi.ValidationError, http.StatusUnprocessableEntity, "body.left", ""},
		{invoke("math.add", sumIn{Right: 101}, ada), sdkapi.ValidationError, http.StatusUnprocessableEntity, "body.right", "do not match"},
		{invoke("math.late", sumIn{}, ada), sdkapi.ToolStarting, http.StatusServiceUnavailable, "", ""},
		{invoke("math.add", sumIn{}, sdk.WithUser("bob")), sdkapi.ToolError, http.StatusInternalServerError, "", "not for bob"},
	} {
		t.Run(fmt.Sprint(tt.code, " ", tt.path), func(t *testing.T) {
			path := ""
			if len(tt.got.Details.Fields) > 0 {
				path = tt.got.Details.Fields[0].Path
			}
			if tt.got.Code != tt.code || tt.got.Status != tt.status || path != tt.path || !strings.Contains(tt.got.Message, tt.phrase) {
				t.Errorf("want %s %d at %q: %+v", tt.code, tt.status, tt.path, tt.got)
			}
		})
	}
}

// TestToolRetries checks that the client retries a list, but no call, because a call may have had
// an effect.
func TestToolRetries(t *testing.T) {
	t.Parallel()
	url := startTools(t)
	const starting = `{"error":{"code":"TOOL_STARTING","message":"later","details":{}}}`
	front, requests := flaky(t, url, 2, http.StatusServiceUnavailable, starting)
	if _, err := clientOf(t, front, sdk.WithUser("ada")).Tools.List(t.Context()); err != nil || requests.Load() != 3 {
		t.Errorf("List: %d requests, %v", requests.Load(), err)
	}
	front, requests = flaky(t, url, 2, http.StatusServiceUnavailable, starting)
	if _, err := clientOf(t, front, sdk.WithUser("ada")).Tools.Invoke(t.Context(), "math.add", sumIn{}); err == nil || requests.Load() != 1 {
		t.Errorf("Invoke: %d requests, %v", requests.Load(), err)
	}
}
