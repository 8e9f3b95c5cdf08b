package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

const (
	ada = agenttest.User
	one = agenttest.Session
)

// timed runs a test by a fake clock: what waits for hours takes no time, and
// what waits for ever fails.
func timed(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

func TestTurn(t *testing.T) { timed(t, testTurn) }

func testTurn(t *testing.T) {
	b := agenttest.New(t, agenttest.Calling("c1", "text_upper", `{"text":"hi"}`), agenttest.Saying("It is HI.")).Tool("text.upper", agent.Safe, nil).Open(session.Settings{})
	b.Start("Make hi large")
	events := b.Until(session.KindTurnEnded)
	const want = "session.created session.configured turn.started prompt.system prompt.user prompt.tools model.asked model.answered tool.started tool.ended model.asked model.text model.answered turn.ended"
	if got := agenttest.Kinds(events); got != want {
		t.Errorf("events %s", got)
	}
	if ended := agenttest.Last[session.TurnEnded](t, events); ended.Reason != session.EndDone || ended.Usage.Total() != 30 {
		t.Errorf("ended %+v", ended)
	}
	asked := b.Model.Requests()
	if len(asked) != 2 {
		t.Fatalf("asked %d times", len(asked))
	}
	agenttest.Valid(t, asked[1].Messages)
	if !strings.HasPrefix(asked[0].System, "Be brief.\n\n") || asked[0].Model != "scripted" || asked[0].Tools[0].Name != "text_upper" {
		t.Errorf("asked %+v", asked[0])
	}
	text := asked[1].Messages[2].Parts[0].Result.Parts[0].Text
	if !strings.Contains(text, `text.upper {"text":"hi"}`) || !strings.HasPrefix(text, "<untrusted-") {
		t.Errorf("the model was shown %q", text)
	}
}

// A call that the model must not make, or makes wrongly, gets a result that says so.
func TestRefusedCalls(t *testing.T) { timed(t, testRefusedCalls) }

func testRefusedCalls(t *testing.T) {
	b := agenttest.New(t, agenttest.Calling("c1", "nothing", `{}`, "c2", "shell_run", `{}`, "c3", "type", `{"text":5}`)).Tool("shell.run", agent.Risky, nil)
	b.Config.Policy = session.Policy{{Tool: "shell_*", Verdict: session.Deny, Reason: "no shells"}, {Tool: "*", Verdict: session.Allow, Untrusted: true}}
	b.Open(session.Settings{Tools: []session.ClientTool{{Name: "type", Risk: agent.Safe, Input: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)}}})
	b.Start("go")
	events := b.Until(session.KindTurnEnded)
	agenttest.Valid(t, b.Model.Requests()[1].Messages)
	for i, want := range []string{"There is no tool", "Not allowed: no shells", "arguments.text: expected"} {
		if got := b.State().Messages[2].Parts[i].Result; !got.IsError || !strings.Contains(got.Parts[0].Text, want) {
			t.Errorf("call %d: %+v; events %s", i, got, agenttest.Kinds(events))
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
		{"denied", journal.Answer{Denied: true, Reason: "not now"}, "denied it and said: not now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, agenttest.Calling("c1", "shell_run", `{"command":"ls"}`)).Tool("shell.run", agent.Risky, nil).Open(session.Settings{})
				b.Start("list")
				asked := agenttest.Last[session.ApprovalRequested](t, b.Until(session.KindApprovalRequested))
				b.Decide(asked.Decision, tt.answer)
				b.Until(session.KindTurnEnded)
				if got := b.State().Messages[2].Parts[0].Result.Parts[0].Text; !strings.Contains(got, tt.want) {
					t.Errorf("the model was told %q", got)
				}
				agenttest.Valid(t, b.Model.Requests()[1].Messages)
			})
		})
	}
}

// The client's tools run one after the other, as a bundle; what follows a
// failure is not made.
func TestClientTools(t *testing.T) { timed(t, testClientTools) }

