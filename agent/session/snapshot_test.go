package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// talk is a conversation of which everything is by chance.
type talk struct {
	t    *testing.T
	b    *agenttest.Bench
	mu   sync.Mutex
	rng  *rand.Rand
	seen []journal.Event // by who followed from the first event on
	call int
}

// newTalk begins one. Its model answers as the talk's chance has it.
func newTalk(t *testing.T, seed uint64) *talk {
	t.Helper()
	k := &talk{t: t, rng: rand.New(rand.NewPCG(seed, seed))}
	k.b = agenttest.New(t).Tool("look.up", agent.Safe, nil).Tool("shell.run", agent.Risky, nil)
	k.b.Config.Model = func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
		return agenttest.NewScript(k.reply()), models.Request{}, nil
	}
	k.b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click"), agenttest.ClientTool("type")}})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		for e, err := range k.b.Sessions.Follow(ctx, one, 0) {
			if err != nil {
				return
			}
			k.seen = append(k.seen, e)
			k.answer(e)
		}
	}()
	return k
}

// chance returns a number below n.
func (k *talk) chance(n int) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rng.IntN(n)
}

// reply is what the model says next: a text in pieces, with or without calls,
// or half of it and an error.
func (k *talk) reply() agenttest.Reply {
	r := agenttest.Reply{Delay: time.Millisecond, Usage: models.Usage{Input: k.chance(100)}}
	for range k.chance(40) {
		r.Text = append(r.Text, strings.Repeat(`<"é\u2028`, 1+k.chance(5)))
	}
	if k.chance(3) == 0 {
		r.Thoughts, r.Signature = []string{"hm"}, "s"
	}
	if k.chance(2) == 0 {
		for range 1 + k.chance(4) {
			k.call++
			name := []string{"look_up", "shell_run", "click", "type", "nothing"}[k.chance(5)]
			r.Calls = append(r.Calls, models.Call{ID: fmt.Sprint("c", k.call), Name: name, Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d, "t":"<&>"}`, k.call))})
		}
	}
	if k.chance(20) == 0 {
		r.Err = fmt.Errorf("broken")
	}
	return r
}

// answer decides what waits, or does not.
func (k *talk) answer(e journal.Event) {
	var asked struct{ Decision string }
	if e.Kind != session.KindApprovalRequested && e.Kind != session.KindToolRequested || json.Unmarshal(e.Data, &asked) != nil {
		return
	}
	a := journal.Answer{Value: json.RawMessage(`{"parts":[{"text":"did <it>","untrusted":true},{"artifact":"a.png"}]}`)}
	if e.Kind == session.KindApprovalRequested {
		a = journal.Answer{Denied: k.chance(2) == 0, Reason: "so"}
	}
	if k.chance(10) == 0 {
		return // nobody answers
	}
	_, err := k.b.Journal.Decide(k.t.Context(), asked.Decision, journal.Decider{User: ada}, a)
	if err != nil && fault.CodeOf(err) != sdkapi.DecisionExpired { // as it is where the turn was canceled just now
		k.t.Error(err)
	}
}

// step is a turn, or what there is between two.
func (k *talk) step() {
	k.t.Helper()
	ctx := k.t.Context()
	var err error
	switch k.chance(20) {
	case 0:
		err = k.b.Sessions.Configure(ctx, one, ada, session.Settings{System: "Be <short>.", Disabled: []string{"type"}, Tools: []session.ClientTool{agenttest.ClientTool("click")}})
	case 1:
		if k.chance(2) == 0 {
			err = k.b.Sessions.Replace(ctx, one, ada, []session.Message{session.Text(models.User, "before")})
		}
	default:
		var turn session.Started
		turn, err = k.b.Sessions.Start(ctx, one, ada, []session.Part{{Text: "go"}, {Artifact: "b.png"}}, session.Queue)
		if err == nil && k.chance(8) == 0 {
			time.Sleep(time.Duration(k.chance(50)) * time.Millisecond)
			err = k.b.Sessions.Cancel(ctx, one, ada, turn.Turn)
		}
	}
	if err != nil {
		k.t.Fatal(err)
	}
	time.Sleep(time.Hour)
	synctest.Wait()
}

// folded returns the state that follows from events.
func folded(t *testing.T, events []journal.Event) *session.State {
	t.Helper()
	state := &session.State{}
	for _, e := range events {
		if err := state.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

// read returns what there is of a stream after an event.
func read(t *testing.T, log journal.Journal, stream string, after int64) []journal.Event {
	t.Helper()
	var all []journal.Event
	for {
		events, err := log.Read(t.Context(), stream, after, journal.MaxEvents)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			return all
		}
		all = append(all, events...)
		after = events[len(events)-1].Seq
	}
}

// The state that is read with the help of one that was kept is that of all
// events, and who resumes gets each event once, or a single resync.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	talks, events := uint64(3), 2*session.KeptEvents
	if testing.Short() || brief {
		talks, events = 1, session.KeptEvents
	}
	for seed := range talks {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			timed(t, func(t *testing.T) { testSnapshots(t, seed, events+1000) })
		})
	}
}

func testSnapshots(t *testing.T, seed uint64, events int) {
	k := newTalk(t, seed)
	most, largest := 0, int64(0) // events kept, and of a turn
	for n := 0; len(k.seen) < events; n++ {
		before := len(k.seen)
		k.step()
		largest = max(largest, int64(len(k.seen)-before))
		if n%60 == 0 {
			if got, want := k.b.State(), folded(t, k.seen); !reflect.DeepEqual(got, want) {
				t.Fatalf("after %d events the state is\n%+v, and that of all events\n%+v", len(k.seen), got, want)
			}
			most = max(most, len(read(t, k.b.Journal, "session/"+one, 0)))
		}
	}
	for i, e := range k.seen {
		if e.Seq != int64(i+1) || e.Kind == journal.Resync {
			t.Fatalf("who followed got %+v at %d", e, i+1)
		}
	}
	if bound := session.KeptEvents + int(largest) + 300; most > bound || most < session.KeptEvents/2 {
		t.Errorf("%d events were kept", most)
	}
	want := folded(t, k.seen)
	for _, after := range []int64{0, 1, int64(len(k.seen)) / 2, int64(len(k.seen)) - 1, int64(k.chance(len(k.seen)))} {
		checkResume(t, k, after, want)
	}
	for _, stream := range []string{"state/" + one, "mark/" + one, "control/" + one} {
		if events := read(t, k.b.Journal, stream, 0); len(events) > 100 {
			t.Errorf("%s has %d events", stream, len(events))
		}
	}
}

// checkResume reads on behind an event, as a client that was away does.
func checkResume(t *testing.T, k *talk, after int64, want *session.State) {
	t.Helper()
	events := read(t, k.b.Journal, "session/"+one, after)
	state, next := folded(t, k.seen[:after]), after
	for i, e := range events {
		if resync := e.Kind == journal.Resync; resync != (i == 0 && e.Seq != next+1) || !resync && e.Seq != next+1 {
			t.Fatalf("after %d event %d is %s, number %d", after, i, e.Kind, e.Seq)
		}
		if err := state.Apply(e); err != nil {
			t.Fatal(err)
		}
		next = e.Seq
	}
	if !reflect.DeepEqual(state, want) {
		t.Errorf("who resumed after %d has %+v, and not %+v", after, state, want)
	}
}

// A state that is larger than an event is kept too, and where it is too large
// for the journal's own snapshot, the session can still be read.
func TestLargeState(t *testing.T) {
	timed(t, func(t *testing.T) {
		long := agenttest.Reply{Text: []string{strings.Repeat("word ", 80<<10)}} // 400 KB
		b := agenttest.New(t)
		b.Config.Model = func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return agenttest.NewScript(long), models.Request{}, nil
		}
		b.Open(session.Settings{})
		for range 3 {
			b.Start("say much")
			synctest.Wait()
		}
		long = agenttest.Reply{Delay: time.Millisecond, Text: strings.SplitAfter(strings.Repeat("a,", 3000), ",")}
		for range 4 {
			b.Start("say it piece by piece")
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		events := read(t, b.Journal, "session/"+one, 0)
		if events[0].Kind != journal.Resync || string(events[0].Data) != "null" {
			t.Fatalf("the first event is %s %.100s", events[0].Kind, events[0].Data)
		}
		if state := b.State(); len(state.Messages) != 14 || len(state.Messages[1].Parts[0].Text) != 400<<10 {
			t.Errorf("%d messages", len(state.Messages))
		}
		if pieces := read(t, b.Journal, "state/"+one, 0); len(pieces) < 4 || len(pieces) > 12 {
			t.Errorf("the state is in %d pieces", len(pieces))
		}
	})
}

// BenchmarkState reads a conversation of 10,000 events from SQLite: all of it,
// and from the state that is kept.
func BenchmarkState(b *testing.B) {
	db, err := database.Open(b.Context(), database.Config{File: filepath.Join(b.TempDir(), "windie.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	all := session.New(session.Config{Journal: log, Tools: agent.NewRegistry(), Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
		return agenttest.NewScript(agenttest.Saying("Done.")), models.Request{}, nil
	}})
	defer all.Close()
	if err := all.Create(b.Context(), one, ada, session.Settings{}); err != nil {
		b.Fatal(err)
	}
	longTalk(b, log, 10_000)
	b.Run("from all events", func(b *testing.B) {
		for b.Loop() {
			if state, err := all.State(b.Context(), one, ada); err != nil || len(state.Messages) < 1000 {
				b.Fatal(state, err)
			}
		}
	})
	if _, err := all.Start(b.Context(), one, ada, []session.Part{{Text: "go"}}, session.Reject); err != nil {
		b.Fatal(err)
	}
	for kept := int64(0); kept == 0; { // a moment behind the turn's end
		if kept, err = log.Append(b.Context(), "state/"+one); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("from the one kept", func(b *testing.B) {
		for b.Loop() {
			if state, err := all.State(b.Context(), one, ada); err != nil || len(state.Messages) < 1000 {
				b.Fatal(state, err)
			}
		}
	})
}

// longTalk appends turns as they are: what is shown, some text in pieces, and a
// call.
func longTalk(b *testing.B, log journal.Journal, events int) {
	b.Helper()
	for n := 0; n < events; {
		turn := fmt.Sprint("turn_", n)
		text := strings.Repeat("some words ", 20)
		call := models.Call{ID: fmt.Sprint("c", n), Name: "look_up", Arguments: json.RawMessage(`{"q":"x"}`)}
		list := []struct {
			kind string
			data any
		}{
			{session.KindTurnStarted, session.TurnStarted{Turn: turn, Started: time.Now(), Parts: []session.Part{{Text: text}}}},
			{session.KindSystemPrompt, session.SystemPrompt{Turn: turn, Text: strings.Repeat(text, 10)}},
			{session.KindUserMessage, session.UserMessage{Turn: turn, Text: text}},
			{session.KindToolSchemas, session.ToolSchemas{Turn: turn, Tools: []session.ToolSchema{{Name: "look_up", Description: strings.Repeat(text, 40), Input: json.RawMessage(`{}`)}}}},
			{session.KindModelAsked, session.ModelAsked{Turn: turn, Round: 1}},
			{session.KindModelAnswered, session.ModelAnswered{Turn: turn, Message: session.Message{Role: models.Assistant, Parts: []session.Part{{Call: &call}}}, End: models.ToolCalls}},
			{session.KindToolStarted, session.ToolStarted{Turn: turn, Call: call.ID, Tool: call.Name, Arguments: call.Arguments}},
			{session.KindToolEnded, session.ToolEnded{Turn: turn, Call: call.ID, Tool: call.Name, Result: session.Result{Call: call.ID, Parts: []session.Part{{Text: strings.Repeat(text, 5)}}}}},
			{session.KindModelAsked, session.ModelAsked{Turn: turn, Round: 2}},
			{session.KindModelText, session.ModelText{Turn: turn, Text: text}},
			{session.KindModelText, session.ModelText{Turn: turn, Text: text}},
			{session.KindModelText, session.ModelText{Turn: turn, Text: text}},
			{session.KindModelAnswered, session.ModelAnswered{Turn: turn, Message: session.Text(models.Assistant, text+text+text), End: models.Stop}},
			{session.KindTurnEnded, session.TurnEnded{Turn: turn, Reason: session.EndDone}},
		}
		batch := make([]journal.Event, len(list))
		for i, e := range list {
			data, err := json.Marshal(e.data)
			if err != nil {
				b.Fatal(err)
			}
			batch[i] = journal.Event{Kind: e.kind, Data: data}
		}
		if _, err := log.Append(b.Context(), "session/"+one, batch...); err != nil {
			b.Fatal(err)
		}
		n += len(batch)
	}
}

// overtaken is a journal in which a newer kept state takes the place of the last one, right after its number is asked for.
type overtaken struct {
	journal.Journal
	times int
}

func (o *overtaken) Append(ctx context.Context, stream string, events ...journal.Event) (int64, error) {
	last, err := o.Journal.Append(ctx, stream, events...)
	if stream != "state/"+one || len(events) > 0 || err != nil || o.times == 0 {
		return last, err
	}
	o.times--
	kept, err := o.Read(ctx, stream, last-1, 1)
	if err == nil {
		_, err = o.Journal.Append(ctx, stream, kept...)
	}
	if err == nil {
		err = o.Trim(ctx, stream, last+1, nil)
	}
	return last, err
}

// A session can be read while its kept state is replaced.
func TestReplacedState(t *testing.T) {
	timed(t, func(t *testing.T) {
		long := agenttest.Reply{Text: strings.Split(strings.Repeat("word,", 300), ","), Delay: time.Second}
		b := agenttest.New(t, long, agenttest.Saying("Done.")).Open(session.Settings{})
		for n := range 2 {
			b.Start("go")
			b.UntilNth(session.KindTurnEnded, n+1)
			synctest.Wait()
		}
		if kept := read(t, b.Journal, "state/"+one, 0); len(kept) != 1 {
			t.Fatalf("%d pieces are kept", len(kept))
		}
		for _, times := range []int{1, 2} {
			cfg := b.Config
			cfg.Journal = &overtaken{b.Journal, times}
			if state, err := b.Gateway(cfg).State(t.Context(), one, ada); err != nil || len(state.Messages) != 4 {
				t.Errorf("replaced %d times: %v", times, err)
			}
		}
	})
}
