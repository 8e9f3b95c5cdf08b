package tickets_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// ticketed runs two hosted gateways that share their users, and returns them with what they log.
func ticketed(t *testing.T) (one, two doorstest.Admitting, log *doorstest.LockedBuffer) {
	t.Helper()
	cfg, ids := doorstest.Hosted(t)
	log = new(doorstest.LockedBuffer)
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	one = doorstest.Admitting{T: t, Url: gatewaytest.Start(t, cfg), Ids: ids, Book: nil}
	other, _ := doorstest.Hosted(t)
	other.Identity, other.Log = ids, cfg.Log
	two = doorstest.Admitting{T: t, Url: gatewaytest.Start(t, other), Ids: ids, Book: nil}
	for _, a := range []doorstest.Admitting{one, two} { // or it might not have begun when the test ends
		if resp, body := doorstest.Get(t, a.Url+"/ready"); resp.StatusCode >= 500 && !strings.Contains(body, "checks") {
			t.Fatal(body)
		}
	}
	return one, two, log
}

// A ticket opens one socket for its user, at its path, at whichever gateway; it opens nothing else, and no log has it.
func TestSocketTickets(t *testing.T) {
	t.Parallel()
	one, two, log := ticketed(t)
	ada, eve := one.Holder(), one.Holder()
	var tickets []string
	ticketOf := func(path string) string {
		tickets = append(tickets, ada.Ticket(path))
		return tickets[len(tickets)-1]
	}
	t.Run("opens one socket, of its user", func(t *testing.T) {
		ticket := ticketOf("/ws")
		conn, status := two.ByTicket("/ws", ticket, nil)
		if status != http.StatusSwitchingProtocols {
			t.Fatal(status)
		}
		p := &doorstest.Peer{T: t, Conn: conn}
		p.Raw(`{"type":"handshake","user_id":"somebody else"}`)
		p.Raw(`{"id":"123e4567-e89b-12d3-a456-426614174000","type":"load-settings"}`)
		p.Until(sdkapi.WSSettingsLoaded)
		for _, again := range []doorstest.Admitting{one, two} {
			if _, status := again.ByTicket("/ws", ticket, nil); status != http.StatusUnauthorized {
				t.Errorf("again: %d", status)
			}
		}
	})
	t.Run("at another path", func(t *testing.T) {
		ticket := ticketOf("/api/agent/sessions/a/stream")
		if _, status := one.ByTicket("/ws", ticket, nil); status != http.StatusUnauthorized {
			t.Error(status)
		}
	})
	t.Run("beside a wrong token", func(t *testing.T) {
		if _, status := one.ByTicket("/ws", ticketOf("/ws"), http.Header{"Authorization": {"Bearer wrong"}}); status != http.StatusUnauthorized {
			t.Error(status)
		}
	})
	t.Run("of a page that may not", func(t *testing.T) {
		if _, status := one.ByTicket("/ws", ticketOf("/ws"), http.Header{"Origin": {"https://evil.example"}}); status != http.StatusForbidden {
			t.Error(status)
		}
	})
	t.Run("of a request that opens no socket", func(t *testing.T) {
		for _, path := range []string{"/ws", "/api/tools", "/api/artifacts/"} {
			resp, err := http.Get(one.Url + path + "?ticket=" + ticketOf("/ws")) //nolint:noctx // a request as a page's
			if err != nil {
				t.Fatal(err)
			}
			if f := doorstest.Failure(t, resp); resp.StatusCode != http.StatusUnauthorized || f.Code != sdkapi.AuthRequired {
				t.Errorf("%s: %s", path, resp.Status)
			}
		}
	})
	t.Run("is another user's no more than its own token is", func(t *testing.T) {
		resp := eve.Do(http.MethodPost, sdkapi.SocketTicketsPath, `{"path":"/api/agent/sessions/a/stream","user_id":"`+ada.User+`"}`)
		if f := doorstest.Failure(t, resp); f.Code != sdkapi.ValidationError {
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
	ada := one.Holder()
	for name, tt := range map[string]struct {
		token, body string
		code        sdkapi.Code
	}{
		"no token":             {"", `{"path":"/ws"}`, sdkapi.AuthRequired},
		"the operator's token": {doorstest.OperatorsToken, `{"path":"/ws"}`, sdkapi.AuthRequired},
		"no socket's path":     {ada.Token, `{"path":"/api/tools"}`, sdkapi.ValidationError},
		"a path with a query":  {ada.Token, `{"path":"/ws?x=1"}`, sdkapi.ValidationError},
		"no path":              {ada.Token, `{}`, sdkapi.ValidationError},
		"a path of 257 bytes":  {ada.Token, `{"path":"/` + strings.Repeat("x", 256) + `"}`, sdkapi.ValidationError},
		"a body too large":     {ada.Token, `{"path":"/` + strings.Repeat("x", 4<<10) + `"}`, sdkapi.PayloadTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			asking := ada
			asking.Token = tt.token
			if f := doorstest.Failure(t, asking.Do(http.MethodPost, sdkapi.SocketTicketsPath, tt.body)); f.Code != tt.code {
				t.Errorf("%+v", f)
			}
		})
	}
}

// A socket that a ticket opened ends with the token that the ticket was given for.
func TestSocketTicketsEndWithTheirToken(t *testing.T) {
	t.Parallel()
	one, two, _ := ticketed(t)
	install, token := doorstest.Registered(t, one.Ids)
	ada := doorstest.Holder{Admitting: one, User: install.User, Token: token}
	conn, status := two.ByTicket("/ws", ada.Ticket("/ws"), nil)
	if status != http.StatusSwitchingProtocols {
		t.Fatal(status)
	}
	unused := ada.Ticket("/ws")
	if err := conn.WriteMessage(websocket.TextMessage, []byte(doorstest.Hello)); err != nil {
		t.Fatal(err)
	}
	if err := one.Ids.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the socket ends", func() (any, bool) {
		_, _, err := conn.ReadMessage()
		return err, websocket.IsCloseError(err, sdkapi.WSCloseRevoked)
	})
	if _, status := two.ByTicket("/ws", unused, nil); status != http.StatusUnauthorized {
		t.Error(status)
	}
}
