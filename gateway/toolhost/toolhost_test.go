package toolhost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// noteTool is the tool that the secretary calls.
var noteTool = sdk.HostTool{
	Name: "save_note", Description: "Keeps a note.", Risk: "safe",
	Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
}

// hosting is a program at a session, and what it heard.
type hosting struct {
	*sdk.Host
	mu    sync.Mutex
	text  string
	kinds []string
	runs  map[string]int
	done  chan sdkapi.AgentDoneMetadata
}

// joins opens a session as a program with the note tool, and serves it until the test ends.
func joins(t *testing.T, client *sdk.Client, opts sdk.HostOptions) *hosting {
	t.Helper()
	h := &hosting{runs: map[string]int{}, done: make(chan sdkapi.AgentDoneMetadata, 100)}
	opts.Heard = h.heard
	if opts.Run == nil && opts.Tools != nil {
		opts.Run = func(_ context.Context, call sdk.HostCall) sdk.HostResult {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.runs[call.ID+string(call.Arguments)]++
			return sdk.HostResult{Output: "kept"}
		}
	}
	host, err := client.ToolHosts.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	h.Host = host
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- host.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *hosting) heard(m sdkapi.AgentMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kinds = append(h.kinds, m.Head().Type)
	switch m := m.(type) {
	case *sdkapi.AgentDeltaMessage:
		if m.Restart {
			h.text = ""
		}
		h.text += m.Content
	case *sdkapi.AgentDoneMessage:
		h.done <- m.Metadata
	}
}

// ends waits for the end of a turn.
func (h *hosting) ends(t *testing.T) sdkapi.AgentDoneMetadata {
	t.Helper()
	select {
	case done := <-h.done:
		return done
	case <-time.After(doorstest.Patience):
		t.Fatal("the turn does not end")
		return sdkapi.AgentDoneMetadata{}
	}
}

// told returns what was heard, and what was run how often.
func (h *hosting) told() (text string, runs []int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text, slices.Collect(maps.Values(h.runs))
}

// Over a slow link that breaks now and then, each word is heard once, and each call is made once.
func TestToolHostOverABadLink(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	url, _ := doorstest.DocumentedGateway(t, false, &ran)
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			link := testkit.NewLink(t, strings.TrimPrefix(url, "http://"), 10*time.Millisecond, 0.05, seed)
			h := joins(t, doorstest.ClientOf(t, "http://"+link.Addr), sdk.HostOptions{Tools: []sdk.HostTool{noteTool}})
			for n := range 3 {
				h.Say(fmt.Sprint("Save my note ", n))
				h.ends(t)
			}
			text, runs := h.told()
			if want := strings.Repeat(doorstest.SecretarySays, 3); text != want || len(runs) != 9 || slices.Max(runs) != 1 {
				t.Errorf("after %d cuts: %q, and runs %v", link.Cuts(), text, runs)
			}
		})
	}
}

// rawHost is a client without the SDK.
type rawHost struct {
	t       *testing.T
	url     string
	session string
	conn    *websocket.Conn
	cursor  int64
}

// dialHost opens the stream with a hello.
func (r *rawHost) dial(hello string) {
	r.t.Helper()
	conn, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(r.url, "http")+"/api/agent/sessions/"+r.session+"/stream", nil)
	if err != nil {
		r.t.Fatal(err, resp)
	}
	r.conn = conn
	r.Send(hello)
}

func (r *rawHost) Send(message string) {
	r.t.Helper()
	if err := r.conn.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
		r.t.Fatal(err)
	}
}

// Next returns the next message but heartbeats; nil where the connection is gone.
func (r *rawHost) Next() sdkapi.AgentMessage {
	r.t.Helper()
	for {
		_ = r.conn.SetReadDeadline(time.Now().Add(doorstest.Patience))
		_, raw, err := r.conn.ReadMessage()
		if err != nil {
			return nil
		}
		m, err := sdkapi.ParseAgentMessage(raw)
		if err != nil || m == nil {
			r.t.Fatalf("%s: %v", raw, err)
		}
		r.cursor = max(r.cursor, m.Head().Seq)
		if m.Head().Type != sdkapi.AgentHeartbeat {
			return m
		}
	}
}

