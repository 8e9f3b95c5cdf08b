package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/trouble"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// A large tool and a large system prompt are stored once: those of the deployment for all
// sessions, a client's for its own. Readers get them whole in each turn.
func TestTextsAreStoredOnce(t *testing.T) {
	timed(t, func(t *testing.T) {
		words := "Marked " + strings.Repeat("word ", 400)
		b := agenttest.New(t)
		b.Config.System = words
		own := agenttest.ClientTool("click")
		own.Description = "of the client " + words
		if err := b.Config.Tools.Register(agenttest.Tool{Described: agent.Descriptor{Name: "text.upper", Description: "of the gateway " + words, Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}}}); err != nil {
			t.Fatal(err)
		}
		b.Open(session.Settings{Tools: []session.ClientTool{own}})
		sessions := []string{one, "s2", "s3"}
		for _, id := range sessions[1:] {
			if err := b.Sessions.Create(t.Context(), id, ada, session.Settings{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range append(sessions, one, one) {
			if _, err := b.Sessions.Start(t.Context(), id, ada, []session.Part{{Text: "go"}}, session.Queue); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		stored := map[string]int{} // copies of the words, by the first part of a stream's name
		streams, err := b.Journal.Streams(t.Context(), "", "", journal.MaxEvents)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range streams {
			events, err := b.Journal.Read(t.Context(), s.Name, 0, journal.MaxEvents)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				kind, _, _ := strings.Cut(s.Name, "/")
				stored[kind] += strings.Count(string(e.Data), "Marked")
			}
		}
		// The settings of the first session have its tool; "text/" those of the gateway, "texts/" its own.
		if stored["session"] != 1 || stored["text"] != 2 || stored["texts"] != 2 {
			t.Errorf("copies of the words: %v", stored)
		}
		for _, reader := range []*session.Sessions{b.Sessions, b.Gateway(b.Config)} {
			whole := 0
			events, err := reader.Read(t.Context(), one, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Kind != session.KindToolSchemas && e.Kind != session.KindSystemPrompt {
					continue
				}
				if want := map[string]int{session.KindToolSchemas: 2, session.KindSystemPrompt: 1}[e.Kind]; strings.Count(string(e.Data), "Marked") != want || strings.Contains(string(e.Data), "hash") {
					t.Errorf("a reader gets %.200s", e.Data)
				}
				whole++
			}
			if whole != 6 {
				t.Errorf("%d events show a request", whole)
			}
		}
	})
}

// Deleting a session ends its turn, whatever that is doing, and leaves nothing of it.
func TestDelete(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]agenttest.Reply{
		"at rest":               agenttest.Saying("Done."),
		"while it speaks":       {Text: []string{"Well,"}, Hold: true},
		"while a user is asked": agenttest.Calling("c1", "risky_run", `{}`),
		"while a tool is deaf":  agenttest.Calling("c1", "deaf_run", `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, reply).Tool("risky.run", agent.Risky, nil).Tool("deaf.run", agent.Safe, patient(10*time.Second)).Open(session.Settings{System: strings.Repeat("x", 2000)})
				b.Start("go")
				synctest.Wait()
				if err := b.Sessions.Delete(t.Context(), one, "eve"); fault.CodeOf(err) != sdkapi.SessionNotFound {
					t.Fatalf("another user deletes: %v", err)
				}
				began := time.Now()
				if err := b.Sessions.Delete(t.Context(), one, ada); err != nil || time.Since(began) > 4*time.Second {
					t.Fatalf("%v after %v", err, time.Since(began))
				}
				time.Sleep(time.Minute) // what went on has ended
				for _, prefix := range []string{"session/", "control/", "state/", "mark/", "texts/"} {
					if left, err := b.Journal.Streams(t.Context(), prefix, "", 10); len(left) != 0 || err != nil {
						t.Errorf("left are %+v, %v", left, err)
					}
				}
				if d, err := b.Journal.PendingOf(t.Context(), "", "approval"); len(d) != 0 || err != nil {
					t.Errorf("left are %+v, %v", d, err)
				}
				if err := b.Sessions.Delete(t.Context(), one, ada); fault.CodeOf(err) != sdkapi.SessionNotFound {
					t.Errorf("deleted again: %v", err)
				}
				if err := b.Sessions.Create(t.Context(), one, ada, session.Settings{}); err != nil {
					t.Errorf("a new one of the same id: %v", err)
				}
			})
		})
	}
}

// A new session with the id of an erased one stores its texts again, whoever has erased the old one.
func TestTextsOfANewSession(t *testing.T) {
	t.Parallel()
	for name, erase := range map[string]func(ctx context.Context, b *agenttest.Bench) error{
		"deleted": func(ctx context.Context, b *agenttest.Bench) error { return b.Sessions.Delete(ctx, one, ada) },
		"erased":  func(ctx context.Context, b *agenttest.Bench) error { return session.Erase(ctx, b.Journal, one) },
		"pruned": func(ctx context.Context, b *agenttest.Bench) error {
			_, err := session.Prune(ctx, b.Journal, "", func(string) bool { return true }, time.Now().Add(time.Hour), false)
			return err
		},
		"by another gateway": func(ctx context.Context, b *agenttest.Bench) error { return b.Gateway(b.Config).Delete(ctx, one, ada) },
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				words := strings.Repeat("Marked words. ", 100)
				tool := agenttest.ClientTool("click")
				tool.Description = words
				b := agenttest.New(t).Open(session.Settings{Tools: []session.ClientTool{tool}})
				b.Model.Otherwise(agenttest.Saying("Done."))
				b.Start("go")
				synctest.Wait()
				if err := erase(t.Context(), b); err != nil {
					t.Fatal(err)
				}
				if err := b.Sessions.Create(t.Context(), one, ada, session.Settings{Tools: []session.ClientTool{tool}}); err != nil {
					t.Fatal(err)
				}
				b.Start("go")
				synctest.Wait()
				events, err := b.Gateway(b.Config).Read(t.Context(), one, 0)
				if err != nil {
					t.Fatal(err)
				}
				shown := 0
				for _, e := range events {
					if e.Kind == session.KindToolSchemas && strings.Contains(string(e.Data), words) {
						shown++
					}
				}
				if shown != 1 {
					t.Errorf("the tool's text is shown %d times, want once", shown)
				}
			})
		})
	}
}

// A worker, on whichever gateway, writes nothing more of a session that was erased.
func TestEraseStopsWorkers(t *testing.T) {
	timed(t, func(t *testing.T) {
		slow := func(context.Context, agent.Call) (agent.Result, error) {
			time.Sleep(10 * time.Second)
			return agent.Result{Content: []agent.Part{agent.Text("what nobody may keep")}}, nil
		}
		b := agenttest.New(t, agenttest.Calling("c1", "slow_run", `{}`)).Tool("slow.run", agent.Safe, slow).Open(session.Settings{})
		b.Start("go")
		synctest.Wait()
		if err := session.Erase(t.Context(), b.Journal, one); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if left, err := b.Journal.Streams(t.Context(), "session/", "", 10); len(left) != 0 || err != nil {
			t.Errorf("left are %+v, %v", left, err)
		}
	})
}

// What runs for a session that was erased is stopped, on whichever gateway: the user is gone.
func TestEraseStopsTools(t *testing.T) {
	timed(t, func(t *testing.T) {
		stopped := make(chan time.Time, 1)
		b := agenttest.New(t, agenttest.Calling("c1", "slow_run", `{}`)).Tool("slow.run", agent.Safe, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
			<-ctx.Done()
			stopped <- time.Now()
			return agent.Result{}, ctx.Err()
		})
		b.Config.LeaseTTL = 30 * time.Second
		b.Open(session.Settings{}).Start("go")
		synctest.Wait()
		erased := time.Now()
		if err := session.Erase(t.Context(), b.Journal, one); err != nil {
			t.Fatal(err)
		}
		if took := (<-stopped).Sub(erased); took > b.Config.LeaseTTL/3 {
			t.Errorf("the tool ran on for %v", took)
		}
		synctest.Wait()
		if left, err := b.Journal.Streams(t.Context(), "session/", "", 10); len(left) != 0 || err != nil {
			t.Errorf("left are %+v, %v", left, err)
		}
	})
}

// No message that waits begins a turn of a session that is being deleted, also where the
// turn that it waits for does not end at once.
func TestDeleteWithAQueue(t *testing.T) {
	t.Parallel()
	for name, deaf := range map[string]time.Duration{"a tool that listens": 0, "one that is deaf": 10 * time.Second} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				began := 0
				b := agenttest.New(t, agenttest.Calling("c1", "slow_run", `{"n":1}`), agenttest.Calling("c2", "slow_run", `{"n":2}`))
				b.Tool("slow.run", agent.Safe, func(ctx context.Context, c agent.Call) (agent.Result, error) {
					began++
					return patient(deaf)(ctx, c)
				}).Open(session.Settings{}).Start("first")
				synctest.Wait()
				for range 3 {
					if _, err := b.Sessions.Start(t.Context(), one, ada, []session.Part{{Text: "next"}}, session.Queue); err != nil {
						t.Fatal(err)
					}
				}
				asked := time.Now()
				if err := b.Sessions.Delete(t.Context(), one, ada); err != nil || time.Since(asked) > time.Second {
					t.Errorf("%v after %v", err, time.Since(asked))
				}
				time.Sleep(time.Hour)
				if began != 1 || len(b.Model.Requests()) != 1 {
					t.Errorf("%d calls began, and the model was asked %d times", began, len(b.Model.Requests()))
				}
				if left, err := b.Journal.Streams(t.Context(), "session/", "", 10); len(left) != 0 || err != nil {
					t.Errorf("left are %+v, %v", left, err)
				}
			})
		})
	}
}

// All sessions of a user are erased, also what an erasure that broke off left, and no other's.
func TestEraseUser(t *testing.T) {
	t.Parallel()
	b := agenttest.New(t)
	for _, user := range []string{ada, "eve"} {
		for _, prefix := range []string{session.PromptsOf(user), session.GeneralOf(user), session.DesktopOf(user)} {
			for i := range 2 {
				for _, kind := range []string{"session/", "control/", "texts/", "state/"} {
					appendTo(t, b, kind+prefix+fmt.Sprint(i))
				}
			}
			appendTo(t, b, "control/"+prefix+"left")
		}
	}
	for _, want := range []int64{6, 0} {
		if n, err := session.EraseUser(t.Context(), b.Journal, ada); n != want || err != nil {
			t.Errorf("EraseUser: %d, %v; want %d", n, err, want)
		}
	}
	left, err := b.Journal.Streams(t.Context(), "", "", journal.MaxEvents)
	if err != nil || len(left) != 3*9 {
		t.Errorf("%d streams are left, %v", len(left), err)
	}
}

// A session that cannot be removed keeps no other one of its user, whatever its protocol; a journal that is away is not asked about each.
func TestEraseUserPassesFailures(t *testing.T) {
	t.Parallel()
	b := agenttest.New(t)
	for _, prefix := range []string{session.PromptsOf(ada), session.GeneralOf(ada), session.HostOf(ada)} {
		for i := range 50 {
			appendTo(t, b, fmt.Sprintf("session/%s%02d", prefix, i))
		}
	}
	log := &stuckLog{Journal: b.Journal, stuck: session.PromptsOf(ada) + "07"}
	if n, err := session.EraseUser(t.Context(), log, ada); n != 149 || err == nil || strings.Count(err.Error(), "cannot be removed") != 1 {
		t.Errorf("beside one that is stuck: %d, %v", n, err)
	}
	if left, err := b.Journal.Streams(t.Context(), "session/", "", 10); len(left) != 1 || err != nil {
		t.Errorf("left are %+v, %v", left, err)
	}
	for i := range 50 {
		appendTo(t, b, fmt.Sprintf("session/%s%02d", session.PromptsOf(ada), i))
	}
	log.stuck, log.tried = "/", 0
	if n, err := session.EraseUser(t.Context(), log, ada); n != 0 || err == nil || log.tried != trouble.InARow {
		t.Errorf("of a journal that is away: %d after %d tries, %v", n, log.tried, err)
	}
}

func appendTo(t *testing.T, b *agenttest.Bench, stream string) {
	t.Helper()
	if _, err := b.Journal.Append(t.Context(), stream, journal.Event{Kind: "k"}); err != nil {
		t.Fatal(err)
	}
}

// Sessions that were not used for long are pruned, of one protocol and those that are wanted.
func TestPrune(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t)
		for _, id := range []string{"api/x/conv_1", "api/x/prompt_1", "v1/x/g_1"} {
			appendTo(t, b, "session/"+id)
		}
		time.Sleep(time.Hour)
		appendTo(t, b, "session/api/x/prompt_2")
		before := time.Now().Add(-time.Minute)
		prompts := func(id string) bool { return strings.Contains(id, "/prompt_") }
		for _, tt := range []struct {
			dry  bool
			want int64
		}{{true, 1}, {false, 1}, {false, 0}} {
			if n, err := session.Prune(t.Context(), b.Journal, "api/", prompts, before, tt.dry); n != tt.want || err != nil {
				t.Errorf("Prune, dry %t: %d, %v", tt.dry, n, err)
			}
		}
		list, err := session.List(t.Context(), b.Journal, "api/", "", 10)
		if err != nil || len(list) != 2 || list[0].ID != "api/x/conv_1" || list[1].ID != "api/x/prompt_2" {
			t.Errorf("left are %+v, %v", list, err)
		}
	})
}

// stuckLog is a journal that drops no stream of some sessions.
type stuckLog struct {
	journal.Journal
	stuck string // part of their names
	tried int
}

func (s *stuckLog) Drop(ctx context.Context, stream string) error {
	s.tried++
	if strings.Contains(stream, s.stuck) {
		return errors.New("it cannot be removed")
	}
	return s.Journal.Drop(ctx, stream)
}

// A session that cannot be removed keeps those behind it from nothing; a journal that is away is not
// asked about each.
func TestPrunePassesFailures(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t)
		for i := range 50 {
			appendTo(t, b, fmt.Sprintf("session/v1/x/%02d", i))
		}
		log := &stuckLog{Journal: b.Journal, stuck: "/x/07"}
		all := func(string) bool { return true }
		time.Sleep(time.Hour)
		if n, err := session.Prune(t.Context(), log, "v1/", all, time.Now(), false); n != 49 || err == nil {
			t.Errorf("beside one that is stuck: %d, %v", n, err)
		}
		for i := range 50 {
			appendTo(t, b, fmt.Sprintf("session/v1/y/%02d", i))
		}
		time.Sleep(time.Hour)
		log.stuck, log.tried = "/", 0
		if n, err := session.Prune(t.Context(), log, "v1/", all, time.Now(), false); n != 0 || err == nil || log.tried != trouble.InARow {
			t.Errorf("of a journal that is away: %d after %d tries, %v", n, log.tried, err)
		}
	})
}
