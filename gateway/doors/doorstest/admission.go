package doorstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/ledger"
)

// Admitting is a hosted gateway with limits, together with the data that a test examines: its URL, its identities and
// its ledger.
type Admitting struct {
	T    *testing.T
	Url  string
	Ids  *identity.Identity
	Book *ledger.Ledger
}

// Holder is a client that has a token of the gateway.
type Holder struct {
	Admitting
	User, Token string
}

// Holder registers an install at the gateway and returns a client with its token.
func (a Admitting) Holder() Holder {
	install, token := Registered(a.T, a.Ids)
	return Holder{a, install.User, token}
}

// Header returns the headers of a JSON request: the token, the user and the content type.
func (c Holder) Header() http.Header {
	return http.Header{"Authorization": {"Bearer " + c.Token}, sdkapi.UserHeader: {c.User}, "Content-Type": {"application/json"}}
}

// Do sends a request. The caller closes the body of the response; the test fails if there is no response.
func (c Holder) Do(method, path, body string) *http.Response {
	c.T.Helper()
	req, err := http.NewRequestWithContext(c.T.Context(), method, c.Url+path, strings.NewReader(body))
	if err != nil {
		c.T.Fatal(err)
	}
	req.Header = c.Header()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.T.Fatal(err)
	}
	return resp
}

// Failure reads the error in a response and closes its body.
func Failure(t *testing.T, resp *http.Response) (f sdkapi.Error) {
	t.Helper()
	defer resp.Body.Close()
	var body sdkapi.ErrorResponse
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		t.Errorf("%s: %v", resp.Status, err)
	}
	return body.Error
}

// Dialed opens a WebSocket and sends the handshake.
func (c Holder) Dialed() *Peer {
	c.T.Helper()
	conn, resp, err := c.TryDial()
	if err != nil {
		c.T.Fatalf("%v, %+v", err, resp)
	}
	p := &Peer{T: c.T, Conn: conn}
	p.Raw(Hello)
	return p
}

// TryDial opens a WebSocket without the handshake. If the gateway refuses it, the response says why. The connection
// closes when the test ends.
func (c Holder) TryDial() (*websocket.Conn, *http.Response, error) {
	header := c.Header()
	header.Del("Content-Type")
	conn, resp, err := websocket.DefaultDialer.DialContext(c.T.Context(), "ws"+strings.TrimPrefix(c.Url, "http")+sdkapi.WSPath, header)
	if err == nil {
		c.T.Cleanup(func() { _ = conn.Close() })
	}
	return conn, resp, err
}

// Flood sends n messages whose type is kind. It returns the number of replies whose type is the parameter answer, and
// the number of RATE_LIMITED errors.
func (p *Peer) Flood(n int, kind, answer string, payload func(int) string) (answered, refused int) {
	p.T.Helper()
	p.Slow = true
	go func() {
		for i := range n {
			_ = p.Conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,"type":%q,"payload":%s}`, uuid.NewString(), kind, payload(i)))
		}
	}()
	for answered+refused < n {
		switch m := p.Next(); m.Type {
		case answer:
			answered++
		case sdkapi.WSError:
			var told sdkapi.WSErrorPayload
			if err := json.Unmarshal(m.Payload, &told); err != nil || told.Code != sdkapi.RateLimited || told.Details.RetryAfter < 1 || told.InReplyTo == "" {
				p.T.Fatalf("%s, %v", m.Payload, err)
			}
			refused++
		}
	}
	return answered, refused
}

// General creates a session of the general agent service and returns its id.
func (c Holder) General() string {
	c.T.Helper()
	resp := c.Do(http.MethodPost, sdkapi.V1SessionsPath, "{}")
	defer resp.Body.Close()
	var made sdkapi.V1Session
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil || made.GeneralSessionID == "" {
		c.T.Fatalf("%s: %v", resp.Status, err)
	}
	return made.GeneralSessionID
}

// Streamed sends a request that starts a turn. It returns the code and the reason of the turn's error, and the time
// at which the limit resets. If the gateway refuses the request itself with status 429, the reason is empty.
func (c Holder) Streamed(path, body string) (code sdkapi.Code, reason string, resets *time.Time) {
	c.T.Helper()
	resp := c.Do(http.MethodPost, path, body)
	if resp.StatusCode != http.StatusOK {
		f := Failure(c.T, resp)
		if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
			c.T.Errorf("%s, Retry-After %q", resp.Status, resp.Header.Get("Retry-After"))
		}
		return f.Code, "", f.Details.ResetsAt
	}
	defer resp.Body.Close()
	var told struct {
		Code     sdkapi.Code
		Reason   string
		ResetsAt *time.Time `json:"resets_at"`
	}
	_ = Hear(resp.Body, func(e Event) bool {
		return e.Kind != sdkapi.EventError || json.Unmarshal([]byte(e.Data), &told) != nil
	})
	return told.Code, told.Reason, told.ResetsAt
}
