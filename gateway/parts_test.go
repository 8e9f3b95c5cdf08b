package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// noting is a part that says when it is set up and when it is ready.
func noting(id string, says func(string)) gateway.Part {
	return gateway.Part{
		ID:    id,
		Setup: func(*gateway.Setup) error { says("setup " + id); return nil },
		Ready: func(context.Context) error { says("ready " + id); return nil },
	}
}

// All parts are set up before one is ready, each in their order, and what they
// bring is served.
func TestParts(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var said []string
	says := func(word string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, word)
	}
	clock := gateway.Part{ID: "clock", Setup: func(s *gateway.Setup) error {
		huma.Get(s.Server.API, "/api/clock", func(context.Context, *struct{}) (*struct{ Body string }, error) {
			return &struct{ Body string }{"noon"}, nil
		})
		return s.ExposeTools("Time", doorstest.FakeTool{About: agent.Descriptor{Name: "clock.now", Tag: "Other"}, Answer: func(context.Context, agent.Call) (agent.Result, error) {
			return agent.Result{Content: []agent.Part{agent.Text("noon")}}, nil
		}})
	}}
	url := gatewaytest.Start(t, gateway.App{Parts: []gateway.Part{noting("first", says), clock, noting("second", says)}})
	for path, want := range map[string]string{
		sdkapi.CapabilitiesPath: `"clock","first"`, sdkapi.ToolsPath + "?tag=Time": `"id":"clock.now"`, "/api/clock": "noon", "/openapi.json": "/api/clock",
	} {
		t.Run(path, func(t *testing.T) {
			if resp, body := doorstest.Ask(t, http.MethodGet, url+path, "ada", nil); resp.StatusCode != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s answers %s, %s", path, resp.Status, body)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"setup first", "setup second", "ready first", "ready second"}; !slices.Equal(said, want) {
		t.Errorf("it went %v", said)
	}
}

// A part that is not ready keeps the gateway from serving.
func TestPartNotReady(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no spring")
	part := gateway.Part{ID: "clock", Ready: func(context.Context) error { return broken }}
	err = doors.New(gateway.App{Store: gatewaytest.Store(t, false), Scenes: gatewaytest.Scenes(t), Parts: []gateway.Part{part}}).Serve(t.Context(), ln)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "clock") {
		t.Errorf("it serves, %v", err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open, %v", err)
	}
}

// Below the path prefix is what is at the root, and links lead there.
func TestPathPrefix(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{PathPrefix: "/windie/eu"})
	for path, want := range map[string]int{
		"/windie/eu/health": http.StatusOK, "/health": http.StatusOK, "/windie/eu/docs": http.StatusOK, "/windie/eu" + sdkapi.ToolsPath: http.StatusOK,
		"/windie/europe/health": http.StatusNotFound, "/windie/health": http.StatusNotFound, "/windie/eu/windie/eu/health": http.StatusNotFound, "/windie/eu": http.StatusOK,
	} {
		t.Run(path, func(t *testing.T) {
			if resp, body := doorstest.Ask(t, http.MethodGet, url+path, "ada", nil); resp.StatusCode != want {
				t.Errorf("%s answers %s, %s", path, resp.Status, body)
			}
		})
	}
	client, err := sdk.New(url + "/windie/eu")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := client.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stored.URL, url+"/windie/eu/api/") {
		t.Errorf("the artifact is at %s", stored.URL)
	}
	if resp, _ := doorstest.Ask(t, http.MethodGet, stored.URL, "ada", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("it is not there: %s", resp.Status)
	}
}
