//go:build system

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// process is a gateway in a process of its own.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
	end chan struct{} // closed when it has ended
}

// startProcess starts one with the model of errands, which ends with the test.
func startProcess(t *testing.T, variables ...string) *process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(program), end: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), childEnv+"=errands", "WINDIE_LISTEN=127.0.0.1:0", "WINDIE_LOG_LEVEL=error")
	p.cmd.Env = append(p.cmd.Env, variables...)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.cmd.StdinPipe(); err != nil { // which is closed when this process ends
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		defer close(p.end)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := readyLine.FindStringSubmatch(lines.Text()); m != nil {
				ready <- m[1]
			}
		}
		_, _ = io.Copy(io.Discard, out)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() { p.signal(syscall.SIGKILL) })
	select {
	case p.url = <-ready:
	case <-p.end:
		t.Fatalf("the gateway does not start: %v", p.cmd.ProcessState)
	case <-time.After(time.Minute):
		t.Fatal("the gateway does not say that it is ready")
	}
	return p
}

// signal sends a signal, and waits for the end.
func (p *process) signal(s os.Signal) (took time.Duration) {
	p.t.Helper()
	began := time.Now()
	_ = p.cmd.Process.Signal(s) // it may have ended
	select {
	case <-p.end:
	case <-time.After(time.Minute):
		p.t.Errorf("the gateway still runs a minute after %v", s)
		_ = p.cmd.Process.Kill()
		<-p.end
	}
	return time.Since(began)
}

// stops is a random test of stopping: clients that talk to one gateway after
// the other, each of which is stopped at a random moment.
type stops struct {
	t      *testing.T
	config database.Config
	dir    string
	over   bool // the next gateway starts before the one before it is stopped

	now    atomic.Pointer[reached]
	told   sync.Map     // sessions and ids of calls that somebody answers
	events atomic.Int64 // that clients were sent
	turns  atomic.Int64 // that clients saw the end of
	last   chan struct{}

	answers sync.WaitGroup
}

// reached is a gateway, and a context that ends with it.
type reached struct {
	client *sdk.Client
	ctx    context.Context
}

// Gateways are stopped at random moments of turns that stream, call tools of the
// gateway's and of the client's, and ask the user. Every answer is whole, no call
// is lost and none is made twice, and what was used is what is used without.
func TestStops(t *testing.T) {
	t.Parallel()
	n := 8 // make test-system PART=stops makes 300
	if testing.Short() {
		n = 5
	}
	if text := os.Getenv("WINDIE_STOPS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		(&stops{t: t, dir: dir, config: database.Config{File: filepath.Join(dir, "windie.db")}}).run(n)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		(&stops{t: t, dir: t.TempDir(), config: database.Config{URL: pgtest.Start(t)}, over: true}).run(n)
	})
}

// run stops so many gateways.
func (s *stops) run(n int) {
	s.last = make(chan struct{})
	current := s.start()
	var talkers sync.WaitGroup
	for range 4 {
		talkers.Go(s.talk)
	}
	for range n {
		s.await(s.events.Load() + 1)
		time.Sleep(rand.N(300 * time.Millisecond))
		if s.over {
			before := current
			current = s.start()
			s.stop(before)
		} else {
			s.stop(current)
			current = s.start()
		}
	}
	close(s.last)
	talkers.Wait()
	s.answers.Wait()
	s.stop(current)
	s.check(n)
}

// start starts a gateway, which clients use from now on.
func (s *stops) start() *process {
	s.t.Helper()
	drain := []string{"100ms", "100ms", "500ms", "5s"}[rand.IntN(4)]
	p := startProcess(s.t, "WINDIE_DATA_DIR="+s.dir, "WINDIE_DATABASE_URL="+s.config.URL, "WINDIE_DRAIN_TIMEOUT="+drain)
	client, err := sdk.New(p.url, sdk.WithRetries(0), sdk.WithUser("ada"))
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	go func() {
		<-p.end
		cancel()
	}()
	s.now.Store(&reached{client, ctx})
	return p
}

func (s *stops) stop(p *process) {
	s.t.Helper()
	p.signal(syscall.SIGTERM)
	if code := p.cmd.ProcessState.ExitCode(); code != 0 && code != exitFailed { // which says that it cut requests off, as a short drain does
		s.t.Errorf("a gateway that was stopped: %v", p.cmd.ProcessState)
	}
}

// await waits until clients were sent a number of events.
func (s *stops) await(events int64) {
	s.t.Helper()
	testkit.Eventually(s.t, fmt.Sprintf("clients were sent %d events", events), func() (int64, bool) {
		n := s.events.Load()
		return n, n >= events
	})
}

// talk has sessions of two turns until the test has stopped enough gateways.
func (s *stops) talk() {
	words := slices.Sorted(maps.Keys(errands))
	for {
		select {
		case <-s.last:
			return
		default:
		}
		id := ""
		for turn := range 2 {
			s.turn(&id, words[rand.IntN(len(words))], turn+1)
		}
	}
}

