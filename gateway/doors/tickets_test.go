package doors_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/sdkapi"
)

// ticket gets a ticket for the socket at a path.
func (c holder) ticket(path string) string {
	c.t.Helper()
	resp := c.do(http.MethodPost, sdkapi.SocketTicketsPath, `{"path":"`+path+`"}`)
	defer resp.Body.Close()
	var out sdkapi.SocketTicket
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || out.Ticket == "" || out.Path != path || out.ExpiresIn != 30 || resp.Header.Get("Cache-Control") != "no-store" {
		c.t.Fatalf("%s %+v %v", resp.Status, out, err)
	}
	return out.Ticket
}

// byTicket opens a socket as a page does, without headers; the status is 101 if it is open.
func (a admitting) byTicket(path, ticket string, header http.Header) (*websocket.Conn, int) {
	a.t.Helper()
	conn, resp, err := websocket.DefaultDialer.DialContext(a.t.Context(), "ws"+strings.TrimPrefix(a.url, "http")+path+"?ticket="+ticket, header)
	if resp == nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	if conn != nil {
		a.t.Cleanup(func() { _ = conn.Close() })
	}
	return conn, resp.StatusCode
}

// ticketed runs two hosted gateways that share their users, and returns them with what they log.
func ticketed(t *testing.T) (one, two admitting, log *lockedBuffer) {
	t.Helper()
	cfg, ids := hosted(t)
	log = new(lockedBuffer)
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	one = admitting{t, gatewaytest.Start(t, cfg), ids, nil}
	other, _ := hosted(t)
	other.Identity, other.Log = ids, cfg.Log
	two = admitting{t, gatewaytest.Start(t, other), ids, nil}
	for _, a := range []admitting{one, two} { // or it might not have begun when the test ends
		if resp, body := get(t, a.url+"/ready"); resp.StatusCode >= 500 && !strings.Contains(body, "checks") {
			t.Fatal(body)
		}
	}
	return one, two, log
}

// A ticket opens one socket for its user, at its path, at whichever gateway; it opens nothing else, and no log has it.
func TestSocketTickets(t *testing.T) {
	t.Parallel()
	one, two, log := ticketed(t)
	ada, eve := one.holder(), one.holder()
	var tickets []string
	ticketOf := func(path string) string {
		tickets = append(tickets, ada.ticket(path))
		return tickets[len(tickets)-1]
	}
	t.Run("opens one socket, of its user", func(t *testing.T) {
		ticket := ticketOf("/ws")
		conn, status := two.byTicket("/ws", ticket, nil)
		if status != http.StatusSwitchingProtocols {
			t.Fatal(status)
		}
		p := &peer{t: t, conn: conn}
		p.raw(`{"type":"handshake","user_id":"somebody else"}`)
		p.raw(`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"load-settings"}`)
		p.until(sdkapi.WSSettingsLoaded)
		for _, again := range []admitting{one, two} {
			if _, status := again.byTicket("/ws", ticket, nil); status != http.StatusUnauthorized {
				t.Errorf("again: %d", status)
			}
		}
	})
	t.Run("at another path", func(t *testing.T) {
		ticket := ticketOf("/api/agent/sessions/a/stream")
		if _, status := one.byTicket("/ws", ticket, nil); status != http.StatusUnauthorized {
			t.Error(status)
		}
	})
	t.Run("beside a wrong token", func(t *testing.T) {
		if _, status := one.byTicket("/ws", ticketOf("/ws"), http.Header{"Authorization": {"Bearer wrong"}}); status != http.StatusUnauthorized {
			t.Error(status)
		}
	})
	t.Run("of a page that may not", func(t *testing.T) {
		if _, status := one.byTicket("/ws", ticketOf("/ws"), http.Header{"Origin": {"https://evil.example"}}); status != http.StatusForbidden {
			t.Error(status)
		}
	})
	t.Run("of a request that opens no socket", func(t *testing.T) {
		for _, path := range []string{"/ws", "/api/tools", "/api/artifacts/"} {
			resp, err := http.Get(one.url + path + "?ticket=" + ticketOf("/ws")) //nolint:noctx // a request as a page's
			if err != nil {
				t.Fatal(err)
			}
			if f := failure(t, resp); resp.StatusCode != http.StatusUnauthorized || f.Code != sdkapi.AuthRequired {
				t.Errorf("%s: %s", path, resp.Status)
			}
		}
	})
	t.Run("is another user's no more than its own token is", func(t *testing.T) {
		resp := eve.do(http.MethodPost, sdkapi.SocketTicketsPath, `{"path":"/api/agent/sessions/a/stream","user_id":"`+ada.user+`"}`)
		if f := failure(t, resp); f.Code != sdkapi.ValidationError {
			t.Errorf("%+v", f)
		}
	})
	for _, ticket := range tickets {
		if strings.Contains(log.String(), ticket) {
			t.Error("a log has a ticket")
		}
	}
}

// Tickets are for sockets alone, and for those who bring a token of an install.
func TestSocketTicketsRefused(t *testing.T) {
	t.Parallel()
	one, _, _ := ticketed(t)
	ada := one.holder()
	for name, tt := range map[string]struct {
		token, body string
		code        sdkapi.Code
	}{
		"no token":             {"", `{"path":"/ws"}`, sdkapi.AuthRequired},
		"the operator's token": {operatorsToken, `{"path":"/ws"}`, sdkapi.AuthRequired},
		"no socket's path":     {ada.token, `{"path":"/api/tools"}`, sdkapi.ValidationError},
		"a path with a query":  {ada.token, `{"path":"/ws?x=1"}`, sdkapi.ValidationError},
		"no path":              {ada.token, `{}`, sdkapi.ValidationError},
		"a path of 257 bytes":  {ada.token, `{"path":"/` + strings.Repeat("x", 256) + `"}`, sdkapi.ValidationError},
		"a body too large":     {ada.token, `{"path":"/` + strings.Repeat("x", 4<<10) + `"}`, sdkapi.PayloadTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			asking := ada
			asking.token = tt.token
			if f := failure(t, asking.do(http.MethodPost, sdkapi.SocketTicketsPath, tt.body)); f.Code != tt.code {
				t.Errorf("%+v", f)
			}
		})
	}
}

// A socket that a ticket opened ends with the token that the ticket was given for.
func TestSocketTicketsEndWithTheirToken(t *testing.T) {
	t.Parallel()
	one, two, _ := ticketed(t)
	install, token := registered(t, one.ids)
	ada := holder{one, install.User, token}
	conn, status := two.byTicket("/ws", ada.ticket("/ws"), nil)
	if status != http.StatusSwitchingProtocols {
		t.Fatal(status)
	}
	unused := ada.ticket("/ws")
	if err := conn.WriteMessage(websocket.TextMessage, []byte(hello)); err != nil {
		t.Fatal(err)
	}
	if err := one.ids.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the socket ends", func() (any, bool) {
		_, _, err := conn.ReadMessage()
		return err, websocket.IsCloseError(err, sdkapi.WSCloseRevoked)
	})
	if _, status := two.byTicket("/ws", unused, nil); status != http.StatusUnauthorized {
		t.Error(status)
	}
}
