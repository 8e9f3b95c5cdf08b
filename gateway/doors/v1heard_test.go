package doors_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/pgtest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/journal/sqljournal"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// counting is a model that says how often it was asked, and pads that.
type counting struct {
	asked atomic.Int64
	pad   string
}

func (m *counting) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return modelstest.NewScript(agenttest.Saying(fmt.Sprintf("Answer %d.", m.asked.Add(1)), m.pad)).Stream(ctx, req)
}

// hears sends a message, and hears its turn in a client's own way.
type hears func(d *deskClient, message string)

// stream opens a chat and returns its events.
func (d *deskClient) stream(message string, headers ...string) (*rawAnswer, *rawEvents) {
	d.t.Helper()
	a, err := d.open("POST", "/v1/chat", message, headers...)
	if err != nil || a.status != 200 {
		d.t.Fatal(a, err)
	}
	d.t.Cleanup(func() { _ = a.conn.Close() })
	return a, &rawEvents{body: a.body}
}

// until reads events until one of a kind, or the end.
func (d *deskClient) until(events *rawEvents, kind string) {
	d.t.Helper()
	for {
		e, err := events.next(func(int) bool { return false })
		switch {
		case errors.Is(err, io.EOF) && kind == "":
			return
		case err != nil:
			d.t.Fatalf("before %q: %v", kind, err)
		case e.kind == kind:
			d.lastID, d.lastData = e.id, e.data
			return
		}
	}
}

// waysToHear are those in which a client hears the end of a turn.
var waysToHear = map[string]hears{
	"to the end of the answer": func(d *deskClient, message string) {
		_, events := d.stream(message)
		d.until(events, "")
	},
	"to the last event, and leaves": func(d *deskClient, message string) {
		a, events := d.stream(message)
		d.until(events, "assistant.final")
		_ = a.conn.Close()
	},
	"to the last event, and stays": func(d *deskClient, message string) {
		_, events := d.stream(message)
		d.until(events, "assistant.final")
	},
	"by a connection that is closed": func(d *deskClient, message string) {
		_, events := d.stream(message, "Connection: close")
		d.until(events, "")
	},
	"without a stream": func(d *deskClient, message string) {
		if status, body := d.ask("POST", "/v1/chat", strings.Replace(message, `"stream":true`, `"stream":false`, 1)); status != 200 {
			d.t.Fatalf("%d %s", status, body)
		}
	},
	"by the other stream": func(d *deskClient, message string) {
		a, events := d.stream(message)
		d.until(events, "assistant.delta")
		_ = a.conn.Close()
		a, err := d.open("GET", "/v1/stream?general_session_id="+d.session, "", "Last-Event-ID: "+d.lastID)
		if err != nil || a.status != 200 {
			d.t.Fatal(a, err)
		}
		d.until(&rawEvents{body: a.body}, "assistant.final")
		_ = a.conn.Close()
	},
}

// A client that has heard an answer, in any way, and says the same words again,
// says something new: at once, and as often as it does.
func TestV1SaidAgain(t *testing.T) {
	t.Parallel()
	for name, hear := range waysToHear {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &counting{}
			d := begun(t, addrOf(gatewaytest.Start(t, conversing(t, gatewaytest.Store(t, false), model, journaltest.NewMemory()))))
			for n := range int64(4) {
				hear(d, d.chat("continue", true))
				if asked := model.asked.Load(); asked != n+1 {
					t.Fatalf("said %d times, it began %d turns", n+1, asked)
				}
			}
		})
	}
}

// heardAll sends a message and reads its answer to the end, which is to be that
// answer of the model's.
func (d *deskClient) heardAll(message string, answer int) {
	d.t.Helper()
	if status, body := d.ask("POST", "/v1/chat", message); status != 200 || !strings.Contains(body, fmt.Sprintf("Answer %d.", answer)) {
		d.t.Errorf("want answer %d: %d %.300s", answer, status, body)
	}
}

// endings is a journal that counts the turns that have ended.
type endings struct {
	journal.Journal
	turns atomic.Int64
}

func (j *endings) AppendAs(ctx context.Context, lease journal.Lease, stream string, events ...journal.Event) (int64, error) {
	last, err := j.Journal.AppendAs(ctx, lease, stream, events...)
	for _, e := range events {
		if e.Kind == session.KindTurnEnded {
			j.turns.Add(1)
		}
	}
	return last, err
}

// An answer that lies in the network did not come, however long ago it was sent:
// its message is the same one.
func TestV1EndDoesNotArrive(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what has arrived")
	}
	log := &endings{Journal: journaltest.NewMemory()}
	cfg := conversing(t, gatewaytest.Store(t, false), &counting{pad: strings.Repeat("and so on ", 3000)}, log)
	cfg.Times.Arrive = 200 * time.Millisecond // more than a system takes to acknowledge what it got
	d := begun(t, addrOf(gatewaytest.Start(t, cfg)))
	small := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error { // it takes a few thousand bytes, and reads none
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 2048) })
	}}
	for n, stream := range []bool{true, false} {
		message := d.chat(fmt.Sprintf("continue, %v", stream), stream)
		conn, err := small.DialContext(t.Context(), "tcp", d.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := rawSend(conn, d.addr, "POST", "/v1/chat", message); err != nil {
			t.Fatal(err)
		}
		testkit.EventuallyWithin(t, v1Patience, "its turn ends", func() (int64, bool) { turns := log.turns.Load(); return turns, turns == int64(2*n+1) })
		d.heardAll(message, 2*n+1)
		d.heardAll(message, 2*n+2) // as it has come now
	}
}

// What one gateway said to a client, another knows, and one that starts later. What
// broke off at one goes on at another.
func TestV1SaidAgainElsewhere(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]func(t *testing.T) database.Config{
		"SQLite": func(t *testing.T) database.Config {
			return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
		},
		"PostgreSQL": func(t *testing.T) database.Config { return database.Config{URL: pgtest.Start(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over, model := config(t), &counting{}
			another := func(settle time.Duration) (addr string) {
				db, err := database.Open(t.Context(), over)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
				log, err := sqljournal.Open(db, sqljournal.Options{})
				if err != nil {
					t.Fatal(err)
				}
				cfg := conversing(t, gatewaytest.Store(t, false), model, log)
				cfg.ChatSettle = settle
				return addrOf(gatewaytest.Start(t, cfg))
			}
			d := begun(t, another(0))
			message := d.chat("continue", true)
			waysToHear["to the last event, and leaves"](d, message)
			for n := range 2 {
				d.addr = another(0)
				d.heardAll(message, n+2)
			}
			d.addr = another(time.Minute) // however late it breaks off
			message = d.chat("go on", true)
			a, events := d.stream(message)
			d.until(events, "assistant.delta")
			_ = a.conn.Close()
			d.addr = another(0)
			d.heardAll(message, 4)
			d.heardAll(message, 5)
		})
	}
}
