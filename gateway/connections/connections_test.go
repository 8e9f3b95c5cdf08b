package connections_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/upstream"
)

// Two users' calls, all at once, are each made as their own user of the other gateway.
func TestNoCallIsCrossed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := w.person(), w.person()
	ada.connect()
	if got := eve.call("web_whoami", `{"say":"x"}`); got.status != http.StatusForbidden || !strings.Contains(got.body, string(sdkapi.ConnectionRequired)) || !strings.Contains(got.body, "/console/#/gateway/connections") {
		t.Fatal(got)
	}
	eve.connect()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			p := []*person{ada, eve}[i%2]
			got := p.call("web_whoami", fmt.Sprintf(`{"say":"call %d"}`, i))
			if got.status != http.StatusOK || !strings.Contains(got.body, p.there) || !strings.Contains(got.body, fmt.Sprintf("call %d", i)) {
				t.Errorf("call %d of %s: %s", i, p.there, got)
			}
		})
	}
	all.Wait()
	w.leaksNothing()
}

// leaksNothing fails the test if a token is in the log or in the files of the database.
func (w *world) leaksNothing() {
	w.t.Helper()
	texts := map[string]string{"log": w.log.text()}
	files, _ := filepath.Glob(w.file + "*")
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			w.t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(raw)
	}
	if len(texts) < 2 || texts["log"] == "" {
		w.t.Fatal("nothing to look into")
	}
	for name, text := range texts {
		for _, prefix := range []string{"wnd_mcp_", "wnd_refresh_", "wnd_code_"} {
			if strings.Contains(text, prefix) {
				w.t.Errorf("%s has a token %s", name, prefix)
			}
		}
	}
}

// A server that sends the user's token back does not show it to a model.
func TestTokenIsHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person()
	ada.connect()
	token, err := w.store.Token(t.Context(), w.servers.SignIns()[0], ada.user, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // once as the argument of a session that has just begun
		got := ada.call("web_token", `{"say":"it is `+token.Access+`"}`)
		if got.status != http.StatusOK || strings.Contains(got.body, token.Access) || !strings.Contains(got.body, "it is [set]") {
			t.Error(got)
		}
		got = ada.call("web_token", `{"say":"fail: it is `+token.Access+`"}`)
		if strings.Contains(got.body, token.Access) || !strings.Contains(got.body, "it is [set]") {
			t.Error(got)
		}
	}
}

// A sign-in belongs to the user and the browser that began it, and works once.
func TestSignInIsBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := w.person(), w.person()
	w.signsIn()
	query := ada.consent(ada.begin())
	refused := func(who string, got answer) {
		t.Helper()
		if got.status != http.StatusUnauthorized || !strings.Contains(got.body, string(sdkapi.AuthRequired)) {
			t.Errorf("%s: %s", who, got)
		}
	}
	refused("another user", eve.finish(query))
	second := &person{w: w, user: ada.user, token: ada.token, there: ada.there, browser: browser(t)}
	if got := second.by(http.MethodPost, w.url+sdkapi.ConsoleVisitPath, `{"token":"`+ada.token+`"}`); got.status != http.StatusOK {
		t.Fatal(got)
	}
	refused("another browser", second.finish(query))
	refused("nobody", send(t, http.DefaultClient, http.MethodPost, w.url+sdkapi.ConsoleConnectionsPath, `{"query":"x=1"}`, console))
	if got := ada.finish(query); got.status != http.StatusOK {
		t.Error(got)
	}
	refused("the same again", ada.finish(query))
	if eve.state() != string(upstream.None) || ada.state() != string(upstream.Connected) {
		t.Error(eve.state(), ada.state())
	}
	if got := send(t, ada.browser, http.MethodPost, w.url+sdkapi.ConsoleConnectionsPath+"/other", "", map[string]string{sdkapi.ConsoleHeader: "1", "Sec-Fetch-Site": "cross-site"}); got.status != http.StatusForbidden {
		t.Error(got)
	}
}

// Of two issuers, only the one that the browser went to may send it back.
func TestIssuerMixUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person()
	w.signsIn()
	for name, change := range map[string]func(query string) string{
		"another issuer": func(q string) string { return strings.Replace(q, "iss=", "iss=https%3A%2F%2Fevil.example&x=", 1) },
		"no issuer":      func(q string) string { return strings.Replace(q, "iss=", "x=", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			if got := ada.finish(change(ada.consent(ada.begin()))); got.status != http.StatusUnauthorized || !strings.Contains(got.body, "query.iss") {
				t.Error(got)
			}
		})
	}
}

// After Disconnect the gateway has no tokens, the issuer refuses the old ones, and calls fail.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := w.person(), w.person()
	ada.connect()
	eve.connect()
	if got := ada.call("web_whoami", `{"say":""}`); got.status != http.StatusOK {
		t.Fatal(got)
	}
	token, err := w.store.Token(t.Context(), w.servers.SignIns()[0], ada.user, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := ada.by(http.MethodDelete, w.url+sdkapi.ConsoleConnectionsPath+"/other", ""); got.status != http.StatusNoContent {
		t.Fatal(got)
	}
	if _, err := w.grants.Authenticate(t.Context(), token.Access); err == nil {
		t.Error("the issuer still accepts the token")
	}
	if got := ada.call("web_whoami", `{"say":""}`); got.status != http.StatusForbidden || !strings.Contains(got.body, string(sdkapi.ConnectionRequired)) {
		t.Error(got)
	}
	if got := eve.call("web_whoami", `{"say":""}`); got.status != http.StatusOK || !strings.Contains(got.body, eve.there) {
		t.Error(got)
	}
	if got := ada.by(http.MethodDelete, w.url+sdkapi.ConsoleConnectionsPath+"/other", ""); got.status != http.StatusNotFound {
		t.Error(got)
	}
}

// If a user ends the grant at the issuer, the next call says that the user must sign in again.
func TestRevokedAtTheIssuer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person()
	ada.connect()
	if got := ada.call("web_whoami", `{"say":""}`); got.status != http.StatusOK {
		t.Fatal(got)
	}
	grants, err := w.grants.Grants(t.Context(), ada.there)
	if err != nil || len(grants) != 1 {
		t.Fatal(grants, err)
	}
	if err := w.grants.End(t.Context(), grants[0].Install, ada.there); err != nil {
		t.Fatal(err)
	}
	if got := ada.call("web_whoami", `{"say":""}`); got.status != http.StatusForbidden || !strings.Contains(got.body, string(sdkapi.ConnectionRequired)) {
		t.Error(got)
	}
	if got := ada.state(); got != string(upstream.Refused) {
		t.Error(got)
	}
	ada.connect()
	if got := ada.call("web_whoami", `{"say":""}`); got.status != http.StatusOK {
		t.Error(got)
	}
}
