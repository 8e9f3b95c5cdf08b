package gateway_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// watched is a gateway whose clients watch turns of a gated model, each by
// another protocol, and two that watch nothing.
type watched struct {
	url   string
	stop  func()
	ended <-chan error // of Serve

	socket, idle *doorstest.Peer
	idleStream   <-chan error // of the general agent service; the end
	prompt       *doorstest.Listener
	promptEnd    <-chan struct{}
	general      <-chan sdk.GeneralEvent // all, until the stream ends
	waiting      <-chan error            // a chat without a stream
	leave        func()                  // of the streams' clients
}

func watch(t *testing.T, model models.Model, drain time.Duration) *watched {
	t.Helper()
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), model, journaltest.NewMemory())
	cfg.DrainTimeout = drain
	cfg.Times.Last = time.Minute // busy machines take their time
	w := &watched{}
	w.url, w.stop, w.ended = doorstest.ServeFor(t, cfg)
	w.idle = doorstest.Dial(t, w.url, doorstest.Hello)
	w.idle.Send(sdkapi.WSLoadSettings, `{}`)
	w.idle.Next() // it is heard
	w.socket = doorstest.Dial(t, w.url, doorstest.Hello)
	w.socket.Send(sdkapi.WSQuery, `{"text":"hi","conversation_ref":"c1"}`)
	w.socket.Until(sdkapi.WSStreamingResponse)
	w.prompt = doorstest.Prompted(t, w.url, `{"input":"hi","deltas":true}`)
	heard, end := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(end)
		w.prompt.On(w.url, func(e doorstest.Event) bool {
			if e.Kind == sdkapi.EventPromptDelta {
				heard <- struct{}{}
			}
			return true
		})
	}()
	doorstest.Receive(t, heard, "the prompt's first words")
	w.promptEnd = end
	w.talk(t)
	return w
}

// talk begins turns of the general agent service.
func (w *watched) talk(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	w.leave = cancel
	as, err := sdk.New(w.url, sdk.WithUser("ada"))
	if err != nil {
		t.Fatal(err)
	}
	general := as.General
	begin := func() string {
		made, err := general.Begin(ctx, sdkapi.V1SessionRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return made.GeneralSessionID
	}
	resp, err := doorstest.Asks(ctx, http.MethodGet, w.url+sdkapi.V1StreamPath+"?general_session_id="+begin(), "")
	if err != nil {
		t.Fatal(err)
	}
	idle := make(chan error, 1)
	go func() {
		defer resp.Body.Close()
		_, err := io.Copy(io.Discard, resp.Body)
		idle <- err
	}()
	events := make(chan sdk.GeneralEvent, 100)
	said := sdkapi.V1Message{ID: "m1", Parts: []sdkapi.V1Part{{Type: "text", Text: "hi"}}}
	chatting := begin()
	go func() {
		defer close(events)
		for e, err := range general.Chat(ctx, chatting, said) {
			if err != nil {
				return
			}
			events <- e
		}
	}()
	doorstest.Receive(t, events, "the agent's first words")
	waiting := make(chan error, 1)
	go func() {
		body := `{"general_session_id":"` + chatting + `","mode":"general","message":{"id":"m1","parts":[{"type":"text","text":"hi"}]}}`
		resp, err := doorstest.Asks(ctx, http.MethodPost, w.url+sdkapi.V1ChatPath, body)
		if err == nil {
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			if !strings.Contains(string(text), "Well, done.") {
				err = errors.New(string(text))
			}
		}
		waiting <- err
	}()
	w.idleStream, w.general, w.waiting = idle, events, waiting
}

// A gateway that stops lets those who watch a turn see its end, and closes all
// others at once. Nothing new begins meanwhile.
func TestDrainOfWatchers(t *testing.T) {
	t.Parallel()
	rest := make(chan struct{})
	w := watch(t, doorstest.Gated{Rest: rest}, doorstest.Patience)
	w.stop()
	w.idle.ClosedForNow()
	if err := doorstest.Receive(t, w.idleStream, "the end of a stream without a turn"); err != nil {
		t.Errorf("a stream without a turn ended with %v", err)
	}
	w.socket.Send(sdkapi.WSQuery, `{"text":"more","conversation_ref":"c2"}`)
	if m := w.socket.Next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), string(sdkapi.Overloaded)) {
		t.Errorf("a query meanwhile: %s %s", m.Type, m.Payload)
	}
	if _, err := doorstest.Asks(t.Context(), http.MethodPost, w.url+sdkapi.PromptPath, `{"input":"more"}`); err == nil || !strings.Contains(err.Error(), string(sdkapi.Overloaded)) {
		t.Errorf("a prompt meanwhile: %v", err)
	}
	select {
	case err := <-w.ended:
		t.Fatalf("Serve returned with turns running: %v", err)
	default:
	}
	close(rest)
	if types := strings.Join(w.socket.ClosedForNow(), " "); !strings.HasSuffix(types, sdkapi.WSStreamingComplete) {
		t.Errorf("the socket of a turn was sent %s", types)
	}
	doorstest.Receive(t, w.promptEnd, "the end of the prompt's stream")
	if last := w.prompt.Last(); last.Kind != sdkapi.EventPromptCompleted {
		t.Errorf("the prompt's last event is %v", last)
	}
	final := ""
	for e := range w.general {
		if e.Final != nil {
			final = e.Final.Text
		}
	}
	if final != "Well, done." {
		t.Errorf("the agent's last words are %q", final)
	}
	if err := doorstest.Receive(t, w.waiting, "the answer without a stream"); err != nil {
		t.Errorf("the answer without a stream: %v", err)
	}
	if err := doorstest.Receive(t, w.ended, "Serve"); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// When the time is over, who watches is told to come back, and the turn is left
// as it is: Serve does not say that something was cut off.
func TestDrainOfWatchersHasAnEnd(t *testing.T) {
	t.Parallel()
	w := watch(t, doorstest.Gated{}, time.Millisecond)
	w.stop()
	if types := strings.Join(w.socket.ClosedForNow(), " "); strings.Contains(types, sdkapi.WSStreamingComplete) || strings.Contains(types, sdkapi.WSAssistantMessageFull) {
		t.Errorf("the socket of a turn that goes on was sent %s", types)
	}
	doorstest.Receive(t, w.promptEnd, "the end of the prompt's stream")
	if last := w.prompt.Last(); last.Kind != sdkapi.EventPromptDelta {
		t.Errorf("the prompt's last event is %v", last)
	}
	if err := doorstest.Receive(t, w.waiting, "the answer without a stream"); err == nil || !strings.Contains(err.Error(), string(sdkapi.Overloaded)) {
		t.Errorf("the answer without a stream: %v", err)
	}
	if err := doorstest.Receive(t, w.ended, "Serve"); err != nil {
		t.Errorf("Serve: %v", err)
	}
	w.leave()
	for e := range w.general {
		if e.Final != nil || e.Failed != nil {
			t.Errorf("the agent's last event is %+v", e)
		}
	}
}