// newHostSession makes a session.
func newHostSession(t *testing.T, url string) string {
	t.Helper()
	resp, body := doorstest.Ask(t, http.MethodPost, url+sdkapi.AgentSessionsPath, "", nil)
	var made sdkapi.AgentSession
	if err := json.Unmarshal([]byte(body), &made); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, body)
	}
	return made.SessionID
}

const noteHello = `{"type":"hello","clientId":"c","accept":["tool.output"],"toolManifest":[{"name":"save_note","risk":"safe","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}],"afterSeq":%d}`

// A client whose connection is cut after any event comes back with its cursor, and gets what follows, and no more.
func TestToolHostResumesAnywhere(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	url, _ := doorstest.DocumentedGateway(t, false, &ran)
	whole := converseRaw(t, url, -1)
	for cut := range whole.events {
		t.Run(fmt.Sprint("cut after event ", cut+1), func(t *testing.T) {
			t.Parallel()
			got := converseRaw(t, url, cut+1)
			if got.text != doorstest.SecretarySays || got.dones != 1 || got.outputs != 3 || got.again != 0 && got.text != whole.text {
				t.Errorf("%+v", got)
			}
			if len(got.runs) != 3 {
				t.Errorf("runs %v", got.runs)
			}
		})
	}
}

// A message with a name is said once, whatever its onBusy, and everybody hears the name.
func TestToolHostMessageTwice(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	url, _ := doorstest.DocumentedGateway(t, false, &ran)
	for _, busy := range []string{"reject", "queue", "interrupt"} {
		t.Run(busy, func(t *testing.T) {
			t.Parallel()
			r := &rawHost{t: t, url: url, session: newHostSession(t, url)}
			r.dial(`{"type":"hello","clientId":"c","accept":["user.message"]}`)
			defer func() { _ = r.conn.Close() }()
			var heard []string
			say := func(name string, times int) {
				for range times {
					r.Send(fmt.Sprintf(`{"type":"user.message","messageId":%q,"content":"hello there","onBusy":%q}`, name, busy))
				}
				for m := r.Next(); ; m = r.Next() {
					switch m := m.(type) {
					case nil:
						t.Fatal("the connection is gone")
					case *sdkapi.AgentErrorMessage:
						t.Fatalf("%+v", m)
					case *sdkapi.AgentUserMessageMessage:
						heard = append(heard, m.MessageID)
					case *sdkapi.AgentDoneMessage:
						return
					}
				}
			}
			say("m1", 3)
			r.Send(`{"type":"user.message","messageId":"m1","content":"hello there"}`) // its client does not know whether it arrived
			say("m2", 2)
			r.Send(`{"type":"user.message","messageId":"m1","content":"hello there"}`)
			say("m3", 1)
			if !slices.Equal(heard, []string{"m1", "m2", "m3"}) {
				t.Errorf("said: %q", heard)
			}
		})
	}
}

// heardRaw is what came of a conversation.
type heardRaw struct {
	text                          string
	events, dones, outputs, again int
	runs                          map[string]bool
}

func converseRaw(t *testing.T, url string, cut int) (got heardRaw) {
	r := &rawHost{t: t, url: url, session: newHostSession(t, url)}
	r.dial(fmt.Sprintf(noteHello, 0))
	defer func() { _ = r.conn.Close() }()
	got.runs = map[string]bool{}
	said := false
	for got.dones == 0 {
		m := r.Next()
		if m == nil {
			t.Fatalf("the connection is gone: %+v", got)
		}
		got.events++
		cutNow := got.events == cut
		switch m := m.(type) {
		case *sdkapi.AgentDeltaMessage:
			got.text += m.Content
		case *sdkapi.AgentDoneMessage:
			got.dones++
		case *sdkapi.AgentToolOutputMessage:
			got.outputs++
		case *sdkapi.AgentToolCallMessage:
			if got.runs[m.ToolCallID] {
				got.again++
			}
			got.runs[m.ToolCallID] = true
			if !cutNow {
				r.Send(fmt.Sprintf(`{"type":"tool.result","toolCallId":%q,"output":"kept"}`, m.ToolCallID))
			}
		case *sdkapi.AgentErrorMessage:
			t.Fatalf("%+v", m)
		}
		if cutNow {
			_ = r.conn.NetConn().Close()
			r.dial(fmt.Sprintf(noteHello, r.cursor))
			if created := r.Next(); created == nil || created.Head().Type != sdkapi.AgentSessionCreated {
				t.Fatalf("%+v", created)
			}
		}
		if !said {
			r.Send(`{"type":"user.message","messageId":"m","content":"Save my note."}`)
			said = true
		}
	}
	return got
}

