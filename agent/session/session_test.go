package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// patience bounds what a test waits for.
const patience = 10 * time.Second

// bench is a session with a scripted model, on a journal in memory.
type bench struct {
	t     *testing.T
	log   journal.Journal
	model *script
	cfg   session.Config
	all   *session.Sessions
}

const (
	ada = "ada"
	one = "s1"
)

func newBench(t *testing.T, replies ...reply) *bench {
	t.Helper()
	b := &bench{t: t, log: journal.NewMemory(), model: &script{replies: replies}}
	t.Cleanup(func() { _ = b.log.Close() })
	b.cfg = session.Config{
		Journal: b.log, Tools: agent.NewRegistry(), System: "Be brief.",
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return b.model, models.Request{Model: "scripted"}, nil
		},
	}
	return b
}

// tool registers a tool that gives its name and arguments.
func (b *bench) tool(name string, risk agent.Risk, call func(context.Context, agent.Call) (agent.Result, error)) *bench {
	b.t.Helper()
	if call == nil {
		call = func(_ context.Context, c agent.Call) (agent.Result, error) {
			return agent.Result{Content: []agent.Part{agent.Text(name + " " + string(c.Arguments))}}, nil
		}
	}
	if err := b.cfg.Tools.Register(fake{agent.Descriptor{Name: name, Risk: risk, Origin: agent.Origin{Kind: agent.Builtin}}, call}); err != nil {
		b.t.Fatal(err)
	}
	return b
}

type fake struct {
	described agent.Descriptor
	call      func(context.Context, agent.Call) (agent.Result, error)
}

func (f fake) Descriptor() agent.Descriptor { return f.described }

func (f fake) Call(ctx context.Context, c agent.Call) (agent.Result, error) { return f.call(ctx, c) }

// open makes the session.
func (b *bench) open(settings session.Settings) *bench {
	b.t.Helper()
	b.all = session.New(b.cfg)
	b.t.Cleanup(b.all.Close)
	if err := b.all.Create(b.t.Context(), one, ada, settings); err != nil {
		b.t.Fatal(err)
	}
	return b
}

func (b *bench) start(text string) string {
	b.t.Helper()
	started, err := b.all.Start(b.t.Context(), one, ada, []session.Part{{Text: text}}, session.Reject)
	if err != nil {
		b.t.Fatal(err)
	}
	return started.Turn
}

// until follows the session to the first event of a kind, and returns all up
// to it.
func (b *bench) until(kind string) []journal.Event {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	var events []journal.Event
	for e, err := range b.all.Follow(ctx, one, 0) {
		if err != nil {
			b.t.Fatalf("waiting for %s: %v; there are %s", kind, err, kinds(events))
		}
		if events = append(events, e); e.Kind == kind {
			return events
		}
	}
	return nil
}

func kinds(events []journal.Event) string {
	var list []string
	for _, e := range events {
		list = append(list, e.Kind)
	}
	return strings.Join(list, " ")
}

// last decodes the last event.
func last[T any](t *testing.T, events []journal.Event) T {
	t.Helper()
	var data T
	if err := json.Unmarshal(events[len(events)-1].Data, &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func (b *bench) state() *session.State {
	b.t.Helper()
	state, err := b.all.State(b.t.Context(), one, ada)
	if err != nil {
		b.t.Fatal(err)
	}
	return state
}

// valid fails for a history that providers refuse.
func valid(t *testing.T, messages []models.Message) {
	t.Helper()
	open := map[string]bool{}
	for i, m := range messages {
		if m.Role != models.ToolRole && len(open) > 0 {
			t.Errorf("message %d comes before the results of %v", i, open)
		}
		for _, p := range m.Parts {
			switch {
			case p.Call != nil:
				open[p.Call.ID] = true
			case p.Result != nil && !open[p.Result.CallID]:
				t.Errorf("message %d has a result of %q, which is no open call", i, p.Result.CallID)
			case p.Result != nil:
				delete(open, p.Result.CallID)
			}
		}
		if len(m.Parts) == 0 {
			t.Errorf("message %d is empty", i)
		}
	}
	if len(open) > 0 {
		t.Errorf("no results of %v", open)
	}
}

func TestTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, calling("c1", "text_upper", `{"text":"hi"}`), reply{text: "It is HI."}).tool("text.upper", agent.Safe, nil).open(session.Settings{})
	b.start("Make hi large")
	events := b.until(session.KindTurnEnded)
	const want = "session.created session.configured turn.started prompt.system prompt.user prompt.tools model.asked model.answered tool.started tool.ended model.asked model.text model.answered turn.ended"
	if got := kinds(events); got != want {
		t.Errorf("events %s", got)
	}
	if ended := last[session.TurnEnded](t, events); ended.Reason != session.EndDone || ended.Usage.Total() != 30 {
		t.Errorf("ended %+v", ended)
	}
	asked := b.model.requests()
	if len(asked) != 2 {
		t.Fatalf("asked %d times", len(asked))
	}
	valid(t, asked[1].Messages)
	if !strings.HasPrefix(asked[0].System, "Be brief.\n\n") || asked[0].Model != "scripted" || asked[0].Tools[0].Name != "text_upper" {
		t.Errorf("asked %+v", asked[0])
	}
	text := asked[1].Messages[2].Parts[0].Result.Parts[0].Text
	if !strings.Contains(text, `text.upper {"text":"hi"}`) || !strings.HasPrefix(text, "<untrusted-") {
		t.Errorf("the model was shown %q", text)
	}
}

