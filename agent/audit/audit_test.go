package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

func TestMain(m *testing.M) {
	if file := os.Getenv("AUDIT_TEST_CRASH"); file != "" {
		crash(file)
	}
	goleak.VerifyTestMain(m)
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T) database.Config {
		return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
	})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T) database.Config { return database.Config{URL: pgtest.Start(t)} })
}

// suite checks what a log promises, on empty databases.
func suite(t *testing.T, where func(*testing.T) database.Config) {
	onEmpty(t, where, map[string]func(*testing.T, *database.DB){
		"all is kept":      allIsKept,
		"pages":            pages,
		"a full queue":     fullQueue,
		"many at once":     manyAtOnce,
		"what is old goes": whatIsOldGoes,
		"erasure":          erasure,
		"odd texts":        oddTexts,
	})
}

// onEmpty makes checks, each on an empty database.
func onEmpty(t *testing.T, where func(*testing.T) database.Config, checks map[string]func(*testing.T, *database.DB)) {
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := database.Open(t.Context(), where(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() }) // some close it themselves
			check(t, db)
		})
	}
}

var builtin = agent.Origin{Kind: agent.Builtin}

// call records a call of a tool that was done.
func call(l *audit.Log, user, tool, id string) {
	l.End(context.Background(), tool, builtin, agent.Call{ID: id, User: user, Via: agent.ViaHTTP, Arguments: json.RawMessage(`{"n":"` + id + `"}`)},
		agent.Result{Usage: agent.Usage{WallTime: time.Millisecond}}, nil)
}

// list reads all records that a query asks for, in pages.
func list(t *testing.T, db *database.DB, q audit.Query) []audit.Record {
	t.Helper()
	var all []audit.Record
	for {
		page, err := audit.List(t.Context(), db, q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Records...)
		if page.Next == "" {
			return all
		}
		if q.After = page.Next; len(page.Records) == 0 || len(page.Records) > max(q.Limit, audit.DefaultLimit) {
			t.Fatalf("a page has %d records", len(page.Records))
		}
	}
}

func ids(records []audit.Record) []string {
	var all []string
	for _, r := range records {
		all = append(all, r.Call)
	}
	return all
}