func testClientTools(t *testing.T) {
	b := agenttest.New(t, agenttest.Calling("c1", "click", `{"n":1}`, "c2", "type", `{"n":2}`), agenttest.Calling("c3", "click", `{"n":3}`), agenttest.Calling("c4", "lost", `{}`, "c5", "type", `{"n":5}`))
	b.Config.Prepare = func(_ context.Context, _ *session.State, c *session.Call) ([]byte, *session.Result, error) {
		if c.Name == "lost" {
			return nil, &session.Result{IsError: true, Parts: []session.Part{{Text: "not on the screen"}}}, nil
		}
		return []byte(strings.Replace(string(c.Arguments), "{", `{"at":7,`, 1)), nil, nil
	}
	b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click"), agenttest.ClientTool("type"), agenttest.ClientTool("lost")}})
	b.Start("go")
	answered := 0
	bundles := map[string]int{}
	b.Watch(func(e journal.Event) bool {
		if e.Kind == session.KindToolRequested {
			asked := agenttest.Data[session.ToolRequested](t, e)
			bundles[asked.Bundle]++
			if !strings.HasPrefix(string(asked.Arguments), `{"at":7,`) {
				t.Errorf("arguments %s", asked.Arguments)
			}
			value, _ := json.Marshal(session.Result{Parts: []session.Part{{Text: fmt.Sprint("did ", asked.Call), Untrusted: true}}})
			b.Decide(asked.Decision, journal.Answer{Value: value})
			answered++
		}
		return e.Kind == session.KindTurnEnded
	})
	if answered != 3 || bundles[""] != 1 || len(bundles) != 2 {
		t.Errorf("%d answered, bundles %v", answered, bundles)
	}
	results := b.State().Messages[6].Parts
	if len(results) != 2 || !strings.Contains(results[0].Result.Parts[0].Text, "not on the screen") || !strings.Contains(results[1].Result.Parts[0].Text, "Not run") {
		t.Errorf("results %+v", results)
	}
}

// Messages that come while a turn is open wait, in their order, or end it.
func TestQueueAndInterrupt(t *testing.T) { timed(t, testQueueAndInterrupt) }

func testQueueAndInterrupt(t *testing.T) {
	b := agenttest.New(t, agenttest.Reply{Text: []string{"Well,"}, Hold: true}, agenttest.Saying("B"), agenttest.Saying("C"), agenttest.Reply{Text: []string{"x"}, Hold: true}).Open(session.Settings{})
	b.Start("a")
	b.Until(session.KindModelText)
	var turns []string
	for _, busy := range []session.Busy{session.Queue, session.Interrupt} {
		started, err := b.Sessions.Start(t.Context(), one, ada, []session.Part{{Text: string(busy)}}, busy)
		if err != nil || !started.Queued {
			t.Fatalf("%s: %+v, %v", busy, started, err)
		}
		turns = append(turns, started.Turn)
	}
	var ends []string
	b.Watch(func(e journal.Event) bool {
		if e.Kind == session.KindTurnEnded {
			ended := agenttest.Data[session.TurnEnded](t, e)
			ends = append(ends, ended.Turn+" "+string(ended.Reason))
		}
		return len(ends) == 3
	})
	if !strings.HasSuffix(ends[0], " canceled") || ends[1] != turns[0]+" done" || ends[2] != turns[1]+" done" {
		t.Errorf("ends %q of %q", ends, turns)
	}
	for n := range session.MaxQueued + 2 {
		_, err := b.Sessions.Start(t.Context(), one, ada, []session.Part{{Text: "x"}}, session.Queue)
		if n == session.MaxQueued+1 && fault.CodeOf(err) != sdkapi.Overloaded || n < session.MaxQueued && err != nil {
			t.Errorf("message %d: %v", n, err)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	same := agenttest.Calling("c1", "text_upper", `{"a":1}`)
	for _, tt := range []struct {
		limits session.Limits
		want   session.EndReason
	}{
		{session.Limits{Repeated: 2}, session.EndRepeated},
		{session.Limits{Rounds: 2}, session.EndRounds},
		{session.Limits{Tokens: 20}, session.EndTokens},
	} {
		t.Run(string(tt.want), func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, same, same, same, same).Tool("text.upper", agent.Safe, nil)
				b.Config.Limits = tt.limits
				b.Open(session.Settings{}).Start("go")
				if ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded)); ended.Reason != tt.want || ended.Message == "" {
					t.Errorf("ended %+v", ended)
				}
			})
		})
	}
}

func TestModelFails(t *testing.T) { timed(t, testModelFails) }

func testModelFails(t *testing.T) {
	b := agenttest.New(t, agenttest.Reply{Err: fault.New("x", sdkapi.ModelRateLimited, "try later").Because(errors.New("secret"))}).Open(session.Settings{})
	b.Start("go")
	if ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded)); ended.Code != sdkapi.ModelRateLimited || ended.Message != "try later" {
		t.Errorf("ended %+v", ended)
	}
}

// Another user's session does not exist.
func TestOwners(t *testing.T) { timed(t, testOwners) }

