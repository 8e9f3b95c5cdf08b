package doorstest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
)

// Invoke calls a tool as the user ada. It returns the response and its body.
func Invoke(t *testing.T, url, tool string, body io.Reader) (*http.Response, string) {
	t.Helper()
	return Ask(t, http.MethodPost, url+sdkapi.ToolPath(tool), "ada", body)
}

// Ask sends a request as a user, with the request id "me-1". It returns the response and its body. The status may be
// any status.
func Ask(t *testing.T, method, url, user string, body io.Reader) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header[sdkapi.UserHeader] = []string{user}
	req.Header.Set("X-Request-ID", "me-1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(answer)
}

// StayingTool returns a tool and two channels. The tool sends the context of each call to the first channel. A call
// runs until its context ends or until the second channel has a value.
func StayingTool() (tool agent.Tool, started chan context.Context, end chan struct{}) {
	started, end = make(chan context.Context, 10), make(chan struct{})
	return FakeTool{agent.Descriptor{Name: "test.stay"}, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		started <- ctx
		select {
		case <-end:
			return agent.Result{Structured: json.RawMessage(`"done"`)}, nil
		case <-ctx.Done():
			return agent.Result{}, ctx.Err()
		}
	}}, started, end
}

// Upload stores gatewaytest.Card as the file card.png, and returns the id of the artifact.
func Upload(t *testing.T, url string) (id string) {
	t.Helper()
	stored, err := Client(t, url).UploadArtifact(t.Context(), "card.png", strings.NewReader(string(gatewaytest.Card())))
	if err != nil {
		t.Fatal(err)
	}
	return stored.ArtifactID
}
