package general_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/journaltest"
	"github.com/windieos/windie/state/journal/sqljournal"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// counting is a model that says how often it was asked.
type counting struct{ asked atomic.Int64 }

func (m *counting) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return modelstest.NewScript(agenttest.Saying(fmt.Sprintf("Answer %d.", m.asked.Add(1)))).Stream(ctx, req)
}

// ways are those in which a client gets the answer to a message.
var ways = map[string]func(d *doorstest.DeskClient, message string){
	"by the stream, to its end": func(d *doorstest.DeskClient, message string) {
		_, events := d.Stream(message)
		d.Until(events, "")
	},
	"by the stream, and leaves": func(d *doorstest.DeskClient, message string) {
		a, events := d.Stream(message)
		d.Until(events, "assistant.final")
		_ = a.Conn.Close()
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

// A client that got an answer, in any way, and says the same words again,
// says something new: at once, and as often as it does.
func TestV1SaidAgain(t *testing.T) {
	t.Parallel()
	for name, get := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &counting{}
			d := doorstest.Begun(t, doorstest.AddrOf(gatewaytest.Start(t, doorstest.Conversing(t, gatewaytest.Store(t, false), model, journaltest.NewMemory()))))
			for n := range int64(4) {
				get(d, d.Chat("continue", true))
				if asked := model.asked.Load(); asked != n+1 {
					t.Fatalf("said %d times, it began %d turns", n+1, asked)
				}
			}
		})
	}
}

// databases are those that several gateways may have between them.
var databases = map[string]func(t *testing.T) database.Config{
	"SQLite": func(t *testing.T) database.Config {
		return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
	},
	"PostgreSQL": func(t *testing.T) database.Config { return database.Config{URL: pgtest.Start(t)} },
}

// another returns one more gateway over a database.
func another(t *testing.T, over database.Config, model models.Model) gateway.App {
	t.Helper()
	db, err := database.Open(t.Context(), over)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doorstest.Conversing(t, gatewaytest.Store(t, false), model, log)
}

// A message is the one that had its id before, whichever gateway gets it, with a stream and
// without, and whatever was said since. Without an id it is a new one, as the answer was sent.
func TestV1SaidAgainElsewhere(t *testing.T) {
	t.Parallel()
	for name, config := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over, model := config(t), &counting{}
			var d *doorstest.DeskClient
			for i, said := range []struct {
				id, text string
				stream   bool
				answer   int
			}{
				{"m1", "continue", true, 1},
				{"m1", "continue", true, 1},
				{"m1", "continue", false, 1},
				{"m2", "continue", true, 2},
				{"", "continue", true, 3},
				{"", "continue", false, 4},
				{"m1", "continue", true, 1},
				{"", "continue", true, 5},
				{"m2", "go on", false, 2},
				{"m3", "continue", true, 6},
			} {
				addr := doorstest.AddrOf(gatewaytest.Start(t, another(t, over, model)))
				if d == nil {
					d = doorstest.Begun(t, addr)
				}
				d.Addr = addr
				if !d.HeardAll(d.Named(said.id, said.text, said.stream), said.answer) {
					t.Fatalf("message %d, %+v", i, said)
				}
			}
		})
	}
}

// A message that several gateways get at once begins one turn, whose answer all get.
func TestV1SaidAtOnceElsewhere(t *testing.T) {
	t.Parallel()
	for name, config := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over, model := config(t), &counting{}
			var addrs []string
			for range 2 {
				addrs = append(addrs, doorstest.AddrOf(gatewaytest.Start(t, another(t, over, model))))
			}
			d := doorstest.Begun(t, addrs[0])
			for n := range 5 {
				message := d.Named(fmt.Sprint("m", n), "continue", n%2 == 0)
				var all sync.WaitGroup
				for i := range 8 {
					all.Go(func() {
						each := *d
						each.Addr = addrs[i%2]
						each.HeardAll(message, n+1)
					})
				}
				all.Wait()
			}
		})
	}
}

// A turn whose gateway stopped in the middle, and that another one ended with nobody there, is the
// turn of the same words: the answer was sent to nobody. Once it was, they are a new message.
func TestV1AnswerThatNobodyGot(t *testing.T) {
	t.Parallel()
	for name, config := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over := config(t)
			first := another(t, over, doorstest.Gated{}) // the end of its answer never comes
			d := doorstest.Begun(t, doorstest.AddrOf(gatewaytest.Start(t, first)))
			message := d.Chat("continue", true)
			a, events := d.Stream(message)
			d.Until(events, "assistant.delta")
			first.Sessions.Close()
			_ = a.Conn.Close()
			second := another(t, over, &counting{})
			go second.Sessions.Run(t.Context())
			id := session.GeneralOf(sdkapi.LocalUser) + d.Session
			testkit.EventuallyWithin(t, doorstest.V1Patience, "the turn ends", func() (bool, bool) {
				state, err := second.Sessions.State(t.Context(), id, sdkapi.LocalUser)
				if err != nil {
					t.Fatal(err)
				}
				return state.Turn == nil, state.Turn == nil
			})
			d.Addr = doorstest.AddrOf(gatewaytest.Start(t, second))
			d.HeardAll(message, 1)
			d.HeardAll(message, 2)
		})
	}
}

// A session remembers the ids of its last 40 messages that have one. An older one, sent again, is new.
func TestV1MessageIDsRemembered(t *testing.T) {
	t.Parallel()
	model := &counting{}
	d := doorstest.Begun(t, doorstest.AddrOf(gatewaytest.Start(t, doorstest.Conversing(t, gatewaytest.Store(t, false), model, journaltest.NewMemory()))))
	const most = 40
	for n := range most {
		d.HeardAll(d.Named(fmt.Sprint("m", n+1), "continue", false), n+1)
	}
	d.HeardAll(d.Named("m1", "continue", false), 1)
	d.HeardAll(d.Named("one more", "continue", false), most+1)
	d.HeardAll(d.Named("m2", "continue", false), 2)
	d.HeardAll(d.Named("m1", "continue", false), most+2)
}