// Two clients at one session hear the same, and each call is run once, by one of them.
func TestTwoToolHosts(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	url, _ := doorstest.DocumentedGateway(t, false, &ran)
	client := doorstest.ClientOf(t, url)
	first := joins(t, client, sdk.HostOptions{Tools: []sdk.HostTool{noteTool}})
	second := joins(t, client, sdk.HostOptions{Session: first.ID(), Tools: []sdk.HostTool{noteTool}})
	for n := range 4 {
		[]*hosting{first, second}[n%2].Say("Save my note.")
		first.ends(t)
		second.ends(t)
	}
	text1, runs1 := first.told()
	text2, runs2 := second.told()
	runs := slices.Concat(runs1, runs2)
	if want := strings.Repeat(doorstest.SecretarySays, 4); text1 != want || text2 != want {
		t.Errorf("they heard %q and %q", text1, text2)
	}
	if sum := func() (n int) {
		for _, r := range runs {
			n += r
		}
		return n
	}(); sum != 12 {
		t.Errorf("%d runs, of 12 calls: %v and %v", sum, runs1, runs2)
	}
}

// A session's model makes at most sdkapi.MaxAgentCalls calls at once, and as many more as the time of the test gives it back;
// the client sees no more.
func TestToolHostCallsAMinute(t *testing.T) {
	t.Parallel()
	var words []string
	const more = 60 // than a minute allows: half a minute gives as many back
	for n := range sdkapi.MaxAgentCalls + more {
		words = append(words, fmt.Sprint("call_", n), "save_note", fmt.Sprintf(`{"text":"%d"}`, n))
	}
	script := agenttest.NewScript(agenttest.Calling(words[:300]...), agenttest.Calling(words[300:]...)).Otherwise(agenttest.Saying("Done."))
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), script, journaltest.NewMemory())
	h := joins(t, doorstest.ClientOf(t, gatewaytest.Start(t, cfg)), sdk.HostOptions{Tools: []sdk.HostTool{noteTool}})
	h.Say("Go")
	if done := h.ends(t); done.Reason != "done" {
		t.Fatalf("%+v", done)
	}
	_, runs := h.told()
	results := resultsOf(script.Requests())
	if len(runs) < sdkapi.MaxAgentCalls || len(runs) >= sdkapi.MaxAgentCalls+more || !strings.Contains(results, "its client's tools at most 120 times per minute") {
		t.Errorf("%d runs, and the results are %.2000q", len(runs), results)
	}
}

// resultsOf returns the texts of all results that a model was given with its last request.
func resultsOf(requests []models.Request) (text string) {
	for _, m := range requests[len(requests)-1].Messages {
		for _, p := range m.Parts {
			if p.Result != nil {
				for _, part := range p.Result.Parts {
					text += part.Text
				}
			}
		}
	}
	return text
}

// What a client's tool puts out is cut to what the model reads.
func TestToolHostOutputIsCut(t *testing.T) {
	t.Parallel()
	script := agenttest.NewScript(agenttest.Calling("c1", "save_note", `{"text":"1"}`)).Otherwise(agenttest.Saying("Done."))
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), script, journaltest.NewMemory())
	h := joins(t, doorstest.ClientOf(t, gatewaytest.Start(t, cfg)), sdk.HostOptions{Tools: []sdk.HostTool{noteTool}, Run: func(context.Context, sdk.HostCall) sdk.HostResult {
		return sdk.HostResult{Output: "begin" + strings.Repeat("x", 3<<20) + "end"}
	}})
	h.Say("Go")
	h.ends(t)
	if got := resultsOf(script.Requests()); len(got) > 70<<10 || !strings.Contains(got, "begin") || !strings.Contains(got, "end") {
		t.Errorf("the model got %d bytes: %.200q", len(got), got)
	}
}

