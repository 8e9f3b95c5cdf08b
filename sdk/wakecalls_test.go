package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// playedAgent is a gateway with one agent at /ws. After the handshake, it calls play with its first
// connection.
func playedAgent(t *testing.T, play func(conn *websocket.Conn)) (url string) {
	t.Helper()
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		var handshake sdkapi.WSHandshake
		var check sdkapi.WSMessage
		if conn.ReadJSON(&handshake) != nil || conn.ReadJSON(&check) != nil {
			return
		}
		_ = conn.WriteJSON(sdkapi.WSMessage{ID: uuid.NewString(), Type: sdkapi.WSSettingsLoaded, InReplyTo: check.ID, Payload: json.RawMessage(`{"config":{}}`)})
		once.Do(func() { play(conn) })
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestManyCallsAtOnce requests more calls than may run at once. The client must refuse the excess
// with a reason. It must not forget a running call, because a repeated request would then run it
// twice.
func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	const most = 500
	var mu sync.Mutex
	runs, results, refused := map[string]int{}, 0, ""
	seen := func() (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprint(len(runs), " run; refused: ", refused), len(runs) >= most && refused != ""
	}
	again, finish, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	url := playedAgent(t, func(conn *websocket.Conn) {
		defer close(over)
		call := func(n int) {
			payload := fmt.Sprintf(`{"tool_name":"wait","parameters":{},"request_id":"call %d","metadata":{"tool_call_id":"%d"}}`, n, n)
			_ = conn.WriteJSON(sdkapi.WSMessage{ID: uuid.NewString(), Type: sdkapi.WSToolCall, ConversationRef: "c", TurnRef: "t", Payload: json.RawMessage(payload)})
		}
		for n := range most {
			call(n)
		}
		reading := make(chan struct{})
		go func() {
			defer close(reading)
			for m := (sdkapi.WSMessage{}); conn.ReadJSON(&m) == nil; m = (sdkapi.WSMessage{}) {
				mu.Lock()
				if results++; strings.Contains(string(m.Payload), `"success":false`) {
					refused = string(m.Payload)
				}
				mu.Unlock()
			}
		}()
		testkit.Eventually(t, "all run", func() (string, bool) {
			mu.Lock()
			defer mu.Unlock()
			return fmt.Sprint(len(runs)), len(runs) == most
		})
		call(most)
		<-again
		for n := range most {
			call(n)
		}
		<-finish
		_ = conn.Close()
		<-reading
	})
	client, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	agent, err := client.WakeUp(t.Context(), sdk.WakeOptions{Tools: []sdk.WakeTool{{Name: "wait", Schema: json.RawMessage(`{"type":"object"}`), Run: func(_ context.Context, c sdk.WakeCall) sdk.WakeResult {
		mu.Lock()
		runs[c.ID]++
		mu.Unlock()
		<-release
		return sdk.WakeResult{Output: "waited"}
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	testkit.EventuallyWithin(t, 20*time.Second, "one is refused", seen)
	close(again)
	close(release)
	testkit.EventuallyWithin(t, 20*time.Second, "all have results, as often as they are asked for", func() (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprint(results), results == 2*most+1
	})
	close(finish)
	<-over
	agent.Close()
	mu.Lock()
	defer mu.Unlock()
	if len(runs) != most || !strings.Contains(refused, "500 calls already run at this client") {
		t.Errorf("%d run, refused: %s", len(runs), refused)
	}
	for id, n := range runs {
		if n != 1 {
			t.Errorf("%s was run %d times", id, n)
		}
	}
}

// TestAskOfAnOlderGateway checks Ask with a gateway that names no queries. The first turn in the
// conversation belongs to the query.
func TestAskOfAnOlderGateway(t *testing.T) {
	t.Parallel()
	client, err := sdk.New(playedAgent(t, func(conn *websocket.Conn) {
		var query sdkapi.WSMessage
		if err := conn.ReadJSON(&query); err != nil {
			t.Error(err)
		}
		_ = conn.WriteJSON(sdkapi.WSMessage{ID: uuid.NewString(), Type: sdkapi.WSStreamingComplete, ConversationRef: "c", TurnRef: "t", Seq: 2, Payload: json.RawMessage(`{"final_response":"Yes."}`)})
	}))
	if err != nil {
		t.Fatal(err)
	}
	agent, err := client.WakeUp(t.Context(), sdk.WakeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	if answer, err := agent.Ask(t.Context(), sdk.WakeQuestion{Text: "Are you there?", Conversation: "c"}); err != nil || answer != (sdk.WakeAnswer{Text: "Yes.", Conversation: "c", Turn: "t"}) {
		t.Errorf("%+v, %v", answer, err)
	}
}
