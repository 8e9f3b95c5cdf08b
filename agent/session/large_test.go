package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// A session with a history of 9 MB, a part of it alone more than a piece of the
// journal, is loaded, goes on, and does so after a restart: from its events, and
// from the state that is kept once there are many.
func TestLargeHistory(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]func(t *testing.T) database.Config{
		"SQLite": func(t *testing.T) database.Config {
			return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
		},
		"Postgres": func(t *testing.T) database.Config { return database.Config{URL: pgtest.Start(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testLargeHistory(t, config(t))
		})
	}
}

// largeHistory has 1,500 messages of 4 kB, and one of 3 MB.
func largeHistory() []session.Message {
	list := []session.Message{session.Text(models.User, strings.Repeat("é<&", 3<<20/4))}
	for n := range 1500 {
		list = append(list, session.Text([]models.Role{models.Assistant, models.User}[n%2], fmt.Sprint(n, strings.Repeat(" word", 800))))
	}
	return list
}

func testLargeHistory(t *testing.T, config database.Config) {
	reply := agenttest.Saying("Done.")
	life := func(run func(all *session.Sessions, log journal.Journal)) {
		db, err := database.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		log, err := sqljournal.Open(db, sqljournal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		all := session.New(session.Config{Journal: log, Tools: agent.NewRegistry(), Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return agenttest.NewScript(reply), models.Request{}, nil
		}})
		defer all.Close()
		run(all, log)
	}
	turn := func(all *session.Sessions) {
		started, err := all.Start(t.Context(), one, ada, []session.Part{{Text: "go on"}}, session.Reject)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range all.Follow(t.Context(), one, started.Seq) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == session.KindTurnEnded {
				break
			}
		}
	}
	state := func(all *session.Sessions, what string) *session.State {
		began := time.Now()
		got, err := all.State(t.Context(), one, ada)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, a state of %d messages is loaded in %v", what, len(got.Messages), time.Since(began).Round(time.Millisecond))
		return got
	}
	history := largeHistory()
	life(func(all *session.Sessions, _ journal.Journal) {
		if err := all.Create(t.Context(), one, ada, session.Settings{}); err != nil {
			t.Fatal(err)
		}
		if err := all.Replace(t.Context(), one, ada, history); err != nil {
			t.Fatal(err)
		}
		turn(all)
	})
	var before *session.State
	life(func(all *session.Sessions, log journal.Journal) {
		if got := state(all, "from its events"); len(got.Messages) != len(history)+2 || !reflect.DeepEqual(got.Messages[:len(history)], history) {
			t.Fatalf("of %d messages there are %d, or others", len(history), len(got.Messages))
		}
		warned := slices.Repeat([]journal.Event{{Kind: session.KindWarned, Data: json.RawMessage(`{"message":"so"}`)}}, 300)
		if _, err := log.Append(t.Context(), "session/"+one, warned...); err != nil { // as many as have the state kept
			t.Fatal(err)
		}
		turn(all)
		testkit.Eventually(t, "the state is kept, a moment after the turn's end", func() (int64, bool) {
			last, err := log.Append(t.Context(), "state/"+one)
			if err != nil {
				t.Fatal(err)
			}
			return last, last > 0
		})
		before = state(all, "as it is kept")
	})
	life(func(all *session.Sessions, log journal.Journal) {
		if after := state(all, "after a restart"); !reflect.DeepEqual(after, before) {
			t.Errorf("the state is another one: %d messages, before %d", len(after.Messages), len(before.Messages))
		}
		turn(all)
		if got := state(all, "a turn later"); len(got.Messages) != len(before.Messages)+2 {
			t.Errorf("there are %d messages, before %d", len(got.Messages), len(before.Messages))
		}
		if pieces := read(t, log, "state/"+one, 0); len(pieces) < 10 {
			t.Errorf("the state is in %d pieces", len(pieces))
		}
	})
}

// A state of more than a page of the journal is read whole.
func TestStateOfPages(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t).Open(session.Settings{})
		var history []session.Message
		for n := range 40 {
			history = append(history, session.Text([]models.Role{models.User, models.Assistant}[n%2], strings.Repeat("words ", journal.MaxPage/200)))
		}
		if err := b.Sessions.Replace(t.Context(), one, ada, history); err != nil {
			t.Fatal(err)
		}
		warned := slices.Repeat([]journal.Event{{Kind: session.KindWarned, Data: json.RawMessage(`{"message":"so"}`)}}, 300)
		if _, err := b.Journal.Append(t.Context(), "session/"+one, warned...); err != nil {
			t.Fatal(err)
		}
		b.Start("go on")
		synctest.Wait()
		if kept := read(t, b.Journal, "state/"+one, 0); len(kept) < 40 {
			t.Fatalf("the state is in %d pieces", len(kept))
		}
		if got := b.State(); len(got.Messages) != len(history)+2 || !reflect.DeepEqual(got.Messages[:len(history)], history) {
			t.Errorf("there are %d messages of %d", len(got.Messages), len(history)+2)
		}
	})
}