// turn says one word, and hears what comes of it, on whichever gateway.
func (s *stops) turn(id *string, word string, turn int) {
	said := sdkapi.V1Message{ID: fmt.Sprint("m", rand.Uint64()), Parts: []sdkapi.V1Part{{Type: "text", Text: word}}}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Errorf("%s: the turn has not ended", *id)
			return
		}
		at := s.now.Load()
		if *id == "" && s.begin(at, id) != nil {
			continue
		}
		if s.hear(at, *id, said, word, turn) {
			s.turns.Add(1)
			return
		}
	}
}

// begin begins a session.
func (s *stops) begin(at *reached, id *string) error {
	tools := &sdkapi.WSClientManifest{Version: 1}
	for _, name := range []string{"click", "type"} {
		tools.Tools = append(tools.Tools, sdkapi.WSClientTool{Name: name, Description: "Does it.", Schema: json.RawMessage(`{"type":"object"}`)})
	}
	made, err := at.client.General.Begin(at.ctx, sdkapi.V1SessionRequest{Tools: tools})
	if err == nil {
		*id = made.GeneralSessionID
	}
	return err
}

// hear hears a turn, and reports whether it got to the end. What came of its
// first hearing comes again in the second.
func (s *stops) hear(at *reached, id string, said sdkapi.V1Message, word string, turn int) bool {
	deltas := ""
	for e, err := range at.client.General.Chat(at.ctx, id, said) {
		if err != nil {
			return false
		}
		s.events.Add(1)
		switch {
		case e.Delta != nil && e.Delta.Restart:
			deltas = ""
		case e.Delta != nil:
			deltas += e.Delta.Text
		case e.Request != nil:
			if _, told := s.told.LoadOrStore(id+" "+e.Request.ID, true); !told {
				s.answers.Go(func() { s.answer(id, *e.Request) })
			}
		case e.Failed != nil:
			s.t.Errorf("%s: %s failed: %+v", id, word, *e.Failed)
			return true
		case e.Final != nil:
			want := errandText(turn, len(errands[word]))
			if e.Final.Text != want || !strings.HasSuffix(deltas, want) {
				s.t.Errorf("%s: %s was answered with %q, in pieces %q; want %q", id, word, e.Final.Text, deltas, want)
			}
			return true
		}
	}
	return false
}

// answer says what came of a tool, or that one may be called, some time later.
func (s *stops) answer(id string, call sdkapi.V1ToolCall) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		time.Sleep(rand.N(60 * time.Millisecond))
		at := s.now.Load()
		err := at.client.General.Result(at.ctx, id, sdkapi.V1ToolResult{ID: call.ID, OK: true, Result: "did " + string(call.Arguments)})
		refused := new(sdkapi.Error)
		if errors.As(err, &refused) && refused.Status < 500 {
			s.t.Errorf("%s: the result of %s is refused: %v", id, call.ID, refused)
			return
		}
		if err == nil || s.t.Context().Err() != nil {
			return
		}
	}
}

// check looks at what the gateways have left.
func (s *stops) check(n int) {
	s.t.Helper()
	db, err := database.Open(s.t.Context(), s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	var streams []string
	if err := db.Read().NewRaw("SELECT name FROM streams WHERE name LIKE 'session/v1/%'").Scan(s.t.Context(), &streams); err != nil {
		s.t.Fatal(err)
	}
	seen := stopped{t: s.t, runs: s.runs()}
	for _, stream := range streams {
		var events []journal.Event
		for {
			more, err := log.Read(s.t.Context(), stream, int64(len(events)), journal.MaxEvents)
			if err != nil {
				s.t.Fatal(err)
			}
			if len(more) == 0 {
				break
			}
			events = append(events, more...)
		}
		seen.session(stream, events)
	}
	const many = 100 // of 300 stops 57 and more came in the middle of an answer
	if seen.turns < int(s.turns.Load()) || n >= many && seen.again == 0 {
		s.t.Errorf("%d turns, of which clients saw %d end; %d answers were begun again: this test shows little", seen.turns, s.turns.Load(), seen.again)
	}
	s.t.Logf("%d turns in %d sessions: %d answers, of which %d were begun again; %d calls, of %d of which nobody knows what came of them; none lost, none twice",
		seen.turns, len(streams), seen.answers, seen.again, seen.calls, seen.unknown)
}

// runs counts the lines that the gateways' tools have left, each for a call that
// began to run.
func (s *stops) runs() map[string]int {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "runs"))
	if err != nil {
		s.t.Fatal(err)
	}
	runs := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if runs[strings.TrimSpace(line)]++; runs[strings.TrimSpace(line)] > 1 {
			s.t.Errorf("ran twice: %s", line)
		}
	}
	return runs
}

