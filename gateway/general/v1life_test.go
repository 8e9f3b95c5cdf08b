package general_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/state/database"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// v1Gateway runs a gateway whose model has errands, and returns its address.
func v1Gateway(t *testing.T, change func(*gateway.App)) (addr string) {
	t.Helper()
	return v1Gateways(t, change)[0]
}

// v1Gateways runs several such gateways over the same state.
func v1Gateways(t *testing.T, changes ...func(*gateway.App)) (addrs []string) {
	t.Helper()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, change := range changes {
		cfg, closeAll, err := doorstest.PromptGateway(db, dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(closeAll)
		change(&cfg)
		addrs = append(addrs, doorstest.AddrOf(gatewaytest.Start(t, cfg)))
	}
	return addrs
}

// forever is more beats than there are.
const forever = 1 << 30

// A stream gives signs of life, is closed when nothing has happened for long,
// and never during a turn, however long that takes.
func TestV1StreamIdles(t *testing.T) {
	t.Parallel()
	addr := v1Gateway(t, func(cfg *gateway.App) { cfg.Heartbeat, cfg.StreamIdle = 10*time.Millisecond, 200*time.Millisecond })
	d := doorstest.Begun(t, addr)
	listen := func(headers ...string) *doorstest.RawEvents {
		t.Helper()
		a, err := d.Open("GET", "/v1/stream?general_session_id="+d.Session, "", headers...)
		if err != nil || a.Status != 200 {
			t.Fatal(a, err)
		}
		t.Cleanup(func() { _ = a.Conn.Close() })
		return &doorstest.RawEvents{Body: a.Body}
	}
	idle := listen()
	other := `{"preferred_session_id":%q,"tools":{"version":1,"tools":[{"name":"open_app","description":"Opens.","schema":{"type":"object"}}]}}`
	if status, body := d.Ask("POST", "/v1/sessions", fmt.Sprintf(other, d.Session)); status != 200 || !strings.Contains(body, "resumed") {
		t.Fatalf("other tools: %d %s", status, body)
	}
	if events, err := idle.Beats(forever); !errors.Is(err, io.EOF) || len(events) > 0 {
		t.Errorf("without a turn it did not end: %v, %v", events, err)
	}
	d.Pauses = "call-1"
	d.Listen(false)
	waiting, chat := listen(), listen("Last-Event-ID: 1")
	for _, s := range []*doorstest.RawEvents{waiting, chat} {
		if events, err := s.Beats(40); !errors.Is(err, doorstest.ErrLeft) || events[len(events)-1].Kind != "tool.request" { // longer than it may idle
			t.Errorf("while a tool runs: %v, %v", events, err)
		}
	}
	d.Pauses = ""
	d.Converse()
	d.Check()
	for _, s := range []*doorstest.RawEvents{waiting, chat} {
		if events, err := s.Beats(forever); !errors.Is(err, io.EOF) || events[len(events)-1].Kind != "assistant.final" {
			t.Errorf("behind the turn: %v, %v", events, err)
		}
	}
}

// A session in which nothing was said for long is gone for every route, as one
// that never was, and its client gets a new one.
func TestV1SessionExpires(t *testing.T) {
	t.Parallel()
	addrs := v1Gateways(t, func(*gateway.App) {}, func(cfg *gateway.App) { cfg.SessionIdle = time.Millisecond })
	usual, strict := addrs[0], addrs[1]
	d := doorstest.Begun(t, usual)
	d.Pauses = "call-1"
	d.Listen(false)
	open := doorstest.Begun(t, usual)
	d.Addr, open.Addr = strict, strict
	testkit.EventuallyWithin(t, doorstest.V1Patience, "the session expires", func() (int, bool) {
		status, _ := open.Ask("GET", "/v1/stream?general_session_id="+open.Session+"&after=soon", "") // 422 while it is there
		return status, status == 404
	})
	for name, ask := range v1Asks {
		status, body := ask(open, open.Session, "call-1")
		if status != 404 || !strings.Contains(body, "SESSION_NOT_FOUND") || !strings.Contains(body, "it was idle for 1ms and expired") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	status, body := open.Ask("POST", "/v1/sessions", fmt.Sprintf(`{"preferred_session_id":%q}`, open.Session))
	if status != 200 || strings.Contains(body, open.Session) || strings.Contains(body, "resumed") {
		t.Errorf("in its place: %d %s", status, body)
	}
	d.Pauses = "" // a session with a turn stays
	if d.Converse(); d.Final != doorstest.ErrandsEnd {
		t.Errorf("the last words are %q %s", d.Final, d.Failed)
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
	first, closeFirst, err := doorstest.PromptGateway(db, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, closeSecond, err := doorstest.PromptGateway(db, dir, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closeFirst()
		closeSecond()
		_ = db.Close()
	})
	d := doorstest.Begun(t, doorstest.AddrOf(gatewaytest.Start(t, first)))
	d.Ask("POST", "/v1/chat", d.Chat("Plan my week", false))
	first.Sessions.Close()
	d.Addr = doorstest.AddrOf(gatewaytest.Start(t, second))
	d.Post("call-1", "opened calendar")
	conn, err := doorstest.RawDial(d.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := doorstest.RawSend(conn, d.Addr, "POST", "/v1/chat", d.Chat("Plan my week", false)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("it is answered though nobody can know what comes next")
	}
	_ = conn.SetReadDeadline(time.Now().Add(doorstest.V1Patience))
	go second.Sessions.Run(t.Context())
	a, err := doorstest.RawHead(conn)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := a.Body.All(); err != nil || a.Status != 409 || !strings.Contains(text, `"id":"call-2"`) {
		t.Errorf("it is answered with %d %s, %v", a.Status, text, err)
	}
}
