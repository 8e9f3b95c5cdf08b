package doors_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
)

// v1Gateway runs a gateway whose model has errands, and returns its address.
func v1Gateway(t *testing.T, change func(*gateway.Config)) (addr string) {
	t.Helper()
	return v1Gateways(t, change)[0]
}

// v1Gateways runs several such gateways over the same state.
func v1Gateways(t *testing.T, changes ...func(*gateway.Config)) (addrs []string) {
	t.Helper()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, change := range changes {
		cfg, closeAll, err := promptGateway(db, dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(closeAll)
		change(&cfg)
		addrs = append(addrs, addrOf(gatewaytest.Start(t, cfg)))
	}
	return addrs
}

// beats reads a stream until so many signs of life came, or its end, and
// returns the events besides.
func (r *rawEvents) beats(n int) (events []event, err error) {
	beat := func() (count int) {
		for _, c := range r.comments {
			if c == "heartbeat" {
				count++
			}
		}
		return count
	}
	for enough := beat() + n; ; {
		e, err := r.next(func(read int) bool { return read == 0 && beat() >= enough })
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

// forever is more beats than there are.
const forever = 1 << 30

// A stream gives signs of life, is closed when nothing has happened for long,
// and never during a turn, however long that takes.
func TestV1StreamIdles(t *testing.T) {
	t.Parallel()
	addr := v1Gateway(t, func(cfg *gateway.Config) { cfg.Heartbeat, cfg.StreamIdle = 10*time.Millisecond, 200*time.Millisecond })
	d := begun(t, addr)
	listen := func(headers ...string) *rawEvents {
		t.Helper()
		a, err := d.open("GET", "/v1/stream?general_session_id="+d.session, "", headers...)
		if err != nil || a.status != 200 {
			t.Fatal(a, err)
		}
		t.Cleanup(func() { _ = a.conn.Close() })
		return &rawEvents{body: a.body}
	}
	idle := listen()
	other := `{"preferred_session_id":%q,"tools":{"version":1,"tools":[{"name":"open_app","description":"Opens.","schema":{"type":"object"}}]}}`
	if status, body := d.ask("POST", "/v1/sessions", fmt.Sprintf(other, d.session)); status != 200 || !strings.Contains(body, "resumed") {
		t.Fatalf("other tools: %d %s", status, body)
	}
	if events, err := idle.beats(forever); !errors.Is(err, io.EOF) || len(events) > 0 {
		t.Errorf("without a turn it did not end: %v, %v", events, err)
	}
	d.pauses = "call-1"
	d.listen(false)
	waiting, chat := listen(), listen("Last-Event-ID: 1")
	for _, s := range []*rawEvents{waiting, chat} {
		if events, err := s.beats(40); !errors.Is(err, errLeft) || events[len(events)-1].kind != "tool.request" { // longer than it may idle
			t.Errorf("while a tool runs: %v, %v", events, err)
		}
	}
	d.pauses = ""
	d.converse()
	d.check()
	for _, s := range []*rawEvents{waiting, chat} {
		if events, err := s.beats(forever); !errors.Is(err, io.EOF) || events[len(events)-1].kind != "assistant.final" {
			t.Errorf("behind the turn: %v, %v", events, err)
		}
	}
}

// A session in which nothing was said for long is gone for every route, as one
// that never was, and its client gets a new one.
func TestV1SessionExpires(t *testing.T) {
	t.Parallel()
	addrs := v1Gateways(t, func(*gateway.Config) {}, func(cfg *gateway.Config) { cfg.SessionIdle = time.Millisecond })
	usual, strict := addrs[0], addrs[1]
	d := begun(t, usual)
	d.pauses = "call-1"
	d.listen(false)
	open := begun(t, usual)
	d.addr, open.addr = strict, strict
	testkit.EventuallyWithin(t, v1Patience, "the session expires", func() (int, bool) {
		status, _ := open.ask("GET", "/v1/stream?general_session_id="+open.session+"&after=soon", "") // 422 while it is there
		return status, status == 404
	})
	for name, ask := range v1Asks {
		status, body := ask(open, open.session, "call-1")
		if status != 404 || !strings.Contains(body, "SESSION_NOT_FOUND") || !strings.Contains(body, "nothing was said in it for 1ms") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	status, body := open.ask("POST", "/v1/sessions", fmt.Sprintf(`{"preferred_session_id":%q}`, open.session))
	if status != 200 || strings.Contains(body, open.session) || strings.Contains(body, "resumed") {
		t.Errorf("in its place: %d %s", status, body)
	}
	d.pauses = "" // a session with a turn stays
	if d.converse(); d.final != errandsEnd {
		t.Errorf("the last words are %q %s", d.final, d.failed)
	}
}

// What was posted is not asked for again, even while nobody works on the turn
// and it has not come to the agent.
func TestV1ResultIsOnItsWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	first, closeFirst, err := promptGateway(db, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, closeSecond, err := promptGateway(db, dir, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closeFirst()
		closeSecond()
		_ = db.Close()
	})
	d := begun(t, addrOf(gatewaytest.Start(t, first)))
	d.ask("POST", "/v1/chat", d.chat("Plan my week", false))
	first.Sessions.Close()
	d.addr = addrOf(gatewaytest.Start(t, second))
	d.post("call-1", "opened calendar")
	conn, err := rawDial(d.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := rawSend(conn, d.addr, "POST", "/v1/chat", d.chat("Plan my week", false)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("it is answered though nobody can know what comes next")
	}
	_ = conn.SetReadDeadline(time.Now().Add(v1Patience))
	go second.Sessions.Run(t.Context())
	a, err := rawHead(conn)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := a.body.all(); err != nil || a.status != 409 || !strings.Contains(text, `"id":"call-2"`) {
		t.Errorf("it is answered with %d %s, %v", a.status, text, err)
	}
}
