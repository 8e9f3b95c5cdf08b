package general_test

import (
	"context"
	"fmt"
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
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
	"github.com/windieos/windie/state/journal/sqljournal"

	"github.com/windieos/windie/gateway/doors/doorstest"
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
type hears func(d *doorstest.DeskClient, message string)

// waysToHear are those in which a client hears the end of a turn.
var waysToHear = map[string]hears{
	"to the end of the answer": func(d *doorstest.DeskClient, message string) {
		_, events := d.Stream(message)
		d.Until(events, "")
	},
	"to the last event, and leaves": func(d *doorstest.DeskClient, message string) {
		a, events := d.Stream(message)
		d.Until(events, "assistant.final")
		_ = a.Conn.Close()
	},
	"to the last event, and stays": func(d *doorstest.DeskClient, message string) {
		_, events := d.Stream(message)
		d.Until(events, "assistant.final")
	},
	"by a connection that is closed": func(d *doorstest.DeskClient, message string) {
		_, events := d.Stream(message, "Connection: close")
		d.Until(events, "")
	},
	"without a stream": func(d *doorstest.DeskClient, message string) {
		if status, body := d.Ask("POST", "/v1/chat", strings.Replace(message, `"stream":true`, `"stream":false`, 1)); status != 200 {
			d.T.Fatalf("%d %s", status, body)
		}
	},
	"by the other stream": func(d *doorstest.DeskClient, message string) {
		a, events := d.Stream(message)
		d.Until(events, "assistant.delta")
		_ = a.Conn.Close()
		a, err := d.Open("GET", "/v1/stream?general_session_id="+d.Session, "", "Last-Event-ID: "+d.LastID)
		if err != nil || a.Status != 200 {
			d.T.Fatal(a, err)
		}
		d.Until(&doorstest.RawEvents{Body: a.Body}, "assistant.final")
		_ = a.Conn.Close()
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
			d := doorstest.Begun(t, doorstest.AddrOf(gatewaytest.Start(t, doorstest.Conversing(t, gatewaytest.Store(t, false), model, journaltest.NewMemory()))))
			for n := range int64(4) {
				hear(d, d.Chat("continue", true))
				if asked := model.asked.Load(); asked != n+1 {
					t.Fatalf("said %d times, it began %d turns", n+1, asked)
				}
			}
		})
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
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), &counting{pad: strings.Repeat("and so on ", 3000)}, log)
	cfg.Times.Arrive = 200 * time.Millisecond // more than a system takes to acknowledge what it got
	d := doorstest.Begun(t, doorstest.AddrOf(gatewaytest.Start(t, cfg)))
	small := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error { // it takes a few thousand bytes, and reads none
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 2048) })
	}}
	for n, stream := range []bool{true, false} {
		message := d.Chat(fmt.Sprintf("continue, %v", stream), stream)
		conn, err := small.DialContext(t.Context(), "tcp", d.Addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := doorstest.RawSend(conn, d.Addr, "POST", "/v1/chat", message); err != nil {
			t.Fatal(err)
		}
		testkit.EventuallyWithin(t, doorstest.V1Patience, "its turn ends", func() (int64, bool) { turns := log.turns.Load(); return turns, turns == int64(2*n+1) })
		d.HeardAll(message, 2*n+1)
		d.HeardAll(message, 2*n+2) // as it has come now
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
				cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), model, log)
				cfg.ChatSettle = settle
				return doorstest.AddrOf(gatewaytest.Start(t, cfg))
			}
			d := doorstest.Begun(t, another(0))
			message := d.Chat("continue", true)
			waysToHear["to the last event, and leaves"](d, message)
			for n := range 2 {
				d.Addr = another(0)
				d.HeardAll(message, n+2)
			}
			d.Addr = another(time.Minute) // however late it breaks off
			message = d.Chat("go on", true)
			a, events := d.Stream(message)
			d.Until(events, "assistant.delta")
			_ = a.Conn.Close()
			d.Addr = another(0)
			d.HeardAll(message, 4)
			d.HeardAll(message, 5)
		})
	}
}
