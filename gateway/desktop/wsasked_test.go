package desktop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// hesitant is a model that says something once it may.
type hesitant chan struct{}

func (h hesitant) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return models.Scripted(ctx, "hesitant", req, func(ctx context.Context, answer *models.Answer) error {
		select {
		case <-h:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := answer.Text("Well."); err != nil {
			return err
		}
		answer.End(models.Stop)
		return nil
	})
}

// Each message of a turn names the query that began it, also to a client that comes to the turn while it is open.
func TestWSNamesTheQuery(t *testing.T) {
	t.Parallel()
	model := make(hesitant)
	url := doorstest.TalkingWith(t, model)
	ada, bob := doorstest.Dial(t, url, doorstest.Hello), doorstest.Dial(t, url, doorstest.Hello)
	one := ada.Asks("one", "")
	ada.Until(sdkapi.WSToolSchemas)
	two := bob.Asks("two", `,"on_busy":"queue"`) // the turn waits for the model alone, so that bob hears nothing of its past
	bob.Settled()
	close(model)
	want := []string{one, two}
	late := doorstest.Dial(t, url, doorstest.Hello)
	if got, _ := ada.ToEnds(2); !slices.Equal(got, want) {
		t.Errorf("to the client that began the first turn, the turns are of %q, not %q", got, want)
	}
	if got, _ := bob.ToEnds(2); !slices.Equal(got, want) {
		t.Errorf("to the client that came to the first turn, the turns are of %q, not %q", got, want)
	}
	late.Send(sdkapi.WSResume, `{"conversation_ref":"c1","seq":0}`)
	if got, _ := late.ToEnds(2); !slices.Equal(got, want) {
		t.Errorf("afterwards the turns are of %q, not %q", got, want)
	}
}

// A query that waited, and is said again while it is worked on, or on another connection behind its turn, begins no other.
func TestWSQueuedQueryAgain(t *testing.T) {
	t.Parallel()
	model := make(hesitant)
	url := doorstest.TalkingWith(t, model)
	ada, bob := doorstest.Dial(t, url, doorstest.Hello), doorstest.Dial(t, url, doorstest.Hello)
	ada.Asks("one", "")
	ada.Until(sdkapi.WSToolSchemas)
	two := uuid.NewString()
	said := fmt.Sprintf(`{"id":%q,"type":"query","payload":{"text":"two","conversation_ref":"c1","on_busy":"queue"}}`, two)
	bob.Raw(said)
	bob.Settled()
	model <- struct{}{}
	bob.Until(sdkapi.WSToolSchemas)
	_ = bob.Conn.NetConn().Close()
	bob = doorstest.Dial(t, url, doorstest.Hello)
	bob.Raw(said)
	bob.Raw(said) // by a client that hears the turn already
	bob.Settled()
	close(model)
	three := bob.Asks("three", `,"on_busy":"queue"`)
	if got, _ := bob.ToEnds(2); !slices.Equal(got, []string{two, three}) {
		t.Errorf("the turns are of %q, not of %s and %s", got, two, three)
	}
	bob.Raw(said) // it began no turn that is open, or the last one
	_, turn := bob.ToEnds(1)
	bob = doorstest.Dial(t, url, doorstest.Hello)
	bob.Raw(said)
	if _, same := bob.ToEnds(1); same != turn {
		t.Errorf("on another connection it begins the turn %s behind %s", same, turn)
	}
	bob.Raw(said)
	if _, same := bob.ToEnds(1); same == turn {
		t.Error("to a client that has heard its end, it is not another one")
	}
}

// asker is an agent whose tool waits, and what it hears was asked.
type asker struct {
	*sdk.WokenAgent
	mu      sync.Mutex
	asked   map[string]string // by turn
	calls   chan struct{}
	answers chan string // what they answer
}