// A gateway that stops lets a turn end before its clients go, who come back later.
func TestToolHostDrains(t *testing.T) {
	t.Parallel()
	rest := make(chan struct{})
	url, stop, ended := doorstest.ServeFor(t, doorstest.Conversing(t, gatewaytest.Store(t, false), doorstest.Gated{Rest: rest}, journaltest.NewMemory()))
	gone := make(chan error, 100)
	h := joins(t, doorstest.ClientOf(t, url), sdk.HostOptions{Connected: func(err error) {
		if err != nil {
			gone <- err
		}
	}})
	h.Say("Go")
	testkit.Eventually(t, "the first words come", func() (string, bool) {
		text, _ := h.told()
		return text, text != ""
	})
	stop()
	close(rest)
	if done := h.ends(t); done.Answer != "Well, done." {
		t.Errorf("%+v", done)
	}
	if err := doorstest.Receive(t, gone, "the goodbye"); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("%v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Revoking a token ends the streams that it opened, for good.
func TestToolHostRevoked(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, true), agenttest.NewScript(), journaltest.NewMemory())
	cfg.Hosted, cfg.Identity = true, gatewaytest.Identity(t)
	url := gatewaytest.Start(t, cfg)
	install, token := doorstest.Registered(t, cfg.Identity)
	host, err := doorstest.ClientOf(t, url, sdk.WithToken(token)).ToolHosts.Open(t.Context(), sdk.HostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- host.Serve(t.Context()) }()
	if err := cfg.Identity.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	if err := doorstest.Receive(t, served, "the end"); err == nil {
		t.Error("a program whose token is revoked goes on")
	}
}

// A client that does not say hello is sent away.
func TestToolHostWithoutHello(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), agenttest.NewScript(), journaltest.NewMemory())
	cfg.Times.Hello = 50 * time.Millisecond
	url := gatewaytest.Start(t, cfg)
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+"/api/agent/sessions/"+newHostSession(t, url)+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(doorstest.Patience))
	_, _, err = conn.ReadMessage()
	if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) || !strings.Contains(err.Error(), "no hello arrived within 50ms; send it as the first message") {
		t.Error(err)
	}
}

// Beats reads so many heartbeats.
func (r *rawHost) Beats(n int) {
	r.t.Helper()
	for n > 0 {
		_ = r.conn.SetReadDeadline(time.Now().Add(doorstest.Patience))
		_, raw, err := r.conn.ReadMessage()
		if err != nil {
			r.t.Fatal(err)
		}
		if m, err := sdkapi.ParseAgentMessage(raw); err == nil && m != nil && m.Head().Type == sdkapi.AgentHeartbeat {
			n--
		}
	}
}

// A client keeps its call for as long as it is there. Once it was away for hostTTL, another one gets the call. The
// journal's clock stands for the time that passes.
func TestToolHostTakesOver(t *testing.T) {
	t.Parallel()
	script := agenttest.NewScript(agenttest.Calling("c1", "save_note", `{"text":"1"}`)).Otherwise(agenttest.Saying("Kept."))
	log := journaltest.NewMemory()
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), script, log)
	cfg.Heartbeat = 20 * time.Millisecond
	url := gatewaytest.Start(t, cfg)
	first := &rawHost{t: t, url: url, session: newHostSession(t, url)}
	first.dial(fmt.Sprintf(noteHello, 0))
	first.Next()
	first.Send(`{"type":"user.message","content":"Go"}`)
	if call, ok := first.Next().(*sdkapi.AgentToolCallMessage); !ok || call.ToolCallID != "c1" {
		t.Fatalf("%+v", call)
	}
	second := joins(t, doorstest.ClientOf(t, url), sdk.HostOptions{Session: first.session, Tools: []sdk.HostTool{noteTool}})
	for range 6 {
		log.Pass(10 * time.Second)
		first.Beats(2) // before the second, its lease was renewed
	}
	if _, runs := second.told(); len(runs) > 0 {
		t.Errorf("the call of a client that is there is run by another: %v", runs)
	}
	_ = first.conn.Close()
	testkit.Eventually(t, "the call is taken over", func() (runs []int, done bool) {
		log.Pass(10 * time.Second) // until the gateway has noticed, the first client's lease is renewed
		_, runs = second.told()
		return runs, len(runs) > 0
	})
	if done := second.ends(t); done.Answer != "Kept." {
		t.Errorf("%+v", done)
	}
	if _, runs := second.told(); len(runs) != 1 || runs[0] != 1 {
		t.Errorf("runs: %v", runs)
	}
}
