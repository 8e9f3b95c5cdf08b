package toolhost

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/internal/ratelimit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// faltering is a journal that cannot be asked about decisions for a moment.
type faltering struct {
	journal.Journal
	away bool
}

var errAway = errors.New("the database is away")

func (f *faltering) Decision(ctx context.Context, id string) (journal.Decision, error) {
	if f.away {
		return journal.Decision{}, errAway
	}
	return f.Journal.Decision(ctx, id)
}

// listening returns a client that came when a session had 10 events, and what it is sent, by type.
func listening(t *testing.T) (l *listener, log *faltering, sent *[]string) {
	t.Helper()
	memory := journaltest.NewMemory()
	t.Cleanup(func() { _ = memory.Close() })
	log, sent = &faltering{Journal: memory}, new([]string)
	s := &door{
		Turns:     turns.Turns{Core: &gateway.Server{Log: slog.New(slog.DiscardHandler)}, Journal: journal.Count(log)},
		listeners: map[place][]*listener{},
	}
	l = (&client{door: s, id: "host/x/as_1", name: "as_1", user: "ada"}).listener("c", []string{sdkapi.AgentApproval})
	l.known = 10
	l.send = func(m sdkapi.AgentMessage) error {
		*sent = append(*sent, m.Head().Type)
		return nil
	}
	s.enter(l)
	return l, log, sent
}

// at returns an event of a session.
func at(t *testing.T, seq int64, kind string, data any) journal.Event {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return journal.Event{Seq: seq, Kind: kind, Data: raw}
}

// A question, and a call, that cannot be looked at for a moment are not lost: the client is
// sent them when they can be, or comes again.
func TestNothingIsLostWhileTheJournalIsAway(t *testing.T) {
	t.Parallel()
	const question, call = "approval_1", "result_1"
	open := func(t *testing.T, log journal.Journal, id, kind string) {
		t.Helper()
		if _, err := log.Open(t.Context(), journal.Decision{ID: id, Stream: "session/host/x/as_1", User: "ada", Kind: kind, Digest: "d"}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("a question", func(t *testing.T) {
		t.Parallel()
		l, log, sent := listening(t)
		open(t, log, question, session.Approval)
		asked := at(t, 7, session.KindApprovalRequested, session.ApprovalRequested{Turn: "t", Call: "c1", Decision: question})
		log.away = true
		if err := l.show(t.Context(), asked); !errors.Is(err, errAway) || len(*sent) > 0 {
			t.Errorf("while it is away: %v, sent %v", err, *sent)
		}
		log.away = false
		if err := l.show(t.Context(), asked); err != nil || !slices.Equal(*sent, []string{sdkapi.AgentApproval}) {
			t.Errorf("when it is back: %v, sent %v", err, *sent)
		}
	})
	t.Run("a call", func(t *testing.T) {
		t.Parallel()
		l, log, sent := listening(t)
		open(t, log, call, session.Outside)
		log.away = true
		if err := l.show(t.Context(), at(t, 7, session.KindToolRequested, session.ToolRequested{Turn: "t", Call: "c1", Tool: "note", Decision: call})); !errors.Is(err, errAway) {
			t.Errorf("while it is away: %v", err)
		}
		log.away = false
		l.last = time.Now()
		if err := l.tick(t.Context(), time.Hour); err != nil || !slices.Equal(*sent, []string{sdkapi.AgentToolCall}) {
			t.Errorf("when it is back: %v, sent %v", err, *sent)
		}
	})
}

// A call beyond the limit is answered instead of sent. If the answer fails, the call is not lost: it is answered later.
func TestRefusedCallIsAnsweredLater(t *testing.T) {
	t.Parallel()
	const call = "result_1"
	l, log, sent := listening(t)
	l.ctx = t.Context()
	l.calls = ratelimit.New(1, time.Hour)
	if got := l.calls.Take(l.id, 1); !got.OK {
		t.Fatal("the limit is reached too early")
	}
	l.Sessions = session.New(session.Config{Journal: log, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(l.Sessions.Close)
	if _, err := log.Open(t.Context(), journal.Decision{ID: call, Stream: "test", User: "ada", Kind: session.Outside, Digest: "d"}); err != nil {
		t.Fatal(err)
	}
	log.away = true
	if err := l.show(t.Context(), at(t, 11, session.KindToolRequested, session.ToolRequested{Turn: "t", Call: "c1", Tool: "note", Decision: call})); !errors.Is(err, errAway) {
		t.Errorf("while the journal is away: %v", err)
	}
	log.away = false
	l.last = time.Now()
	if err := l.tick(t.Context(), time.Hour); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	d, err := log.Decision(t.Context(), call)
	if err != nil || d.State == journal.Pending {
		t.Errorf("the call is in the state %q, %v; want an answer", d.State, err)
	}
	if slices.Contains(*sent, sdkapi.AgentToolCall) {
		t.Errorf("sent %v, want no call", *sent)
	}
}

// What a client sends is taken while it reads nothing of what it is sent: it may be a cancel.
func TestAClientThatReadsSlowlyIsHeard(t *testing.T) {
	t.Parallel()
	l, _, _ := listening(t)
	reading, full := make(chan struct{}), make(chan struct{})
	l.send = func(sdkapi.AgentMessage) error {
		close(full)
		<-reading
		return nil
	}
	shown := make(chan error)
	go func() {
		shown <- l.show(t.Context(), at(t, 11, session.KindModelText, session.ModelText{Turn: "t", Text: "on and on"}))
	}()
	<-full
	taken := make(chan string, 1)
	go func() { taken <- l.heard(time.Now()) }()
	select {
	case <-taken:
	case <-time.After(10 * time.Second):
		t.Error("the next message waits until the client has read")
	}
	close(reading)
	if err := <-shown; err != nil {
		t.Error(err)
	}
}
