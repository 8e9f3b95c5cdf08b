package desktop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// noteSchema is the schema of the tool that the secretary calls.
const noteSchema = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`

// notes counts what save_note was called with.
type notes struct {
	mu   sync.Mutex
	kept []string
}

// tool returns the tool that keeps notes.
func (n *notes) tool() sdk.WakeTool {
	return sdk.WakeTool{Name: "save_note", Schema: json.RawMessage(noteSchema), Run: func(_ context.Context, call sdk.WakeCall) sdk.WakeResult {
		var in struct{ Text string }
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return sdk.WakeResult{Error: err.Error()}
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		n.kept = append(n.kept, in.Text)
		return sdk.WakeResult{Output: "kept " + in.Text}
	}}
}

// Check fails the test unless each note was kept once.
func (n *notes) Check(t *testing.T) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if got := slices.Sorted(slices.Values(n.kept)); !slices.Equal(got, []string{"note 1", "note 2", "note 3"}) {
		t.Errorf("notes: %q", got)
	}
}

// askedAgent has an agent with a tool keep three notes. heard gets the number of each message of the conversation.
func askedAgent(t *testing.T, client *sdk.Client, user string, heard func(n int)) {
	t.Helper()
	var kept notes
	var ids []string
	n := 0
	agent, err := client.WakeUp(t.Context(), sdk.WakeOptions{User: user, Tools: []sdk.WakeTool{kept.tool()}, Heard: func(m sdkapi.WSMessage) {
		if m.ConversationRef == "" {
			return
		}
		n++
		ids = append(ids, fmt.Sprint(m.Seq, m.Type, string(m.Payload)))
		heard(n)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	answer, err := agent.Ask(t.Context(), sdk.WakeQuestion{Text: "Keep three notes"})
	if err != nil || !strings.HasSuffix(answer.Text, "All three notes are kept.") || answer.Turn == "" {
		t.Errorf("%+v, %v", answer, err)
	}
	kept.Check(t)
	agent.Close()
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("messages were heard twice: %q", ids)
	}
}

// Wherever the connection of the Go client's agent breaks, each call runs once, and the answer is whole.
func TestWakeUpOverABadLink(t *testing.T) {
	t.Parallel()
	url := doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL")
	all := 0
	askedAgent(t, doorstest.ClientOf(t, url), "nobody breaks it", func(n int) { all = n })
	if all < 8 {
		t.Fatalf("%d messages", all)
	}
	for at := 1; at < all; at++ {
		t.Run(fmt.Sprint("broken at ", at), func(t *testing.T) {
			t.Parallel()
			wire := gatewaytest.NewWire(t, url)
			askedAgent(t, doorstest.ClientOf(t, wire.URL), fmt.Sprint("broken at ", at), func(n int) {
				if n == at {
					wire.Break()
					wire.Mend()
				}
			})
		})
	}
}

// An agent of a hosted gateway is let in by the client's token, and a wrong one or a wrong tool is an error that says so.
func TestWakeUp(t *testing.T) {
	t.Parallel()
	env := doorstest.ClientsGateways(t)
	url := doorstest.ValueOf(env, "WINDIE_TEST_HOSTED")
	me, err := doorstest.ClientOf(t, url).Install.Register(t.Context(), "Linux")
	if err != nil {
		t.Fatal(err)
	}
	askedAgent(t, doorstest.ClientOf(t, url, sdk.WithToken(me.InstallToken), sdk.WithUser(me.UserID)), "", func(int) {})
	for name, tt := range map[string]struct {
		client *sdk.Client
		tool   string
		want   string
	}{
		"a wrong token": {doorstest.ClientOf(t, url, sdk.WithToken("wrong")), "save_note", "AUTH_REQUIRED"},
		"a wrong tool":  {doorstest.ClientOf(t, doorstest.ValueOf(env, "WINDIE_TEST_LOCAL")), "not a name!", "rejected these tools: not a name!"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.client.WakeUp(t.Context(), sdk.WakeOptions{Tools: []sdk.WakeTool{{Name: tt.tool, Schema: json.RawMessage(noteSchema)}}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Calls of the gateway's tools are asked about, messages of any type can be sent, and a context that ends cancels the turn.
func TestWakeUpAsksAndCancels(t *testing.T) {
	t.Parallel()
	client := doorstest.ClientOf(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL"))
	heard := make(chan sdkapi.WSMessage, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	agent, err := client.WakeUp(t.Context(), sdk.WakeOptions{
		User: "ada", Heard: func(m sdkapi.WSMessage) { heard <- m },
		Tools: []sdk.WakeTool{{Name: "save_note", Schema: json.RawMessage(noteSchema), Run: func(ctx context.Context, _ sdk.WakeCall) sdk.WakeResult {
			cancel()
			<-ctx.Done()
			return sdk.WakeResult{Error: "closed"}
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	id, err := agent.Send(sdkapi.WSListModels, nil)
	if err != nil {
		t.Fatal(err)
	}
	for m := range heard {
		if m.Type == sdkapi.WSModelsListed && m.InReplyTo == id {
			break
		}
	}
	if _, err := agent.Ask(ctx, sdk.WakeQuestion{Text: "Keep three notes"}); err == nil || ctx.Err() == nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
	for m := range heard {
		if m.Type == sdkapi.WSError {
			if !strings.Contains(string(m.Payload), "canceled") {
				t.Errorf("%s", m.Payload)
			}
			break
		}
	}
	agent.Close()
	if _, err := agent.Send(sdkapi.WSListModels, nil); err == nil {
		t.Error("a closed agent takes messages")
	}
}

// A result that nobody waits for any longer is not sent again when the connection breaks.
func TestWakeUpSendsResultsOnce(t *testing.T) {
	t.Parallel()
	wire := gatewaytest.NewWire(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL"))
	heard := make(chan sdkapi.WSMessage, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	late := make(chan struct{})
	agent, err := doorstest.ClientOf(t, wire.URL).WakeUp(t.Context(), sdk.WakeOptions{
		User: "ada", Heard: func(m sdkapi.WSMessage) { heard <- m },
		Tools: []sdk.WakeTool{{Name: "save_note", Schema: json.RawMessage(noteSchema), Run: func(context.Context, sdk.WakeCall) sdk.WakeResult {
			cancel()
			<-late
			return sdk.WakeResult{Output: "too late"}
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	await := func(what string, is func(sdkapi.WSMessage) bool) {
		t.Helper()
		for late := time.After(30 * time.Second); ; {
			select {
			case m := <-heard:
				if is(m) {
					return
				}
			case <-late:
				t.Fatal("it is not heard: ", what)
			}
		}
	}
	if _, err := agent.Ask(ctx, sdk.WakeQuestion{Text: "Keep three notes"}); err == nil {
		t.Error("a turn that is canceled has an answer")
	}
	await("the end of the turn", func(m sdkapi.WSMessage) bool { return m.Type == sdkapi.WSStreamingComplete })
	close(late)
	await("the refusal of the result", func(m sdkapi.WSMessage) bool {
		return strings.Contains(string(m.Payload), string(sdkapi.DecisionExpired))
	})
	before := len(wire.Said(sdkapi.WSToolResult))
	wire.Break()
	testkit.Eventually(t, "the agent tries to come back", func() (string, bool) { return "", wire.Tries() > 0 })
	wire.Mend()
	id, err := agent.Send(sdkapi.WSListModels, nil)
	if err != nil {
		t.Fatal(err)
	}
	await("the models, on the next connection", func(m sdkapi.WSMessage) bool { return m.InReplyTo == id })
	if sent := wire.Said(sdkapi.WSToolResult); len(sent) != before {
		t.Errorf("%d results were sent again: %q", len(sent)-before, sent)
	}
}

// A request that is lost with its connection is made again on the next one, and not once it is answered.
func TestWakeUpKeepsRequests(t *testing.T) {
	t.Parallel()
	wire := gatewaytest.NewWire(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL"))
	answers := make(chan string, 1000)
	agent, err := doorstest.ClientOf(t, wire.URL).WakeUp(t.Context(), sdk.WakeOptions{User: "ada", Heard: func(m sdkapi.WSMessage) { answers <- m.InReplyTo }})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	wire.Lose()
	id, err := agent.Send(sdkapi.WSListModels, nil)
	if err != nil {
		t.Fatal(err)
	}
	testkit.EventuallyWithin(t, 20*time.Second, "the request is lost", func() (string, bool) { return "", len(wire.Said(sdkapi.WSListModels)) > 0 })
	for range 2 { // the second time it is answered already
		wire.Break()
		wire.Mend()
		if id == "" {
			if id, err = agent.Send(sdkapi.WSLoadSettings, nil); err != nil {
				t.Fatal(err)
			}
		}
		for late := time.After(20 * time.Second); id != ""; {
			select {
			case to := <-answers:
				if to == id {
					id = ""
				}
			case <-late:
				t.Fatal("the answer is not heard")
			}
		}
	}
	if said := wire.Said(sdkapi.WSListModels); len(said) != 2 {
		t.Errorf("said: %q", said)
	}
}

// A decision that is lost with its connection is sent again on the next one.
func TestWakeUpKeepsDecisions(t *testing.T) {
	t.Parallel()
	wire := gatewaytest.NewWire(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL"))
	var once sync.Once
	agent, err := doorstest.ClientOf(t, wire.URL).WakeUp(t.Context(), sdk.WakeOptions{
		User: "ada", Disabled: []string{"keyboard_control"}, // so that a tool of the gateway's is called
		Approve: func(context.Context, sdkapi.WSApprovalRequestPayload) (bool, string) {
			once.Do(wire.Lose)
			return false, "not now"
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	over := make(chan struct{})
	go func() {
		defer close(over)
		testkit.EventuallyWithin(t, 20*time.Second, "a decision is lost", func() (string, bool) { return "", len(wire.Said(sdkapi.WSApprovalDecision)) > 0 })
		wire.Break()
		wire.Mend()
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := agent.Ask(ctx, sdk.WakeQuestion{Text: "Keep three notes"})
	<-over
	said := wire.Said(sdkapi.WSApprovalDecision)
	if err != nil || len(said) < 2 || said[0] != said[1] {
		t.Errorf("%+v, %v; said %q", answer, err, said)
	}
}