func testOwners(t *testing.T) {
	b := agenttest.New(t).Open(session.Settings{})
	ctx := t.Context()
	_, errStart := b.Sessions.Start(ctx, one, "eve", nil, session.Reject)
	_, errState := b.Sessions.State(ctx, one, "eve")
	_, errMissing := b.Sessions.State(ctx, "s2", "eve")
	for i, err := range []error{errStart, errState, errMissing, b.Sessions.Cancel(ctx, one, "eve", "x"), b.Sessions.Configure(ctx, one, "eve", session.Settings{}), b.Sessions.Replace(ctx, one, "eve", nil), b.Sessions.Create(ctx, one, "eve", session.Settings{})} {
		if fault.CodeOf(err) != sdkapi.SessionNotFound {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// The gateway is stopped after each event of a turn, in turn; another takes it
// up. The history stays valid, and no tool runs twice.
func TestCutPoints(t *testing.T) {
	t.Parallel()
	whole := 0
	synctest.Test(t, func(t *testing.T) { whole = cutAfter(t, 1000) })
	if whole < 8 {
		t.Fatalf("only %d events", whole)
	}
	for n := 3; n < whole; n++ {
		synctest.Test(t, func(t *testing.T) { cutAfter(t, n) })
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
	b := agenttest.New(t, agenttest.Calling("c1", "a_run", `{"n":1}`), agenttest.Calling("c2", "a_run", `{"n":2}`), agenttest.Saying("All done.")).Tool("a.run", agent.Risky, count)
	b.Config.Policy = session.Policy{{Tool: "*", Verdict: session.Allow, Untrusted: true}}
	cut := &cutter{Journal: b.Journal}
	cut.left.Store(int64(n))
	b.Config.Journal = cut
	b.Open(session.Settings{}).Start("go")
	synctest.Wait() // the turn has ended, or its gateway has stopped
	b.Sessions.Close()
	b.Config.Journal = b.Journal
	next := b.Gateway(b.Config)
	run, stop := context.WithCancel(t.Context())
	defer stop()
	go next.Run(run)
	events := b.Until(session.KindTurnEnded)
	for _, r := range b.Model.Requests() {
		agenttest.Valid(t, r.Messages)
	}
	for call, times := range runs {
		if times > 1 {
			t.Errorf("cut after %d: %s ran %d times", n, call, times)
		}
	}
	if e := agenttest.Last[session.TurnEnded](t, events); e.Reason != session.EndDone {
		t.Errorf("cut after %d: %+v", n, e)
	}
	return len(events)
}

// cutter is a journal that takes left events and then fails, as one whose gateway has
// been killed.
type cutter struct {
	journal.Journal
	left atomic.Int64
}

func (c *cutter) AppendAs(ctx context.Context, lease journal.Lease, stream string, events ...journal.Event) (int64, error) {
	if c.left.Add(-int64(len(events))) < 0 {
		return 0, fault.New("cutter", sdkapi.LeaseLost, "gone")
	}
	return c.Journal.AppendAs(ctx, lease, stream, events...)
}

// However much a tool or a client says, and in however many parts, the model is
// shown a bounded part of it.
func TestLongResults(t *testing.T) {
	t.Parallel()
	const most = 4 << 10
	long := strings.Repeat("word ", most)
	for name, texts := range map[string][]string{
		"one":                        {long},
		"a short one behind":         {long, "x"},
		"one that just does not fit": {strings.Repeat("x", most-10), strings.Repeat("y", 30)},
		"several":                    {"x", long, long, "x"},
		"very many":                  strings.Split(strings.Repeat("x,", 10_000), ","),
		"none":                       {},
	} {
		for _, client := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " of a client: ", client), func(t *testing.T) {
				timed(t, func(t *testing.T) {
					b := agenttest.New(t, agenttest.Calling("c1", map[bool]string{false: "a_run", true: "click"}[client], `{}`))
					var content []agent.Part
					var told session.Result
					for _, text := range texts {
						content, told.Parts = append(content, agent.Text(text)), append(told.Parts, session.Part{Text: text})
					}
					b.Tool("a.run", agent.Safe, func(context.Context, agent.Call) (agent.Result, error) { return agent.Result{Content: content}, nil })
					b.Config.Limits.ResultBytes = most
					b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click")}}).Start("go")
					if client {
						value, _ := json.Marshal(told)
						b.Decide(agenttest.Last[session.ToolRequested](t, b.Until(session.KindToolRequested)).Decision, journal.Answer{Value: value})
					}
					ended := agenttest.Last[session.ToolEnded](t, b.Until(session.KindToolEnded))
					size := 0
					for _, p := range ended.Result.Parts {
						size += len(p.Text)
					}
					if size > most+500 || ended.Outcome != session.Done || len(texts) > 0 && size < min(most/2, len(strings.Join(texts, ""))) {
						t.Errorf("%d bytes in %d parts", size, len(ended.Result.Parts))
					}
				})
			})
		}
	}
}

// A client's tool gets no null in the place of an optional field.
func TestNullsAreNotRequested(t *testing.T) {
	t.Parallel()
	b := agenttest.New(t, agenttest.Calling("c1", "type", `{"text":"a","pace":null}`)).Open(session.Settings{Tools: []session.ClientTool{
		{Name: "type", Risk: agent.Safe, Input: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"pace":{"type":"number"}}}`)},
	}})
	b.Start("go")
	if got := agenttest.Last[session.ToolRequested](t, b.Until(session.KindToolRequested)).Arguments; string(got) != `{"text":"a"}` {
		t.Errorf("the client is asked for %s", got)
	}
}