// What the model may not call, or calls wrongly, gets a result that tells it.
func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, calling("c1", "nothing", `{}`, "c2", "shell_run", `{}`, "c3", "type", `{"text":5}`)).tool("shell.run", agent.Risky, nil)
	b.cfg.Policy = session.Policy{{Tool: "shell_*", Verdict: session.Deny, Reason: "no shells"}, {Tool: "*", Verdict: session.Allow, Untrusted: true}}
	b.open(session.Settings{Tools: []session.ClientTool{{Name: "type", Risk: agent.Safe, Input: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)}}})
	b.start("go")
	events := b.until(session.KindTurnEnded)
	valid(t, b.model.requests()[1].Messages)
	for i, want := range []string{"There is no tool", "not allowed: no shells", "arguments.text: expected"} {
		if got := b.state().Messages[2].Parts[i].Result; !got.IsError || !strings.Contains(got.Parts[0].Text, want) {
			t.Errorf("call %d: %+v; events %s", i, got, kinds(events))
		}
	}
}

// A risky call waits for the user, who may change it, or not want it.
func TestApproval(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer journal.Answer
		want   string
	}{
		{"approved", journal.Answer{}, `shell.run {"command":"ls"}`},
		{"changed", journal.Answer{Value: json.RawMessage(`{"command":"pwd"}`)}, `shell.run {"command":"pwd"}`},
		{"denied", journal.Answer{Denied: true, Reason: "not now"}, "denied it, and says: not now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, calling("c1", "shell_run", `{"command":"ls"}`)).tool("shell.run", agent.Risky, nil).open(session.Settings{})
			b.start("list")
			asked := last[session.ApprovalRequested](t, b.until(session.KindApprovalRequested))
			if _, err := b.log.Decide(t.Context(), asked.Decision, journal.Decider{User: ada}, tt.answer); err != nil {
				t.Fatal(err)
			}
			b.until(session.KindTurnEnded)
			if got := b.state().Messages[2].Parts[0].Result.Parts[0].Text; !strings.Contains(got, tt.want) {
				t.Errorf("the model was told %q", got)
			}
			valid(t, b.model.requests()[1].Messages)
		})
	}
}

// The client's tools run one after the other, as a bundle; what follows a
// failure is not made.
func TestClientTools(t *testing.T) {
	t.Parallel()
	tool := func(name string) session.ClientTool {
		return session.ClientTool{Name: name, Risk: agent.Safe, Input: json.RawMessage(`{"type":"object"}`)}
	}
	b := newBench(t, calling("c1", "click", `{"n":1}`, "c2", "type", `{"n":2}`), calling("c3", "click", `{"n":3}`), calling("c4", "lost", `{}`, "c5", "type", `{"n":5}`))
	b.cfg.Prepare = func(_ context.Context, _ *session.State, c *session.Call) ([]byte, *session.Result, error) {
		if c.Name == "lost" {
			return nil, &session.Result{IsError: true, Parts: []session.Part{{Text: "not on the screen"}}}, nil
		}
		return []byte(strings.Replace(string(c.Arguments), "{", `{"at":7,`, 1)), nil, nil
	}
	b.open(session.Settings{Tools: []session.ClientTool{tool("click"), tool("type"), tool("lost")}})
	b.start("go")
	answered := 0
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	bundles := map[string]int{}
	for e, err := range b.all.Follow(ctx, one, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.KindToolRequested {
			asked := last[session.ToolRequested](t, []journal.Event{e})
			bundles[asked.Bundle]++
			if !strings.HasPrefix(string(asked.Arguments), `{"at":7,`) {
				t.Errorf("arguments %s", asked.Arguments)
			}
			value, _ := json.Marshal(session.Result{Parts: []session.Part{{Text: fmt.Sprint("did ", asked.Call), Untrusted: true}}})
			if _, err := b.log.Decide(ctx, asked.Decision, journal.Decider{User: ada}, journal.Answer{Value: value}); err != nil {
				t.Fatal(err)
			}
			answered++
		}
		if e.Kind == session.KindTurnEnded {
			break
		}
	}
	if answered != 3 || bundles[""] != 1 || len(bundles) != 2 {
		t.Errorf("%d answered, bundles %v", answered, bundles)
	}
	results := b.state().Messages[6].Parts
	if len(results) != 2 || !strings.Contains(results[0].Result.Parts[0].Text, "not on the screen") || !strings.Contains(results[1].Result.Parts[0].Text, "not made") {
		t.Errorf("results %+v", results)
	}
}

