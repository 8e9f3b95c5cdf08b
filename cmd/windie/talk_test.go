package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/worker"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// keeper is a conversation of a person's with a real agent, over a wire that breaks when it is told to.
type keeper struct {
	*worker.Talk

	wire *gatewaytest.Wire

	mu    sync.Mutex
	notes []string // that were kept
	heard []sdkapi.WSMessage
}

// noting returns a conversation whose one tool keeps notes. keep is called before a note is kept, and may be nil.
func noting(t *testing.T, risk agent.Risk, approve asks, keep func(context.Context)) *keeper {
	t.Helper()
	c := &keeper{wire: gatewaytest.NewWire(t, serveForTest(t))}
	type note struct {
		Text string `json:"text"`
	}
	type kept struct {
		Kept string `json:"kept"`
	}
	tools := agent.NewRegistry()
	d := agent.Descriptor{Name: "note.keep", Description: "Keeps a note.", Risk: risk}
	tool := agent.Func(d, func(ctx context.Context, _ agent.Call, in note) (kept, error) {
		if keep != nil {
			keep(ctx)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notes = append(c.notes, in.Text)
		return kept{in.Text}, ctx.Err()
	})
	if err := tools.Register(tool); err != nil {
		t.Fatal(err)
	}
	var err error
	c.Talk, err = worker.NewTalk(worker.Options{URL: c.wire.URL, Tools: tools.View()}, worker.TalkOptions{
		Conversation: uuid.NewString(), Approve: approve, Hear: func(m sdkapi.WSMessage) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.heard = append(c.heard, m)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// outputs returns what the agent has heard of calls, each once.
func (c *keeper) outputs() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.heard {
		var p sdkapi.WSToolOutputPayload
		if m.Type == sdkapi.WSToolOutput && json.Unmarshal(m.Payload, &p) == nil {
			all = append(all, p.Output)
		}
	}
	return all
}

// tried waits until the conversation tries to come back.
func (c *keeper) tried(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, "it tries to connect", func() (string, bool) { return "", c.wire.Tries() > 0 })
}

const keepNote = `run note_keep {"text":"milk"}`

// A person's answer counts when it is given while there is no connection, or is lost on one that breaks; and so does that
// nobody could be asked.
func TestTalkAnswersAreNotLost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		breaks func(t *testing.T, c *keeper)
		yes    bool
		err    error
		want   string
	}{
		"a yes without a connection":                {func(t *testing.T, c *keeper) { c.wire.Break(); c.tried(t) }, true, nil, `"kept":"milk"`},
		"a yes that is lost":                        {func(_ *testing.T, c *keeper) { c.wire.Lose() }, true, nil, `"kept":"milk"`},
		"a no without a connection":                 {func(t *testing.T, c *keeper) { c.wire.Break(); c.tried(t) }, false, nil, "the user denied it"},
		"nobody can be asked":                       {func(*testing.T, *keeper) {}, false, errors.New("the terminal is gone"), "cannot ask the user: the terminal is gone"},
		"nobody can be asked, without a connection": {func(t *testing.T, c *keeper) { c.wire.Break(); c.tried(t) }, false, errors.New("the terminal is gone"), "the terminal is gone"},
		"that nobody can be asked is lost":          {func(_ *testing.T, c *keeper) { c.wire.Lose() }, true, errors.New("the terminal is gone"), "the terminal is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c *keeper
			asked := 0
			c = noting(t, agent.Risky, func(context.Context, sdkapi.WSApprovalRequestPayload) (bool, error) {
				asked++
				tt.breaks(t, c)
				return tt.yes, tt.err
			}, nil)
			over := make(chan struct{})
			go func() { // a connection that loses the answer breaks, and comes back
				defer close(over)
				testkit.Eventually(t, "the person has answered", func() (string, bool) {
					return "", len(c.wire.Said(sdkapi.WSApprovalDecision)) > 0 || c.wire.Tries() > 1
				})
				c.wire.Break()
				c.wire.Mend()
			}()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := c.Ask(ctx, keepNote)
			<-over
			if !strings.Contains(tt.want, "milk") {
				if !errors.Is(err, worker.ErrNotDone) {
					t.Errorf("what nobody allowed was done: %v", err)
				}
				err = nil
			}
			if got := c.outputs(); err != nil || len(got) != 1 || !strings.Contains(got[0], tt.want) || asked != 1 {
				t.Errorf("%q, %v; asked %d times, said %q", got, err, asked, c.wire.Said(sdkapi.WSApprovalDecision))
			}
		})
	}
}

// A person stops a turn while there is no connection: the next one lets the agent know, and the person hears what came of it.
func TestTalkStopsWithoutAConnection(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mend bool
		want string
	}{
		"it comes back": {true, "the agent has stopped working"},
		"it stays away": {false, "was not reachable within 10s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var c *keeper
			c = noting(t, agent.Safe, nil, func(ctx context.Context) {
				c.wire.Break()
				c.tried(t)
				stop()
				if tt.mend {
					c.wire.Mend()
				}
				<-ctx.Done()
			})
			_, err := c.Ask(ctx, keepNote)
			if !errors.Is(err, context.Canceled) || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Error(err)
			}
			if tt.mend {
				return
			}
			c.wire.Mend() // what the turn waits for comes again, and is not made again
			_, err = c.Ask(t.Context(), "run note_keep {}")
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.notes) != 1 {
				t.Errorf("%q, %v", c.notes, err)
			}
		})
	}
}

// A question that is stopped before there is a connection is not asked.
func TestTalkStopsBeforeAConnection(t *testing.T) {
	t.Parallel()
	c := noting(t, agent.Safe, nil, nil)
	c.wire.Break()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		c.tried(t)
		stop()
	}()
	_, err := c.Ask(ctx, keepNote)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "before the gateway received the query") || len(c.wire.Said(sdkapi.WSQuery)) > 0 {
		t.Errorf("%v, %q", err, c.wire.Said(sdkapi.WSQuery))
	}
}

// A result that the gateway has is not sent again: neither when a connection breaks nor with the next question.
func TestTalkSendsResultsOnce(t *testing.T) {
	t.Parallel()
	c := noting(t, agent.Safe, nil, nil)
	hear := c.Hear
	c.Hear = func(m sdkapi.WSMessage) {
		hear(m)
		if m.Type == sdkapi.WSToolOutput { // so that the gateway has it
			c.wire.Break()
			c.wire.Mend()
		}
	}
	for _, question := range []string{keepNote, `run note_keep {"text":"eggs"}`, "what tools are there"} {
		if _, err := c.Ask(t.Context(), question); err != nil {
			t.Fatal(err)
		}
	}
	if sent := c.wire.Said(sdkapi.WSToolResult); len(sent) != 2 || len(c.notes) != 2 {
		t.Errorf("sent %q of %q", sent, c.notes)
	}
}

// A gateway that refuses the connection ends the question, with what to do.
func TestTalkIsRefused(t *testing.T) {
	t.Parallel()
	talk, err := worker.NewTalk(worker.Options{URL: serveForTest(t, "WINDIE_MODE=hosted"), Token: "no token", Tools: agent.NewRegistry().View()}, worker.TalkOptions{Conversation: "c"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, err = talk.Ask(ctx, "anybody there?")
	if refused, ok := errors.AsType[*sdkapi.Error](err); !ok || refused.Code != sdkapi.AuthRequired || !strings.Contains(err.Error(), "check the keys and tokens") {
		t.Errorf("%v", err)
	}
}
