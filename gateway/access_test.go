package gateway_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A download ends when the token is revoked, also one whose client reads nothing
// just then: what lies in the buffers of the connection is all that still comes.
func TestRevokeEndsDownloads(t *testing.T) {
	t.Parallel()
	ids := gatewaytest.Identity(t)
	cfg := gateway.App{Identity: ids, Hosted: true, Store: gatewaytest.Store(t, true)}
	url := gatewaytest.Start(t, cfg)
	install, token := doorstest.Registered(t, ids)
	const size, id = 24 << 20, "large.bin"
	if _, err := cfg.Store.(artifacts.PerUser).For(install.User).Put(t.Context(), id, "application/octet-stream", bytes.NewReader(make([]byte, size))); err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(64 << 10)
	_, err = io.WriteString(conn, "GET "+sdkapi.ArtifactsPath+id+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := ids.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the gateway closes the connection of a client that reads nothing", func() (any, bool) {
		_, err := io.WriteString(conn, "x")
		return err, err != nil
	})
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	n, _ := io.Copy(io.Discard, conn)
	if n > size-2<<20 {
		t.Errorf("%d bytes came of a token that was revoked", n)
	}
}

// What is open stays while the database does not answer, nothing new is let in,
// and once it is back, what is revoked ends.
func TestRevokeAfterTheDatabaseWasAway(t *testing.T) {
	t.Parallel()
	server := pgtest.Own(t)
	db, err := database.Open(t.Context(), database.Config{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	ids := identity.Open(db)
	talking, _ := doorstest.Scripted(t)
	talking.Identity, talking.Hosted, talking.Store = ids, true, gatewaytest.Store(t, true)
	url := gatewaytest.Start(t, talking)
	install, token := doorstest.Registered(t, ids)
	bearer := http.Header{"Authorization": {"Bearer " + token}}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, bearer)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"handshake","user_id":"ada"}`)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, _, err := conn.ReadMessage()
		ended <- err
	}()
	server.Stop(t)
	select {
	case err := <-ended:
		t.Errorf("the WebSocket ended with the database: %v", err)
	case <-time.After(time.Second): // several looks
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+sdkapi.ToolsPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = bearer
	resp, err := http.DefaultClient.Do(request)
	if err != nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without the database: %v, %v", resp, err)
	}
	_ = resp.Body.Close()
	server.Restart(t)
	if err := ids.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !websocket.IsCloseError(err, sdkapi.WSCloseRevoked) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing ends after the database was away")
	}
}
