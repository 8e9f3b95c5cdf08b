package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/sdkapi"
)

// TestKeysAreForPosts checks that a request that does not carry the key of Once is not repeated because of it.
func TestKeysAreForPosts(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	c, err := New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.call(Once(t.Context(), "k"), http.MethodPatch, "/x", nil, nil)
	if err == nil {
		resp.Body.Close()
	}
	if got := requests.Load(); err == nil || got != 1 {
		t.Errorf("the client sent %d requests, %v", got, err)
	}
}

// TestStreamWithoutAName checks that a stream that ends before its event with the id is not requested again: there is
// nothing to request it by.
func TestStreamWithoutAName(t *testing.T) {
	t.Parallel()
	opened, again := 0, 0
	f := follow[PromptEvent, *PromptEvent]{heard: func(*PromptEvent) {}, known: func() bool { return false }, again: func(context.Context) (*http.Response, error) {
		again++
		return &http.Response{Body: http.NoBody}, nil
	}}
	var failed error
	f.run(t.Context(), func(_ PromptEvent, err error) bool {
		failed = err
		return true
	}, func(context.Context) (*http.Response, error) {
		opened++
		return &http.Response{Body: http.NoBody}, nil
	})
	if opened != 1 || again != 0 || !errors.Is(failed, errCut) {
		t.Errorf("opened %d times and %d times again, %v", opened, again, failed)
	}
}

// TestInvalidToolIsRefused checks that Open names the tool that cannot be encoded, and does not drop all tools.
func TestInvalidToolIsRefused(t *testing.T) {
	t.Parallel()
	c, err := New("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	tools := []HostTool{{Name: "good", Parameters: json.RawMessage(`{}`)}, {Name: "bad", Parameters: json.RawMessage(`{`)}}
	if _, err := (&ToolHosts{c}).Open(t.Context(), HostOptions{Tools: tools}); err == nil || !strings.Contains(err.Error(), `invalid tool "bad"`) {
		t.Errorf("it is opened: %v", err)
	}
}

// TestCallsOfTwoTurns checks that the end of a call does not concern a call of another turn with the same id.
func TestCallsOfTwoTurns(t *testing.T) {
	t.Parallel()
	contexts := make(chan context.Context, 2)
	h := &Host{calls: map[string]context.CancelFunc{}, seen: map[string]bool{}, opts: HostOptions{Run: func(ctx context.Context, _ HostCall) HostResult {
		contexts <- ctx
		<-ctx.Done()
		return HostResult{}
	}, Heard: func(sdkapi.AgentMessage) {}}}
	ctx, cancel := context.WithCancel(t.Context())
	defer h.running.Wait()
	defer cancel()
	h.call(ctx, &sdkapi.AgentToolCallMessage{AgentHead: sdkapi.AgentHead{TurnID: "one"}, ToolCallID: "call_1"})
	first := <-contexts
	h.call(ctx, &sdkapi.AgentToolCallMessage{AgentHead: sdkapi.AgentHead{TurnID: "two"}, ToolCallID: "call_1"})
	second := <-contexts
	h.hear(ctx, &sdkapi.AgentToolOutputMessage{AgentHead: sdkapi.AgentHead{TurnID: "one"}, ToolCallID: "call_1"})
	if first.Err() == nil || second.Err() != nil {
		t.Errorf("the first call has ended: %v, the second: %v", first.Err(), second.Err())
	}
}

// TestResendAfterAHalf checks that a connection that breaks while the agent resends keeps the rest for the next one:
// each message is written once, and cancels are kept until they are written.
func TestResendAfterAHalf(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	upgrade := websocket.Upgrader{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrade.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			var m wakeMessage
			if conn.ReadJSON(&m) != nil {
				return
			}
			got <- m.Type + " " + m.ID
		}
	}))
	defer server.Close()
	connect := func() *wakeLink {
		conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		t.Cleanup(func() { _ = conn.Close() })
		return &wakeLink{conn: conn}
	}
	broken := connect()
	_ = broken.conn.Close()
	a := &WokenAgent{ctx: t.Context(), open: []*wakeTurn{{id: "q", ref: "conv_a", gone: true}}, places: map[string]*wakePlace{}}
	if err := a.use(broken); err == nil || len(a.open) != 1 {
		t.Errorf("after %v the agent knows %d abandoned turns", err, len(a.open))
	}
	whole := wakeMessage{"2", "two", json.RawMessage(`{}`)}
	a.outbox = []wakeMessage{{"1", "one", json.RawMessage(`{}`)}, {"2", "two", json.RawMessage(`{`)}} // the second write fails
	if a.use(connect()) == nil || len(a.outbox) != 1 {
		t.Fatalf("the agent resends %d messages", len(a.outbox))
	}
	a.outbox[0] = whole
	if err := a.use(connect()); err != nil || len(a.open) != 0 {
		t.Errorf("%v, and the agent knows %d abandoned turns", err, len(a.open))
	}
	seen := map[string]int{}
	for range 3 {
		m := <-got
		kind, _, _ := strings.Cut(m, " ")
		seen[kind]++
	}
	if seen[sdkapi.WSCancel] != 1 || seen["one"] != 1 || seen["two"] != 1 {
		t.Errorf("the gateway got %v", seen)
	}
	a.err = errors.New("the agent has ended")
	if _, err := a.query(WakeQuestion{Text: "x"}); err == nil || len(a.open) != 0 {
		t.Errorf("%v, and a query that was not sent stays open", err)
	}
}
