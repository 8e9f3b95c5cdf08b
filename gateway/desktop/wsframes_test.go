package desktop_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A connection that is closed says why.
func TestWSCloses(t *testing.T) {
	t.Parallel()
	url := talking(t)
	connect := func(url string) *doorstest.Peer {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return &doorstest.Peer{T: t, Conn: conn}
	}
	masked := func(p *doorstest.Peer, frame ...byte) {
		if _, err := p.Conn.NetConn().Write(append(frame[:2:2], append([]byte{0, 0, 0, 0}, frame[2:]...)...)); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		do   func(*doorstest.Peer)
		code int
		says string
	}{
		"no handshake":             {nil, websocket.ClosePolicyViolation, "no handshake arrived within 50ms; send it as the first message"},
		"a query before it":        {func(p *doorstest.Peer) { p.Send(sdkapi.WSQuery, `{}`) }, websocket.ClosePolicyViolation, `the handshake is missing: the first message must have the type "handshake", not "query"`},
		"nothing at all before it": {func(p *doorstest.Peer) { p.Raw(`{}`) }, websocket.ClosePolicyViolation, "the handshake is missing"},
		"no UTF-8":                 {func(p *doorstest.Peer) { p.Raw(doorstest.Hello); p.Raw("{\"id\":\"\xff\"}") }, websocket.CloseInvalidFramePayloadData, "UTF-8"},
		"half a character":         {func(p *doorstest.Peer) { p.Raw("\"\xc3") }, websocket.CloseInvalidFramePayloadData, "UTF-8"},
		"a close of one byte":      {func(p *doorstest.Peer) { p.Raw(doorstest.Hello); masked(p, 0x88, 0x81, 3) }, websocket.CloseProtocolError, ""},
		"a close of none":          {func(p *doorstest.Peer) { p.Raw(doorstest.Hello); masked(p, 0x88, 0x80) }, websocket.CloseNoStatusReceived, ""},
		"a close with a code":      {func(p *doorstest.Peer) { p.Raw(doorstest.Hello); masked(p, 0x88, 0x82, 3, 232) }, websocket.CloseNormalClosure, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := url
			if tt.do == nil {
				cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
				cfg.Times.Hello = 50 * time.Millisecond
				at = gatewaytest.Start(t, cfg)
			}
			p := connect(at)
			p.T = t
			if tt.do != nil {
				tt.do(p)
			}
			if got := p.Closed(); got.Code != tt.code || !strings.Contains(got.Text, tt.says) {
				t.Errorf("closed with %d %q, want %d %q", got.Code, got.Text, tt.code, tt.says)
			}
		})
	}
}

// A tool of a manifest that cannot be read is rejected by its name, and the
// others are taken.
func TestWSManifestTool(t *testing.T) {
	t.Parallel()
	p := doorstest.Dial(t, talking(t), handshakeOf(`"tools":{"client_manifest":{"version":1,"tools":[
		{"name":"color_pick","colour":"red","schema":{"type":"object"}},
		{"name":"save_note","schema":{"type":"object"}},
		{"name":7,"schema":{"type":"object"}},
		"tool"]}}`))
	var told sdkapi.WSManifestResult
	if m := p.Next(); m.Type != sdkapi.WSClientToolManifest || json.Unmarshal(m.Payload, &told) != nil {
		t.Fatalf("%s %s", m.Type, m.Payload)
	}
	if len(told.Accepted) != 1 || told.Accepted[0].Name != "save_note" {
		t.Errorf("accepted are %v", told.Accepted)
	}
	var names []string
	for _, r := range told.Rejected {
		names = append(names, r.Name+": "+r.Reason)
	}
	if got, want := strings.Join(names, "\n"), "color_pick: unknown field \"colour\"\ntools[2]: the field name must be of the type string\ntools[3]: expected exactly one valid JSON object"; got != want {
		t.Errorf("rejected are\n%s\nwant\n%s", got, want)
	}
	if _, offered := p.Offers()["save_note"]; !offered {
		t.Error("the tool that was taken is not offered")
	}
}

// Pages of desktop programs come from no server. They are let in where the
// operator names what they say they come from.
func TestWSPagesOfPrograms(t *testing.T) {
	t.Parallel()
	for _, allowed := range []string{"file://", "null", ""} {
		cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
		if allowed != "" {
			cfg.AllowedOrigins = []string{allowed}
		}
		url := gatewaytest.Start(t, cfg)
		for _, origin := range []string{"file://", "null", "https://evil.example"} {
			conn, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, map[string][]string{"Origin": {origin}})
			if err == nil {
				_ = conn.Close()
			}
			_ = resp.Body.Close()
			if (err == nil) != (origin == allowed) {
				t.Errorf("with %q allowed, a page of %q gets %d", allowed, origin, resp.StatusCode)
			}
		}
	}
}

// A conversation may be called anything.
func TestWSConversationRefs(t *testing.T) {
	t.Parallel()
	url := talking(t)
	long := strings.Repeat("ö", sdkapi.MaxConversationRef/2)
	for _, ref := range []string{"ö", "a b", "東京 ☂", "a/../b", "%2f", "\n", "'; drop table", long} {
		p := doorstest.Dial(t, url, doorstest.Hello)
		name, err := json.Marshal(ref)
		if err != nil {
			t.Fatal(err)
		}
		p.Send(sdkapi.WSQuery, `{"text":"press a","conversation_ref":`+string(name)+`}`)
		list := p.Until(sdkapi.WSToolCall)
		var call sdkapi.WSToolCallPayload
		if m := list[len(list)-1]; m.ConversationRef != ref || json.Unmarshal(m.Payload, &call) != nil {
			t.Errorf("%q comes back as %q", ref, m.ConversationRef)
		}
		_ = p.Conn.NetConn().Close()
		again := doorstest.Dial(t, url, doorstest.Hello) // which hears of it by the result's id alone
		again.Send(sdkapi.WSToolResult, `{"request_id":"`+call.RequestID+`","success":true}`)
		again.Until(sdkapi.WSStreamingComplete)
	}
	p := doorstest.Dial(t, url, doorstest.Hello)
	p.Send(sdkapi.WSQuery, `{"text":"press a","conversation_ref":"`+long+`x"}`)
	if m := p.Next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), "1 to 128 bytes") {
		t.Errorf("one byte more: %s", m.Payload)
	}
}