func allIsKept(t *testing.T, db *database.DB) {
	l := audit.Open(db, audit.Options{})
	began := time.Now().Add(-time.Millisecond)
	usage := agent.Usage{Fuel: 1 << 63, PeakMemory: 2, WallTime: 3 * time.Microsecond, HostCalls: 4, EgressBytes: 5}
	about := agent.Call{ID: "c1", Session: "session/ws/1/a", User: "ada", Via: agent.ViaWS, Consent: agent.UserEdited, Spent: 700, Arguments: json.RawMessage(`{"a": 1}`)}
	l.End(t.Context(), "units.convert", agent.Origin{Kind: agent.Wasm, Owner: "units"}, about, agent.Result{IsError: true, Usage: usage}, nil)
	about.Consent = agent.RulesAllow
	l.Ended(about, true, session.ToolEnded{Tool: "click", Outcome: session.Done, Seconds: 0.5, Result: session.Result{IsError: true}})
	about.Consent, about.Arguments = agent.RulesForbid, json.RawMessage(`{"a"`)
	l.Ended(about, true, session.ToolEnded{Tool: "click", Outcome: session.Refused})
	l.Close()
	got := list(t, db, audit.Query{})
	digest := func(tool string) string {
		d, err := journal.Digest(tool, json.RawMessage(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	same := audit.Record{User: "ada", Protocol: "ws", Session: "ws/1/a", Call: "c1", Tokens: 700}
	first, second, third := same, same, same
	first.Tool, first.Origin, first.Digest, first.Decision, first.By = "units.convert", "wasm", digest("units.convert"), "edited", "ada"
	first.Outcome, first.Code, first.Duration = audit.Failed, "TOOL_ERROR", 3*time.Microsecond
	first.Fuel, first.Memory, first.HostCalls, first.Egress = 1<<63, 2, 4, 5
	second.Tool, second.Origin, second.Digest, second.Decision = "click", "client", digest("click"), "allowed"
	second.Outcome, second.Code, second.Duration = audit.Failed, "TOOL_ERROR", time.Second/2
	third.Tool, third.Decision, third.Outcome = "click", "forbidden", audit.Refused
	for i, want := range []audit.Record{third, second, first} {
		if len(got) != 3 || got[i].Time.Before(began) || got[i].Time.After(time.Now()) {
			t.Fatalf("%+v", got)
		}
		want.Time, want.ID = got[i].Time, got[i].ID
		if got[i] != want {
			t.Errorf("%+v\nand not\n%+v", got[i], want)
		}
	}
	for what, c := range map[string]struct {
		err  error
		took time.Duration
		want audit.Outcome
	}{
		"no such tool": {fault.New("", sdkapi.ToolNotFound, ""), 0, audit.Refused}, "left": {context.Canceled, 1, audit.Canceled},
		"left before": {context.Canceled, 0, audit.Canceled}, "late": {context.DeadlineExceeded, 1, audit.Failed}, "broken": {errors.New("x"), 1, audit.Failed},
	} {
		t.Run(what, func(t *testing.T) {
			l := audit.Open(db, audit.Options{})
			l.End(t.Context(), what, builtin, agent.Call{}, agent.Result{Usage: agent.Usage{WallTime: c.took}}, c.err)
			l.Close()
			got := list(t, db, audit.Query{Tool: what})
			if len(got) != 1 || got[0].Outcome != c.want || got[0].Code != string(fault.CodeOf(c.err)) || (got[0].Origin == "") != (c.want == audit.Refused) {
				t.Errorf("%s: %+v", what, got)
			}
		})
	}
}

// pages reads what many batches wrote, whatever of it is asked for, and however
// few at once: each record once, the newest first.
func pages(t *testing.T, db *database.DB) {
	const many = 1100
	tools := []string{"a.b", "c.d"}
	first, second := audit.Open(db, audit.Options{}), audit.Open(db, audit.Options{})
	var want []string
	var between time.Time
	for i := range many {
		if i == many/2 {
			time.Sleep(2 * time.Millisecond)
			between = time.Now()
			time.Sleep(2 * time.Millisecond)
		}
		l := []*audit.Log{first, second}[i%2]
		call(l, fmt.Sprint("user", i%31), tools[i%2], fmt.Sprint(i))
		want = append(want, fmt.Sprint(i))
	}
	first.Close()
	second.Close()
	slices.Sort(want)
	for _, limit := range []int{0, 7, 500} {
		got := list(t, db, audit.Query{Limit: limit})
		if !slices.IsSortedFunc(got, func(a, b audit.Record) int { return b.Time.Compare(a.Time) }) {
			t.Errorf("of %d at once they are out of order", limit)
		}
		sorted := ids(got)
		slices.Sort(sorted)
		if !slices.Equal(sorted, want) {
			t.Errorf("of %d at once there are %d", limit, len(got))
		}
	}
	for name, c := range map[string]struct {
		query audit.Query
		want  int
	}{
		"a user": {audit.Query{User: "user0"}, 36}, "a tool": {audit.Query{Tool: "c.d"}, 550}, "both": {audit.Query{User: "user0", Tool: "c.d"}, 18},
		"another user": {audit.Query{User: "mallory"}, 0}, "done by HTTP": {audit.Query{Protocol: agent.ViaHTTP, Outcome: audit.Done}, many},
		"failed": {audit.Query{Outcome: audit.Failed}, 0}, "by ws": {audit.Query{Protocol: "ws"}, 0}, "since": {audit.Query{Since: between}, many / 2},
		"until": {audit.Query{Until: between}, many / 2}, "no time": {audit.Query{Since: between, Until: between}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := list(t, db, c.query); len(got) != c.want {
				t.Errorf("%+v: %d", c.query, len(got))
			}
		})
	}
	for _, cursor := range []string{"x", "1", "1-", "-", "1-2-3", strings.Repeat("9", 30) + "-1"} {
		if _, err := audit.List(t.Context(), db, audit.Query{After: cursor}); fault.CodeOf(err) != sdkapi.ValidationError {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}

// fullQueue has callers wait while the database does nothing, and loses none of
// what they bring.
func fullQueue(t *testing.T, db *database.DB) {
	held, release, free := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		free <- db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			if db.Postgres() {
				if _, err := tx.NewRaw("LOCK TABLE audit IN ACCESS EXCLUSIVE MODE").Exec(ctx); err != nil {
					return err
				}
			}
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	l := audit.Open(db, audit.Options{})
	const callers, each = 40, 300
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := range each {
				call(l, "ada", "a.b", fmt.Sprint(c*each+i))
			}
		})
	}
	s := testkit.Eventually(t, "the queue is full and callers wait", func() (audit.Stats, bool) {
		s := l.Stats() // The queue may be full once before the writer takes it all.
		return s, s.Waited > 0 && s.Queued == 4096
	})
	if s.Lost != 0 {
		t.Errorf("records are lost: %+v", s)
	}
	close(release)
	if err := <-free; err != nil {
		t.Error(err)
	}
	all.Wait()
	l.Close()
	if s := l.Stats(); s.Written != callers*each || s.Lost != 0 || s.Queued != 0 {
		t.Errorf("%+v", s)
	}
	got := ids(list(t, db, audit.Query{Limit: audit.MaxLimit}))
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != callers*each {
		t.Errorf("%d of %d are there", len(got), callers*each)
	}
}

// manyAtOnce closes the log among calls. Each of them is kept, or known as lost.
func manyAtOnce(t *testing.T, db *database.DB) {
	l := audit.Open(db, audit.Options{})
	var all sync.WaitGroup
	for c := range 8 {
		all.Go(func() {
			for i := range 400 {
				call(l, fmt.Sprint("user", c), "a.b", fmt.Sprint(i))
				if c == 0 && i == 300 {
					l.Close()
				}
				if i%50 == 0 {
					if _, err := l.List(t.Context(), audit.Query{User: fmt.Sprint("user", c)}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	l.Close()
	got := list(t, db, audit.Query{Limit: audit.MaxLimit})
	if s := l.Stats(); s.Written+s.Lost != 8*400 || int(s.Written) != len(got) || s.Lost < 99 || s.Queued != 0 {
		t.Errorf("%+v, and %d are there", s, len(got))
	}
}

// erasure takes a user out of the records, and leaves what happened.
func erasure(t *testing.T, db *database.DB) {
	l := audit.Open(db, audit.Options{})
	for c := range 250 {
		call(l, "ada", "a.b", fmt.Sprint("planted", c))
		call(l, "eve", "a.b", fmt.Sprint("eves", c))
	}
	l.Close()
	l = audit.Open(db, audit.Options{})
	defer l.Close()
	before := list(t, db, audit.Query{Tool: "a.b", Limit: audit.MaxLimit})
	if n, err := l.EraseUser(t.Context(), "ada"); err != nil || n == 0 {
		t.Fatalf("EraseUser: %d, %v", n, err)
	}
	if n, err := l.EraseUser(t.Context(), audit.Erased); err != nil || n != 0 {
		t.Errorf("EraseUser of the erased: %d, %v", n, err)
	}
	after := list(t, db, audit.Query{Limit: audit.MaxLimit})
	if len(after) != len(before) || len(list(t, db, audit.Query{User: "eve", Limit: audit.MaxLimit})) != 250 {
		t.Errorf("of %d records %d are left", len(before), len(after))
	}
	for i, r := range after {
		if r.User == "ada" || strings.HasPrefix(r.Call, "planted") || r.User != "eve" && (r.Digest != "" || r.Session != "" || r.Call != "") || !r.Time.Equal(before[i].Time) {
			t.Errorf("left is %+v of %+v", r, before[i])
		}
	}
	if err := l.ErasedUser(t.Context(), map[string]int64{"artifacts": 3}); err != nil {
		t.Fatal(err)
	}
	if got := list(t, db, audit.Query{User: audit.Erased, Tool: "erase.artifacts"}); len(got) != 1 || got[0].Removed != 3 || got[0].Outcome != audit.Done {
		t.Errorf("the erasure is recorded as %+v", got)
	}
}

func whatIsOldGoes(t *testing.T, db *database.DB) {
	pruned := false
	l := audit.Open(db, audit.Options{})
	defer l.Close()
	for i := range 3 {
		old := audit.Open(db, audit.Options{})
		for c := range 250 {
			call(old, fmt.Sprint("user", c), "a.b", fmt.Sprint(i))
		}
		old.Close()
		if i == 2 {
			break
		}
		if err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw("UPDATE audit SET time = time - ?", 2*time.Hour.Microseconds()/3).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-time.Hour)
	for _, want := range []int64{250, 250, 0} { // the first time it only counts
		n, err := l.Prune(t.Context(), before, !pruned)
		if pruned = true; err != nil || n != want {
			t.Errorf("%d rows went, and not %d: %v", n, want, err)
		}
	}
	var left int
	if err := db.Read().NewRaw("SELECT count(*) FROM audit").Scan(t.Context(), &left); err != nil || left != 500 {
		t.Errorf("%d are left, %v", left, err)
	}
}

// oddTexts are what strangers may send, which no database takes as it is.
func oddTexts(t *testing.T, db *database.DB) {
	l := audit.Open(db, audit.Options{})
	odd := "\x00a\xff'\"\\?$1\n<é\u2028" + strings.Repeat("é", 1000)
	l.End(t.Context(), odd, builtin, agent.Call{ID: odd, Session: odd, User: odd, Arguments: json.RawMessage(odd)}, agent.Result{}, fault.New("", sdkapi.ToolNotFound, ""))
	l.End(t.Context(), "a.b", builtin, agent.Call{ID: "large", Arguments: json.RawMessage(`"` + strings.Repeat("x", agent.MaxArguments) + `"`)}, agent.Result{}, nil)
	l.Close()
	got := list(t, db, audit.Query{})
	if len(got) != 2 || l.Stats().Lost != 0 || got[0].Digest != "" {
		t.Fatalf("%+v %+v", got, l.Stats())
	}
	for what, c := range map[string]struct {
		text string
		most int
	}{"tool": {got[1].Tool, 64}, "call": {got[1].Call, 256}, "session": {got[1].Session, 256}, "user": {got[1].User, 128}} {
		t.Run(what, func(t *testing.T) {
			if !strings.HasPrefix(c.text, "a'\"\\?$1\n<é\u2028é") || len(c.text) > c.most {
				t.Errorf("%s: %q", what, c.text)
			}
		})
	}
}

const crashAfter = 900

// crash records calls, and kills its process once the first ones are written.
func crash(file string) {
	db, err := database.Open(context.Background(), database.Config{File: file})
	if err != nil {
		panic(err)
	}
	l := audit.Open(db, audit.Options{})
	for i := range crashAfter {
		call(l, "flushed", "a.b", fmt.Sprint(i))
	}
	for l.Stats().Written < crashAfter {
		time.Sleep(time.Millisecond)
	}
	for i := range crashAfter {
		call(l, "late", "a.b", fmt.Sprint(i))
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic(err)
	}
	select {}
}

// What a call pays, beside the work of the writer on another core.
func BenchmarkEnd(b *testing.B) {
	db, err := database.Open(b.Context(), database.Config{File: filepath.Join(b.TempDir(), "windie.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	l := audit.Open(db, audit.Options{})
	defer l.Close()
	c := agent.Call{ID: "5b0c3b1e-8f0e-4f0e-9d0e-0d3c0f4b6a11", User: "ada", Via: agent.ViaHTTP, Arguments: json.RawMessage(`{"city":"Rome","days":3,"note":"a window seat, if there is one"}`)}
	b.ReportAllocs()
	for b.Loop() {
		l.End(b.Context(), "test.echo", builtin, c, agent.Result{Usage: agent.Usage{WallTime: time.Microsecond}}, nil)
	}
}
