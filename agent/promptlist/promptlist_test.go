package promptlist_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// databases has an empty database of each kind.
var databases = map[string]func(t testing.TB) database.Config{
	"SQLite": func(t testing.TB) database.Config {
		return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
	},
	"Postgres": func(t testing.TB) database.Config { return database.Config{URL: pgtest.Start(t)} },
}

func open(t testing.TB, cfg database.Config) (*promptlist.List, *database.DB) {
	t.Helper()
	db, err := database.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return promptlist.OpenList(db, promptlist.Options{}), db
}

// turned returns a turn of a prompt of ada, as a session reports it.
func turned(part string, seq int64, began time.Time) session.Turned {
	return session.Turned{Session: promptlist.SessionOf("ada", part), User: "ada", Seq: seq, Began: began, Input: "say " + part}
}

// TestList lists prompts with each filter, in pages, newest first. Some prompts began at the same
// time.
func TestList(t *testing.T) {
	t.Parallel()
	for name, config := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, _ := open(t, config(t))
			begin := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
			const n = 25
			var all []string // the oldest first
			for i := range n {
				turn := turned(fmt.Sprintf("prompt_%02d", i), 3, begin.Add(time.Duration(i/10)*time.Minute))
				if i == 7 {
					turn = turned("conv_a", 9, turn.Began)
				}
				list.Turned(t.Context(), turn)
				list.Turned(t.Context(), turn) // a gateway that takes it up reports it again
				turn.Ended, turn.Reason = turn.Began.Add(time.Second), map[int]session.EndReason{0: session.EndDone, 1: session.EndCanceled, 2: session.EndTime}[i%4]
				if i%4 != 3 {
					list.Turned(t.Context(), turn)
				}
				all = append(all, fmt.Sprintf("prompt_%02d.3", i))
			}
			all[7] = "conv_a.9"
			slices.SortStableFunc(all[:10], func(a, b string) int { return strings.Compare(a, b) })
			slices.Reverse(all)
			list.Turned(t.Context(), session.Turned{Session: "ws/0/a", User: "ada", Seq: 3, Began: begin})
			list.Turned(t.Context(), session.Turned{Session: promptlist.SessionOf("bob", "prompt_x"), User: "bob", Seq: 3, Began: begin})
			for name, tt := range map[string]struct {
				query promptlist.Query
				want  func(e promptlist.Entry) bool
			}{
				"all":               {promptlist.Query{}, func(promptlist.Entry) bool { return true }},
				"open":              {promptlist.Query{Status: promptlist.Open}, func(e promptlist.Entry) bool { return e.Status == promptlist.Open && e.Ended().IsZero() }},
				"completed":         {promptlist.Query{Status: promptlist.Completed}, func(e promptlist.Entry) bool { return e.Status == promptlist.Completed && !e.Ended().IsZero() }},
				"canceled":          {promptlist.Query{Status: promptlist.Canceled}, func(e promptlist.Entry) bool { return e.Status == promptlist.Canceled }},
				"failed":            {promptlist.Query{Status: promptlist.Failed}, func(e promptlist.Entry) bool { return e.Status == promptlist.Failed }},
				"of a conversation": {promptlist.Query{Conversation: "conv_a"}, func(e promptlist.Entry) bool { return e.Conversation == "conv_a" }},
				"since":             {promptlist.Query{Since: begin.Add(time.Minute)}, func(e promptlist.Entry) bool { return !e.Began().Before(begin.Add(time.Minute)) }},
				"until":             {promptlist.Query{Until: begin.Add(time.Minute)}, func(e promptlist.Entry) bool { return e.Began().Before(begin.Add(time.Minute)) }},
			} {
				t.Run(name, func(t *testing.T) {
					every := pages(t, list, promptlist.Query{Limit: promptlist.MaxLimit})
					var want []string
					for _, e := range every {
						if tt.want(e) {
							want = append(want, e.ID)
						}
					}
					tt.query.Limit = 4
					var got []string
					for _, e := range pages(t, list, tt.query) {
						got = append(got, e.ID)
					}
					if len(want) == 0 || !slices.Equal(got, want) {
						t.Errorf("%s: by pages come\n%v, want\n%v", name, got, want)
					}
					if name == "all" && !slices.Equal(got, all) {
						t.Errorf("all are\n%v, want\n%v", got, all)
					}
				})
			}
			_, err := list.List(t.Context(), promptlist.Query{User: "ada", After: "nonsense"})
			if fault.CodeOf(err) != sdkapi.ValidationError {
				t.Errorf("a cursor that is none: %v", err)
			}
		})
	}
}

// pages returns all entries of ada that a query selects.
func pages(t *testing.T, list *promptlist.List, q promptlist.Query) []promptlist.Entry {
	t.Helper()
	q.User = "ada"
	var all []promptlist.Entry
	for {
		page, err := list.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Entries...)
		if q.After = page.Next; q.After == "" {
			return all
		}
		if len(page.Entries) != q.Limit {
			t.Fatalf("a page before the last has %d entries, want %d", len(page.Entries), q.Limit)
		}
	}
}

// TestInputIsCut checks that the user's text is cut between characters, and that each database can
// store it.
func TestInputIsCut(t *testing.T) {
	t.Parallel()
	for name, config := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, _ := open(t, config(t))
			turn := turned("prompt_a", 3, time.Now())
			turn.Input = "a\x00\xff" + strings.Repeat("é", promptlist.MaxInput)
			list.Turned(t.Context(), turn)
			page, err := list.List(t.Context(), promptlist.Query{User: "ada"})
			if err != nil || len(page.Entries) != 1 || len(page.Entries[0].Input) > promptlist.MaxInput+len("…") || !strings.HasSuffix(page.Entries[0].Input, "éé…") {
				t.Errorf("it is listed as %+v, %v", page, err)
			}
		})
	}
}

// BenchmarkFirstPage lists the first 20 of a user's 10,000 prompts. One in 100 is open, and the
// table has prompts of other users.
func BenchmarkFirstPage(b *testing.B) {
	for name, config := range databases {
		list, db := open(b, config(b))
		fill(b, db, 10_000)
		for what, q := range map[string]promptlist.Query{
			"newest": {}, "open": {Status: promptlist.Open}, "completed": {Status: promptlist.Completed}, "conversation": {Conversation: "conv_7"},
			"last page": {After: "100-prompt_100.3"},
		} {
			b.Run(name+"/"+what, func(b *testing.B) {
				q.User = "ada"
				for b.Loop() {
					if page, err := list.List(b.Context(), q); err != nil || len(page.Entries) != promptlist.DefaultLimit {
						b.Fatal(len(page.Entries), err)
					}
				}
			})
		}
	}
}

func fill(b *testing.B, db *database.DB, n int) {
	b.Helper()
	var rows [][]any
	for i := range n {
		for _, user := range []string{"ada", "bob"} {
			status, ended := "completed", int64(i+1)
			if i%100 == 0 {
				status, ended = "open", 0
			}
			rows = append(rows, []any{user, fmt.Sprintf("prompt_%d.3", i), fmt.Sprintf("conv_%d", i%50), status, int64(i), ended, strings.Repeat("x", promptlist.MaxInput)})
		}
	}
	for chunk := range slices.Chunk(rows, 1000) {
		err := db.Write(b.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			return db.Insert(ctx, tx, "INSERT INTO prompts (user_id, id, conversation, status, began, ended, input)", chunk)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