// stopped goes through what was left of sessions.
type stopped struct {
	t    *testing.T
	runs map[string]int // see stops.runs

	turns, answers, again, calls, unknown int
}

// errandTurn is a turn of a session, as far as its events were gone through.
type errandTurn struct {
	number, step, results int
	word                  string
	usage                 models.Usage
	open                  map[string]string // arguments of calls without a result, by id
	asked                 map[string]bool   // of the client, or of the user
	doubt                 bool              // nobody knows what came of a call of the last answer
}

// session goes through one.
func (s *stopped) session(stream string, events []journal.Event) {
	turn := errandTurn{}
	for _, e := range events {
		switch e.Kind {
		case session.KindTurnStarted:
			word := data[session.TurnStarted](s.t, e).Parts[0].Text
			turn = errandTurn{number: turn.number + 1, word: word, open: map[string]string{}, asked: map[string]bool{}}
			s.turns++
		case session.KindModelAsked:
			if data[session.ModelAsked](s.t, e).Again {
				s.again++
			}
		case session.KindModelAnswered:
			s.answered(stream, &turn, data[session.ModelAnswered](s.t, e))
		case session.KindToolRequested:
			s.requested(stream, &turn, data[session.ToolRequested](s.t, e).Call)
		case session.KindApprovalRequested:
			s.requested(stream, &turn, data[session.ApprovalRequested](s.t, e).Call)
		case session.KindToolEnded:
			s.ended(stream, &turn, data[session.ToolEnded](s.t, e))
		case session.KindTurnEnded:
			end, want := data[session.TurnEnded](s.t, e), errandText(turn.number, len(errands[turn.word]))
			if end.Reason != session.EndDone || end.Answer != want || end.Usage != turn.usage || len(turn.open) > 0 || turn.step != len(errands[turn.word])+1 {
				s.t.Errorf("%s: %s, turn %d, ended after %d answers as %+v, with calls open %v; want %q and usage %+v", stream, turn.word, turn.number, turn.step, end, turn.open, want, turn.usage)
			}
			turn.open = nil
		}
	}
	if turn.open != nil {
		s.t.Errorf("%s: the turn %d, %s, has not ended", stream, turn.number, turn.word)
	}
}

// answered compares an answer with what the model says.
func (s *stopped) answered(stream string, turn *errandTurn, a session.ModelAnswered) {
	s.answers++
	want := errandText(turn.number, turn.step)
	var text string
	var names []string
	for _, p := range a.Message.Parts {
		text += p.Text
		if p.Call != nil {
			if wanted := errandArguments(turn.number, turn.results+len(names)); string(p.Call.Arguments) != wanted {
				s.t.Errorf("%s: %s is called with %s, want %s", stream, p.Call.Name, p.Call.Arguments, wanted)
			}
			names = append(names, p.Call.Name)
			turn.open[p.Call.ID] = string(p.Call.Arguments)
		}
	}
	_, calls := stepOf(turn.word, turn.results)
	if text != want || !slices.Equal(names, calls) || a.Usage != errandUsage(turn.step) {
		s.t.Errorf("%s: %s, turn %d, answer %d is %q, calls %v, usage %+v; want %q, %v", stream, turn.word, turn.number, turn.step, text, names, a.Usage, want, calls)
	}
	turn.step++
	turn.usage, turn.doubt = turn.usage.Add(a.Usage), false
}

func (s *stopped) requested(stream string, turn *errandTurn, call string) {
	if turn.asked[call] {
		s.t.Errorf("%s: the call %s was asked for twice", stream, call)
	}
	turn.asked[call] = true
}

// ended looks whether a call ended once, and was made as often as its outcome
// says. What follows a call that nobody knows the outcome of may be canceled.
func (s *stopped) ended(stream string, turn *errandTurn, e session.ToolEnded) {
	arguments, open := turn.open[e.Call]
	delete(turn.open, e.Call)
	turn.results++
	s.calls++
	here, runs := strings.HasPrefix(e.Tool, "gate"), s.runs[stream+" "+arguments]
	fine := open
	switch {
	case e.Outcome == session.Done && here:
		fine = fine && runs == 1
	case e.Outcome == session.Done:
		fine = fine && runs == 0 && turn.asked[e.Call] && strings.Contains(e.Result.Parts[0].Text, "did")
	case e.Outcome == session.Unknown && here:
		s.unknown++
		turn.doubt = true
	default:
		fine = fine && e.Outcome == session.Canceled && turn.doubt && runs == 0
	}
	if !fine {
		s.t.Errorf("%s: the call %s of %s, which was open: %v, ended as %s, and ran %d times: %+v", stream, e.Call, e.Tool, open, e.Outcome, runs, e.Result)
	}
}

// data decodes what an event says.
func data[T any](t *testing.T, e journal.Event) (into T) {
	t.Helper()
	if err := json.Unmarshal(e.Data, &into); err != nil {
		t.Fatal(err)
	}
	return into
}
