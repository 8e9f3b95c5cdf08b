package desktop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A question that waits for another's end and is given up is never asked, and the other goes on.
func TestWakeUpGivesUpWhatWaits(t *testing.T) {
	t.Parallel()
	wire := gatewaytest.NewWire(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL"))
	heard := make(chan sdkapi.WSMessage, 1000)
	runs, goOn := make(chan struct{}, 10), make(chan struct{})
	agent, err := doorstest.ClientOf(t, wire.URL).WakeUp(t.Context(), sdk.WakeOptions{
		User: "ada", Heard: func(m sdkapi.WSMessage) { heard <- m },
		Tools: []sdk.WakeTool{{Name: "save_note", Schema: json.RawMessage(noteSchema), Run: func(context.Context, sdk.WakeCall) sdk.WakeResult {
			runs <- struct{}{}
			<-goOn
			return sdk.WakeResult{Output: "kept"}
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	first := make(chan error, 1)
	go func() {
		_, err := agent.Ask(t.Context(), sdk.WakeQuestion{Text: "Keep three notes", Conversation: "c1"})
		first <- err
	}()
	<-runs
	ctx, cancel := context.WithCancelCause(t.Context())
	second := make(chan error, 1)
	go func() {
		_, err := agent.Ask(ctx, sdk.WakeQuestion{Text: "Pay the invoice", Conversation: "c1", OnBusy: "queue"})
		second <- err
	}()
	testkit.EventuallyWithin(t, 20*time.Second, "both are said", func() (string, bool) { return "", len(wire.Said(sdkapi.WSQuery)) == 2 })
	over := errors.New("never mind")
	cancel(over)
	if err := <-second; !errors.Is(err, over) {
		t.Error(err)
	}
	for dropped := false; !dropped; {
		select {
		case m := <-heard:
			dropped = m.Type == sdkapi.WSError && strings.Contains(string(m.Payload), "canceled this before it began")
		case <-time.After(20 * time.Second):
			t.Fatal("nothing says that it is dropped")
		}
	}
	close(goOn)
	if err := <-first; err != nil {
		t.Error("the first question: ", err)
	}
	answer, err := agent.Ask(t.Context(), sdk.WakeQuestion{Text: "Keep three notes", Conversation: "c1", OnBusy: "queue"})
	if err != nil || answer.Turn == "" {
		t.Errorf("%+v, %v", answer, err)
	}
	for len(heard) > 0 {
		if m := <-heard; strings.Contains(string(m.Payload), "Pay the invoice") {
			t.Errorf("it was asked: %s %s", m.Type, m.Payload)
		}
	}
}

// A question that is given up, and whose cancel is lost with the connection, is canceled on the next one, and not asked again.
func TestWakeUpCancelsOnTheNextConnection(t *testing.T) {
	t.Parallel()
	wire := gatewaytest.NewWire(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL"))
	agent, err := doorstest.ClientOf(t, wire.URL).WakeUp(t.Context(), sdk.WakeOptions{User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	wire.Lose()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := agent.Ask(ctx, sdk.WakeQuestion{Text: "Pay the invoice", Conversation: "c1"})
		done <- err
	}()
	said := func(kind string, n int) {
		t.Helper()
		testkit.EventuallyWithin(t, 20*time.Second, kind, func() (string, bool) { return "", len(wire.Said(kind)) == n })
	}
	said(sdkapi.WSQuery, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	said(sdkapi.WSCancel, 1)
	wire.Break()
	wire.Mend()
	said(sdkapi.WSCancel, 2)
	if list := wire.Said(sdkapi.WSQuery); len(list) != 1 {
		t.Errorf("it was asked again: %q", list)
	}
	var payload sdkapi.WSCancelPayload
	if err := json.Unmarshal([]byte(wire.Said(sdkapi.WSCancel)[1]), &payload); err != nil || payload.QueryID == "" {
		t.Errorf("%+v, %v", payload, err)
	}
}

// A cancel of what was refused ends no later turn, however often the connection breaks.
func TestToolHostCancelsNothingLater(t *testing.T) {
	t.Parallel()
	env := doorstest.ClientsGateways(t)
	client := doorstest.ClientOf(t, doorstest.ValueOf(env, "WINDIE_TEST_LOCAL"), sdk.WithUser("ada"))
	heard := make(chan sdkapi.AgentMessage, 1000)
	var calls atomic.Int64
	var cut sync.Once
	host, err := client.ToolHosts.Open(t.Context(), sdk.HostOptions{
		Heard: func(m sdkapi.AgentMessage) { heard <- m },
		Tools: []sdk.HostTool{{Name: "save_note", Risk: "safe", Parameters: json.RawMessage(noteSchema)}},
		Run: func(context.Context, sdk.HostCall) sdk.HostResult {
			calls.Add(1)
			cut.Do(func() {
				resp, err := http.Post(doorstest.ValueOf(env, "WINDIE_TEST_LOCAL_CONTROL")+"/cut", "", nil) //nolint:noctx // a test's own proxy
				if err != nil {
					t.Error(err)
					return
				}
				_ = resp.Body.Close()
			})
			return sdk.HostResult{Output: "kept"}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- host.Serve(ctx) }()
	defer func() {
		stop()
		<-served
	}()
	refused := host.Say(strings.Repeat("x", 300_000))
	host.Cancel()
	for {
		if m, ok := doorstest.Receive(t, heard, "the refusal").(*sdkapi.AgentErrorMessage); ok && m.MessageID == refused {
			break
		}
	}
	host.Say("Keep three notes")
	for {
		m, ok := doorstest.Receive(t, heard, "the end").(*sdkapi.AgentDoneMessage)
		if !ok {
			continue
		}
		if m.Metadata.Reason != string(session.EndDone) || calls.Load() != 3 {
			t.Errorf("%+v after %d calls", m.Metadata, calls.Load())
		}
		break
	}
	host.Say("Keep three notes")
	host.Cancel() // before its turn is known
	for {
		if m, ok := doorstest.Receive(t, heard, "the end of the second").(*sdkapi.AgentDoneMessage); ok {
			if m.Metadata.Reason != string(session.EndCanceled) {
				t.Errorf("%+v", m.Metadata)
			}
			return
		}
	}
}

// A deletion whose answer is lost has deleted, and one of what was never there has not.
func TestDeletionWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	env := doorstest.ClientsGateways(t)
	client := doorstest.ClientOf(t, doorstest.ValueOf(env, "WINDIE_TEST_LOCAL"), sdk.WithUser("ada"), sdk.WithKey(doorstest.LocalKey))
	shot, err := client.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	faults := fmt.Sprintf(`[{"path":"/api/artifacts/%s","times":1,"lose":true}]`, shot.ArtifactID)
	resp, err := http.Post(doorstest.ValueOf(env, "WINDIE_TEST_LOCAL_CONTROL")+"/faults", "application/json", strings.NewReader(faults)) //nolint:noctx // a test's own proxy
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if err := client.DeleteArtifact(t.Context(), shot.ArtifactID); err != nil {
		t.Error(err)
	}
	if err := client.DeleteArtifact(t.Context(), shot.ArtifactID); !errors.Is(err, &sdkapi.Error{Code: sdkapi.ArtifactNotFound}) {
		t.Errorf("the second deletion: %v", err)
	}
}