// newAsker wakes an agent up whose tool waits until goOn is closed.
func newAsker(t *testing.T, url, user string, goOn chan struct{}) *asker {
	t.Helper()
	a := &asker{asked: map[string]string{}, calls: make(chan struct{}, 100), answers: make(chan string, 1000)}
	var err error
	a.WokenAgent, err = doorstest.ClientOf(t, url).WakeUp(t.Context(), sdk.WakeOptions{
		User: user,
		Tools: []sdk.WakeTool{{Name: "save_note", Schema: json.RawMessage(noteSchema), Run: func(ctx context.Context, _ sdk.WakeCall) sdk.WakeResult {
			a.calls <- struct{}{}
			select {
			case <-goOn:
			case <-ctx.Done():
			}
			return sdk.WakeResult{Output: "kept"}
		}}},
		Heard: func(m sdkapi.WSMessage) {
			if m.InReplyTo != "" {
				a.answers <- m.InReplyTo
			}
			var said sdkapi.UserMessageFull
			if m.Type == sdkapi.WSUserMessageFull && json.Unmarshal(m.Payload, &said) == nil {
				a.mu.Lock()
				defer a.mu.Unlock()
				a.asked[m.TurnRef] = said.Metadata.OriginalQuery
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// Check asks something, and fails the test unless the answer is that question's and it is asked once.
func (a *asker) Check(t *testing.T, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := a.Ask(ctx, sdk.WakeQuestion{Text: text, Conversation: "shared", OnBusy: "queue"})
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil || a.asked[answer.Turn] != text || !strings.HasSuffix(answer.Text, doorstest.SecretaryEnd) {
		t.Errorf("%q is answered by %+v, which is about %q: %v", text, answer, a.asked[answer.Turn], err)
	}
	times := 0
	for _, said := range a.asked {
		if said == text {
			times++
		}
	}
	if times != 1 {
		t.Errorf("%q began %d turns", text, times)
	}
}

// Settled returns once the gateway has taken all that the agent has said.
func (a *asker) Settled(t *testing.T) {
	t.Helper()
	id, err := a.Send(sdkapi.WSListModels, nil)
	if err != nil {
		t.Fatal(err)
	}
	for late := time.After(30 * time.Second); ; {
		select {
		case to := <-a.answers:
			if to == id {
				return
			}
		case <-late:
			t.Fatal("there is no answer within 30 s")
		}
	}
}

// has reports whether the agent has heard of a turn about a question.
func (a *asker) has(text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(slices.Collect(maps.Values(a.asked)), text)
}

// An agent that asks while another's turn runs in the same conversation gets the answer to its own question: whether it heard
// the conversation before that turn began, or comes to it, or its connection breaks while its question waits.
func TestWakeUpWaitsForItsOwnTurn(t *testing.T) {
	t.Parallel()
	url := doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL")
	for name, tt := range map[string]struct{ before, breaks bool }{
		"comes later": {}, "is there before": {before: true}, "comes later and breaks": {breaks: true}, "is there before and breaks": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire, goOn := gatewaytest.NewWire(t, url), make(chan struct{})
			ada, bob := newAsker(t, url, name, goOn), newAsker(t, wire.URL, name, goOn)
			if tt.before {
				if _, err := bob.Send(sdkapi.WSRehydrate, sdkapi.WSRehydratePayload{ConversationRef: "shared", Messages: []sdkapi.HistoryMessage{}}); err != nil {
					t.Fatal(err)
				}
				bob.Settled(t)
			}
			var both sync.WaitGroup
			both.Go(func() { ada.Check(t, "Keep ada's notes") })
			<-ada.calls
			both.Go(func() { bob.Check(t, "Keep bob's notes") })
			testkit.EventuallyWithin(t, 20*time.Second, "bob asks", func() (string, bool) { return "", len(wire.Said(sdkapi.WSQuery)) > 0 })
			bob.Settled(t)
			if tt.breaks {
				wire.Break()
			}
			close(goOn)
			if tt.breaks {
				testkit.EventuallyWithin(t, 20*time.Second, "bob's turn begins", func() (string, bool) { return "", ada.has("Keep bob's notes") })
				wire.Mend()
			}
			both.Wait()
		})
	}
}