// Nothing new begins while a turn is open, and a cancel ends it soon, whatever
// it is doing.
func TestBusyAndCancel(t *testing.T) {
	t.Parallel()
	slow := func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	}
	for name, replies := range map[string][]reply{
		"while the model speaks":  {{text: "Well,", hold: true}},
		"while a tool runs":       {calling("c1", "slow_run", `{}`)},
		"while the user is asked": {calling("c1", "risky_run", `{}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, replies...).tool("slow.run", agent.Safe, slow).tool("risky.run", agent.Risky, nil).open(session.Settings{})
			turn := b.start("go")
			b.until(map[bool]string{true: session.KindModelText, false: session.KindModelAnswered}[replies[0].hold])
			if _, err := b.all.Start(t.Context(), one, ada, nil, session.Reject); fault.CodeOf(err) != sdkapi.TurnRunning {
				t.Errorf("a second turn: %v", err)
			}
			if err := b.all.Configure(t.Context(), one, ada, session.Settings{}); fault.CodeOf(err) != sdkapi.TurnRunning {
				t.Errorf("settings: %v", err)
			}
			began := time.Now()
			if err := b.all.Cancel(t.Context(), one, ada, turn); err != nil {
				t.Fatal(err)
			}
			ended := last[session.TurnEnded](t, b.until(session.KindTurnEnded))
			if ended.Reason != session.EndCanceled || time.Since(began) > time.Second {
				t.Errorf("ended %+v after %v", ended, time.Since(began))
			}
			for range 100 { // the lease is given back a moment later
				if _, err := b.all.Start(t.Context(), one, ada, []session.Part{{Text: "again"}}, session.Reject); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			requests := b.model.requests()
			for len(requests) < 2 {
				time.Sleep(time.Millisecond)
				requests = b.model.requests()
			}
			valid(t, requests[len(requests)-1].Messages)
		})
	}
}

// Messages that come while a turn is open wait, in their order, or end it.
func TestQueueAndInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t, reply{text: "Well,", hold: true}, reply{text: "B"}, reply{text: "C"}).open(session.Settings{})
	b.start("a")
	b.until(session.KindModelText)
	var turns []string
	for _, busy := range []session.Busy{session.Queue, session.Interrupt} {
		started, err := b.all.Start(t.Context(), one, ada, []session.Part{{Text: string(busy)}}, busy)
		if err != nil || !started.Queued {
			t.Fatalf("%s: %+v, %v", busy, started, err)
		}
		turns = append(turns, started.Turn)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var ends []string
	for e, err := range b.all.Follow(ctx, one, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.KindTurnEnded {
			ended := last[session.TurnEnded](t, []journal.Event{e})
			ends = append(ends, ended.Turn+" "+string(ended.Reason))
		}
		if len(ends) == 3 {
			break
		}
	}
	if !strings.HasSuffix(ends[0], " canceled") || ends[1] != turns[0]+" done" || ends[2] != turns[1]+" done" {
		t.Errorf("ends %q of %q", ends, turns)
	}
	b.model.replies = []reply{{text: "x", hold: true}}
	for n := range session.MaxQueued + 2 {
		_, err := b.all.Start(t.Context(), one, ada, []session.Part{{Text: "x"}}, session.Queue)
		if n == session.MaxQueued+1 && fault.CodeOf(err) != sdkapi.Overloaded || n < session.MaxQueued && err != nil {
			t.Errorf("message %d: %v", n, err)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	same := calling("c1", "text_upper", `{"a":1}`)
	for _, tt := range []struct {
		limits session.Limits
		want   session.EndReason
	}{
		{session.Limits{Repeated: 2}, session.EndRepeated},
		{session.Limits{Rounds: 2}, session.EndRounds},
		{session.Limits{Tokens: 20}, session.EndTokens},
		{session.Limits{WallTime: 50 * time.Millisecond}, session.EndTime},
	} {
		t.Run(string(tt.want), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, same, same, same, same, reply{text: "x", hold: true}).tool("text.upper", agent.Safe, nil)
			b.cfg.Limits = tt.limits
			if tt.want == session.EndTime {
				b.model.replies = b.model.replies[4:]
			}
			b.open(session.Settings{})
			b.start("go")
			if ended := last[session.TurnEnded](t, b.until(session.KindTurnEnded)); ended.Reason != tt.want || ended.Message == "" {
				t.Errorf("ended %+v", ended)
			}
		})
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, reply{err: fault.New("x", sdkapi.ModelRateLimited, "try later").Because(errors.New("secret"))}, reply{text: "half", err: errors.New("reset")}).open(session.Settings{})
	b.start("go")
	if ended := last[session.TurnEnded](t, b.until(session.KindTurnEnded)); ended.Code != sdkapi.ModelRateLimited || ended.Message != "try later" {
		t.Errorf("ended %+v", ended)
	}
}

// Somebody else's session is none.
func TestOwners(t *testing.T) {
	t.Parallel()
	b := newBench(t).open(session.Settings{})
	ctx := t.Context()
	_, errStart := b.all.Start(ctx, one, "eve", nil, session.Reject)
	_, errState := b.all.State(ctx, one, "eve")
	_, errMissing := b.all.State(ctx, "s2", "eve")
	for i, err := range []error{errStart, errState, errMissing, b.all.Cancel(ctx, one, "eve", "x"), b.all.Configure(ctx, one, "eve", session.Settings{}), b.all.Replace(ctx, one, "eve", nil), b.all.Create(ctx, one, "eve", session.Settings{})} {
		if fault.CodeOf(err) != sdkapi.SessionNotFound {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// The gateway is stopped after each event of a turn, in turn; another takes it
// up. The history stays valid, and no tool runs twice.
func TestCutPoints(t *testing.T) {
	t.Parallel()
	whole := cutAfter(t, 1000)
	if whole < 8 {
		t.Fatalf("only %d events", whole)
	}
	for n := 3; n < whole; n++ {
		cutAfter(t, n)
	}
}

// cutAfter lets a turn's gateway stop after n events, has another go on, and
// returns how many events there are.
func cutAfter(t *testing.T, n int) int {
	t.Helper()
	runs := map[string]int{}
	count := func(_ context.Context, c agent.Call) (agent.Result, error) {
		runs[c.ID]++ // one at a time, here
		return agent.Result{Content: []agent.Part{agent.Text("ok")}}, nil
	}
	b := newBench(t, calling("c1", "a_run", `{"n":1}`), calling("c2", "a_run", `{"n":2}`), reply{text: "All done."}).tool("a.run", agent.Risky, count)
	b.cfg.Policy = session.Policy{{Tool: "*", Verdict: session.Allow, Untrusted: true}}
	cut := &cutter{Journal: b.log}
	cut.left.Store(int64(n))
	b.cfg.Journal = cut
	b.open(session.Settings{})
	b.start("go")
	ended := make(chan []journal.Event, 1)
	go func() { ended <- b.until(session.KindTurnEnded) }()
	for range 1000 {
		if cut.over() {
			break
		}
		if len(ended) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	b.all.Close()
	b.cfg.Journal = b.log
	next := session.New(b.cfg)
	defer next.Close()
	for range 300 { // until the lease has run out
		if len(ended) > 0 {
			break
		}
		run, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		next.Run(run)
		stop()
	}
	events := <-ended
	for _, r := range b.model.requests() {
		valid(t, r.Messages)
	}
	for call, times := range runs {
		if times > 1 {
			t.Errorf("cut after %d: %s ran %d times", n, call, times)
		}
	}
	if e := last[session.TurnEnded](t, events); e.Reason != session.EndDone && n != 1000 {
		t.Logf("cut after %d: %+v", n, e)
	}
	return len(events)
}

// cutter is a journal that takes so many events and then fails, as one whose
// gateway has been killed.
type cutter struct {
	journal.Journal
	left atomic.Int64
}

func (c *cutter) over() bool { return c.left.Load() <= 0 }

func (c *cutter) AppendAs(ctx context.Context, lease journal.Lease, stream string, events ...journal.Event) (int64, error) {
	if c.left.Add(-int64(len(events))) < 0 {
		return 0, fault.New("cutter", sdkapi.LeaseLost, "gone")
	}
	return c.Journal.AppendAs(ctx, lease, stream, events...)
}
