package general_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// v1Asks are the ways to ask for a session, by the route and what is special.
var v1Asks = map[string]func(d *doorstest.DeskClient, session, call string) (status int, body string){
	"POST /v1/chat": func(d *doorstest.DeskClient, session, _ string) (int, string) {
		return d.Ask("POST", "/v1/chat", fmt.Sprintf(`{"general_session_id":%q,"message":{"parts":[{"type":"text","text":"Plan my week"}]}}`, session))
	},
	"POST /v1/chat, as a stream": func(d *doorstest.DeskClient, session, _ string) (int, string) {
		return d.Ask("POST", "/v1/chat", fmt.Sprintf(`{"general_session_id":%q,"message":{"parts":[{"type":"text","text":"Plan my week"}]},"stream":true}`, session))
	},
	"GET /v1/stream": func(d *doorstest.DeskClient, session, _ string) (int, string) {
		return d.Ask("GET", "/v1/stream?general_session_id="+session, "")
	},
	"GET /v1/stream, from the beginning": func(d *doorstest.DeskClient, session, _ string) (int, string) {
		return d.Ask("GET", "/v1/stream?general_session_id="+session+"&after=1", "")
	},
	"POST /v1/cancel": func(d *doorstest.DeskClient, session, _ string) (int, string) {
		return d.Ask("POST", "/v1/cancel", fmt.Sprintf(`{"general_session_id":%q}`, session))
	},
	"DELETE /v1/sessions/{session_id}": func(d *doorstest.DeskClient, session, _ string) (int, string) {
		return d.Ask("DELETE", "/v1/sessions/"+session, "")
	},
	"POST /v1/tools/result": func(d *doorstest.DeskClient, session, call string) (int, string) {
		return d.Ask("POST", "/v1/tools/result", fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":%q,"ok":true,"result":"opened nothing"}}`, session, call))
	},
}

// A session of somebody else's is answered as one that is not there, by every
// route, and stays as it was.
func TestV1SessionsApart(t *testing.T) {
	t.Parallel()
	for _, hosted := range []bool{false, true} {
		t.Run(fmt.Sprintf("hosted %v", hosted), func(t *testing.T) {
			t.Parallel()
			ids := gatewaytest.Identity(t)
			var whose [3][]string // the headers of three users; in local mode the last is nobody in particular
			addr := v1Gateway(t, func(cfg *gateway.App) {
				if hosted {
					cfg.Hosted, cfg.Identity, cfg.Store = true, ids, gatewaytest.Store(t, true)
				}
			})
			for i := range whose {
				if hosted {
					_, token := doorstest.Registered(t, ids)
					whose[i] = []string{"Authorization: Bearer " + token}
				} else if i < 2 {
					whose[i] = []string{sdkapi.UserHeader + ": " + []string{"ada", "eve"}[i]}
				}
			}
			ada := doorstest.Begun(t, addr, whose[0]...)
			ada.Pauses = "call-1"
			ada.Listen(false)
			never := "g_" + strings.Repeat("a", len(ada.Session)-2)
			for _, other := range whose[1:] {
				eve := doorstest.Begun(t, addr, other...)
				for name, ask := range v1Asks {
					status, got := ask(eve, ada.Session, "call-1")
					wantStatus, want := ask(eve, never, "call-1")
					if status != http.StatusNotFound || wantStatus != status || strings.ReplaceAll(got, ada.Session, never) != want {
						t.Errorf("%s:\n%d %s\nand of none\n%d %s", name, status, got, wantStatus, want)
					}
				}
				status, body := eve.Ask("POST", "/v1/sessions", fmt.Sprintf(`{"preferred_session_id":%q}`, ada.Session))
				if status != http.StatusOK || strings.Contains(body, ada.Session) || strings.Contains(body, "resumed") {
					t.Errorf("to go on with it: %d %s", status, body)
				}
			}
			ada.Pauses = ""
			ada.Converse()
			ada.Check()
		})
	}
}

// Every route of the service that asks for a session is among v1Asks.
func TestV1AsksForSessions(t *testing.T) {
	t.Parallel()
	addr := v1Gateway(t, func(*gateway.App) {})
	for _, r := range doorstest.RoutesOf(t, "http://"+addr) {
		_, known := v1Asks[r.String()]
		if strings.HasPrefix(r.Path, "/v1/") && r.Path != sdkapi.V1SessionsPath && !known {
			t.Errorf("%s is not among v1Asks", r)
		}
	}
}

// A page that a browser shows is refused, also under a name that was made to
// point here; a program is not.
func TestV1KnowsItsName(t *testing.T) {
	t.Parallel()
	addr := v1Gateway(t, func(cfg *gateway.App) {
		cfg.PublicURL, cfg.AllowedOrigins = "https://windie.example/gateway", []string{"https://app.example"}
	})
	d := doorstest.Begun(t, addr)
	hosted := v1Gateway(t, func(cfg *gateway.App) {
		cfg.Hosted, cfg.Identity, cfg.Store = true, gatewaytest.Identity(t), gatewaytest.Store(t, true)
	})
	for _, tt := range []struct {
		addr, path, host, origin string
		want                     int
	}{
		{addr, "/v1/stream", "127.0.0.1:1", "", 422},
		{addr, "/v1/stream", "[::1]:1", "", 422},
		{addr, "/v1/stream", "localhost", "", 422},
		{addr, "/v1/stream", "windie:8765", "", 422},
		{addr, "/v1/stream", "windie.example", "", 422},
		{addr, "/v1/stream", "app.example", "", 422},
		{addr, "/v1/stream", "evil.example", "", 403},
		{addr, "/V1/stream/", "evil.example:8765", "", 403},
		{addr, "/v1/stream", "windie.example.evil.example", "", 403},
		{addr, "/v1/stream", "127.0.0.1.evil.example", "", 403},
		{addr, "/v1/stream", "evil.example", "http://evil.example", 403},
		{addr, "/v1/stream", "127.0.0.1:1", "http://evil.example", 403},
		{addr, "/v1/stream", "127.0.0.1:1", "https://app.example", 422},
		{addr, "/health", "evil.example", "", 200},
		{hosted, "/v1/stream", "evil.example", "", 401},
		{hosted, "/v1/stream", "evil.example", "http://evil.example", 403},
	} {
		t.Run(fmt.Sprint(tt.addr, " ", tt.path), func(t *testing.T) {
			conn, err := doorstest.RawDial(tt.addr)
			if err != nil {
				t.Fatal(err)
			}
			headers := []string{"Connection: close"}
			if tt.origin != "" {
				headers = append(headers, "Origin: "+tt.origin)
			}
			err = doorstest.RawSend(conn, tt.host, "GET", tt.path, "", headers...)
			var a *doorstest.RawAnswer
			if err == nil {
				a, err = doorstest.RawHead(conn)
			}
			if err != nil || a.Status != tt.want && !slices.Contains([]string{"/health"}, tt.path) {
				t.Errorf("%+v: %v, %v", tt, a, err)
			}
			_ = conn.Close()
		})
	}
	if status, body := d.Ask("GET", "/v1/stream", ""); status != 422 {
		t.Errorf("%d %s", status, body)
	}
}
