package doorstest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/sdkapi"
)

// Ticket requests a ticket for opening the WebSocket at a path, and returns the ticket.
func (c Holder) Ticket(path string) string {
	c.T.Helper()
	resp := c.Do(http.MethodPost, sdkapi.SocketTicketsPath, `{"path":"`+path+`"}`)
	defer resp.Body.Close()
	var out sdkapi.SocketTicket
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || out.Ticket == "" || out.Path != path || out.ExpiresIn != 30 || resp.Header.Get("Cache-Control") != "no-store" {
		c.T.Fatalf("%s %+v %v", resp.Status, out, err)
	}
	return out.Ticket
}

// ByTicket opens a WebSocket with a ticket and without a token, as a web page does. The returned status is 101 if the
// socket is open.
func (a Admitting) ByTicket(path, ticket string, header http.Header) (*websocket.Conn, int) {
	a.T.Helper()
	conn, resp, err := websocket.DefaultDialer.DialContext(a.T.Context(), "ws"+strings.TrimPrefix(a.Url, "http")+path+"?ticket="+ticket, header)
	if resp == nil {
		a.T.Fatal(err)
	}
	defer resp.Body.Close()
	if conn != nil {
		a.T.Cleanup(func() { _ = conn.Close() })
	}
	return conn, resp.StatusCode
}
