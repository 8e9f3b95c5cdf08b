//go:build system

package hosted_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// Whatever a token opened is over a second after `windie token revoke` has
// returned, on each of the gateways that share a database, and what others opened
// goes on. The same of `windie user delete`.
func TestRevokeEndsEverything(t *testing.T) {
	t.Parallel()
	t.Run("PostgreSQL, two gateways", func(t *testing.T) {
		t.Parallel()
		revokeEndsEverything(t, 50, []string{t.TempDir(), t.TempDir()}, "WINDIE_DATABASE_URL="+pgtest.Start(t))
	})
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		revokeEndsEverything(t, 40, []string{t.TempDir()})
	})
}

// revokedWithin is how soon everything has ended.
const revokedWithin = time.Second

// revokeEndsEverything has n things opened by the token that is revoked. Of one
// gateway 16 at most can search at once.
func revokeEndsEverything(t *testing.T, n int, folders []string, variables ...string) {
	never := make(chan struct{})
	var searches atomic.Int64 // that have arrived
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		searches.Add(1)
		select {
		case <-never:
		case <-r.Context().Done():
		}
	}))
	defer web.Close()
	defer close(never)
	variables = append(variables, "WINDIE_SEARCH_PROVIDER=searxng", "WINDIE_SEARCH_URL="+web.URL)
	var urls []string
	for _, folder := range folders {
		urls = append(urls, rig.Hosted(t, append(variables, "WINDIE_DATA_DIR="+folder)...).URL)
	}
	command := func(args ...string) (out []byte, returned time.Time) {
		t.Helper()
		return command(t, append(variables, "WINDIE_DATA_DIR="+folders[0]), args...)
	}
	made := func(user string) (into token) {
		t.Helper()
		out, _ := command("token", "create", user, "--json")
		if err := json.Unmarshal(out, &into); err != nil {
			t.Fatal(err)
		}
		return into
	}
	newUser := func() string {
		t.Helper()
		out, _ := command("user", "create")
		return strings.TrimSpace(string(out))
	}
	ada, eve := newUser(), newUser()
	laptop, phone, stranger := made(ada), made(ada), made(eve)

	kept, others := openAll(t, urls, &searches, phone, patientKinds, 10), openAll(t, urls, &searches, stranger, patientKinds, 10)
	lost := openAll(t, urls, &searches, laptop, allKinds, n)
	_, returned := command("token", "revoke", laptop.InstallID)
	lost.endWithin(t, "token revoke", returned)
	kept.goOn(t, phone)
	others.goOn(t, stranger)
	lost.turnsEnded(t, phone)
	for _, id := range lost.sessions {
		if status := mcpPost(t, urls[0], phone, id, `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`); status != http.StatusNotFound {
			t.Errorf("an MCP session of the token answers its user's other token with %d", status)
		}
	}
	_, returned = command("user", "delete", ada)
	kept.endWithin(t, "user delete", returned)
	others.goOn(t, stranger)
}

// openByToken is what one token has open.
type openByToken struct {
	mu       sync.Mutex
	list     []*ending
	prompts  []string // as "URL PROMPT"
	sessions []string // of MCP
	searches int64    // of the web
}

// ending is one connection, which somebody reads until it ends.
type ending struct {
	kind string
	want string // that its last words have
	done chan struct{}
	at   time.Time // when it ended; to be read once done is closed
	said string
}

// kind opens something.
type kind func(*testing.T, *openByToken, string, token)

// Those of patientKinds stay open for minutes if nobody ends them; the others do
// not wait so long.
var (
	patientKinds = []kind{openIdleSocket, openBusySocket, openPrompt("remember that the door is blue", sdkapi.EventPromptApproval), openMCPSession}
	allKinds     = append(slices.Clone(patientKinds), openPrompt("search the web for tea", ""), openChat, openWaiting, openUpload)
)

// openAll opens n things by a token, of each kind on each gateway, which are more
// connections, and returns when all are under way.
func openAll(t *testing.T, urls []string, searches *atomic.Int64, token token, kinds []kind, n int) *openByToken {
	t.Helper()
	all, before := new(openByToken), searches.Load()
	var under sync.WaitGroup
	for i := 0; i < n; i++ {
		under.Go(func() { kinds[i%len(kinds)](t, all, urls[i/len(kinds)%len(urls)], token) })
	}
	under.Wait()
	testkit.Eventually(t, fmt.Sprintf("%d searches are under way", all.searches), func() (int64, bool) {
		n := searches.Load() - before
		return n, n == all.searches
	})
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// watch reads a connection until it ends.
func (o *openByToken) watch(kind, want string, read func() (said string)) {
	e := &ending{kind: kind, want: want, done: make(chan struct{})}
	o.mu.Lock()
	o.list = append(o.list, e)
	o.mu.Unlock()
	go func() {
		defer close(e.done)
		e.said = read()
		e.at = time.Now()
	}()
}

// search notes that the web is searched.
func (o *openByToken) search() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.searches++
}

// endWithin fails for what is not over in time, or ended without its words.
func (o *openByToken) endWithin(t *testing.T, what string, returned time.Time) {
	t.Helper()
	slowest := map[string]time.Duration{}
	for _, e := range o.list {
		select {
		case <-e.done:
		case <-time.After(30 * time.Second):
			t.Errorf("%s: %s does not end", what, e.kind)
			continue
		}
		late := e.at.Sub(returned)
		slowest[e.kind] = max(slowest[e.kind], late)
		if late > revokedWithin {
			t.Errorf("%s: %s ended %v after the command had returned", what, e.kind, late)
		}
		if !strings.Contains(e.said, e.want) {
			t.Errorf("%s: %s ended with %q, not %q", what, e.kind, e.said, e.want)
		}
	}
	t.Logf("%s: %d connections, the slowest of each kind behind the command's return: %v", what, len(o.list), slowest)
}

// goOn fails for what has ended, and sees that the token is let in.
func (o *openByToken) goOn(t *testing.T, token token) {
	t.Helper()
	for _, e := range o.list {
		select {
		case <-e.done:
			t.Errorf("%s of another token has ended: %q", e.kind, e.said)
		default:
		}
	}
	for _, p := range o.prompts {
		if status, _ := promptOf(t, p, token); status != sdkapi.PromptRunning && status != sdkapi.PromptWaiting {
			t.Errorf("a turn of another token is %q", status)
		}
	}
}

// turnsEnded fails for a turn that goes on, or ended for another reason. It asks
// by another token of the same user.
func (o *openByToken) turnsEnded(t *testing.T, token token) {
	t.Helper()
	if len(o.prompts) == 0 {
		t.Fatal("there were no turns")
	}
	for _, p := range o.prompts {
		reason := ""
		testkit.Eventually(t, "the turn "+p+" fails", func() (status string, done bool) {
			status, reason = promptOf(t, p, token)
			return status, status == sdkapi.PromptFailed
		})
		if reason != "revoked" {
			t.Errorf("the turn %s failed with %q", p, reason)
		}
	}
}

// request returns one of a token.
func request(t *testing.T, method, url string, token token, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token.InstallToken)
	r.Header.Set(sdkapi.UserHeader, token.UserID)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// separate is a client whose requests have connections of their own.
func separate() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func promptOf(t *testing.T, prompt string, token token) (status, reason string) {
	t.Helper()
	url, id, _ := strings.Cut(prompt, " ")
	resp, err := separate().Do(request(t, http.MethodGet, url+sdkapi.PromptsPath+"/"+id, token, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var p sdkapi.Prompt
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v", resp.StatusCode, err)
	}
	if p.Error != nil {
		reason = p.Error.Reason
	}
	return p.Status, reason
}

// dial opens a WebSocket, and introduces its client.
func dial(t *testing.T, url string, token token) *websocket.Conn {
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, http.Header{"Authorization": {"Bearer " + token.InstallToken}})
	if err == nil {
		err = conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"handshake","user_id":"ada"}`))
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// untilSaid reads messages until one has a text.
func untilSaid(t *testing.T, conn *websocket.Conn, text string) {
	for {
		_, raw, err := conn.ReadMessage()
		if err != nil {
			t.Errorf("before %s came: %v", text, err)
			return
		}
		if bytes.Contains(raw, []byte(text)) {
			return
		}
	}
}

// readToEnd reads a WebSocket until it is closed, and returns how.
func readToEnd(conn *websocket.Conn) func() string {
	return func() string {
		for {
			if _, _, err := conn.ReadMessage(); err != nil {
				return err.Error()
			}
		}
	}
}

const closedAsRevoked = "close 4401: the token was revoked"

func openIdleSocket(t *testing.T, all *openByToken, url string, token token) {
	conn := dial(t, url, token)
	if conn == nil {
		return
	}
	_ = conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,"type":"load-settings","payload":{}}`, uuid.NewString()))
	untilSaid(t, conn, "settings-loaded")
	all.watch("an idle WebSocket", closedAsRevoked, readToEnd(conn))
}

func openBusySocket(t *testing.T, all *openByToken, url string, token token) {
	conn := dial(t, url, token)
	if conn == nil {
		return
	}
	_ = conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,"type":"query","payload":{"text":"remember that the sky is high","conversation_ref":%q}}`, uuid.NewString(), uuid.NewString()))
	untilSaid(t, conn, "approval-request")
	all.watch("a WebSocket with a turn", closedAsRevoked, readToEnd(conn))
}

// events sends a request and reads the answer's events up to one with a text.
func events(t *testing.T, r *http.Request, text string) (line string, rest *bufio.Reader) {
	resp, err := separate().Do(r)
	if err != nil {
		t.Error(err)
		return "", nil
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	rest = bufio.NewReader(resp.Body)
	for !strings.Contains(line, text) {
		if line, err = rest.ReadString('\n'); err != nil {
			t.Errorf("before %s came: %d, %v", text, resp.StatusCode, err)
			return "", nil
		}
	}
	return line, rest
}

// lastEvent reads events until the stream ends, and returns the last one.
func lastEvent(rest *bufio.Reader) func() string {
	return func() string {
		text, err := io.ReadAll(rest)
		if err != nil {
			return err.Error()
		}
		list := strings.Split(strings.TrimSpace(string(text)), "\n\n")
		return list[len(list)-1]
	}
}

// openPrompt begins a prompt that searches, or comes to an event and waits, and
// follows it by a second connection too.
func openPrompt(input, event string) kind {
	return func(t *testing.T, all *openByToken, url string, token token) {
		line, rest := events(t, request(t, http.MethodPost, url+sdkapi.PromptPath, token, strings.NewReader(fmt.Sprintf(`{"input":%q}`, input))), "promptId")
		if rest == nil {
			return
		}
		var created sdkapi.PromptCreated
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &created); err != nil {
			t.Error(err)
			return
		}
		for line := ""; event != "" && !strings.Contains(line, event); {
			var err error
			if line, err = rest.ReadString('\n'); err != nil {
				t.Errorf("before %s came: %v", event, err)
				return
			}
		}
		all.watch("a prompt", `"reason":"revoked"`, lastEvent(rest))
		_, again := events(t, request(t, http.MethodGet, url+sdkapi.PromptsPath+"/"+created.PromptID+"/events", token, nil), "promptId")
		if again == nil {
			return
		}
		all.watch("a prompt that is followed", `"reason":"revoked"`, lastEvent(again))
		all.mu.Lock()
		defer all.mu.Unlock()
		all.prompts = append(all.prompts, url+" "+created.PromptID)
		if event == "" {
			all.searches++
		}
	}
}

// openChat says something to the general agent, and follows that session too.
func openChat(t *testing.T, all *openByToken, url string, token token) {
	resp, err := separate().Do(request(t, http.MethodPost, url+sdkapi.V1SessionsPath, token, strings.NewReader(`{}`)))
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	var session sdkapi.V1Session
	if err := json.NewDecoder(resp.Body).Decode(&session); err != nil || session.GeneralSessionID == "" {
		t.Errorf("%d: %v", resp.StatusCode, err)
		return
	}
	_, follow := events(t, request(t, http.MethodGet, url+sdkapi.V1StreamPath+"?general_session_id="+session.GeneralSessionID, token, nil), "stream")
	_, chat := events(t, request(t, http.MethodPost, url+sdkapi.V1ChatPath, token,
		strings.NewReader(fmt.Sprintf(`{"general_session_id":%q,"message":{"parts":[{"type":"text","text":"search the web for tea"}]},"stream":true}`, session.GeneralSessionID))), "stream")
	if follow == nil || chat == nil {
		return
	}
	all.search()
	all.watch("a chat", `"reason":"revoked"`, lastEvent(chat))
	all.watch("a session's stream", `"reason":"revoked"`, lastEvent(follow))
}

// mcpPost sends a message in a session, and returns the answer's status.
func mcpPost(t *testing.T, url string, token token, session, message string) int {
	t.Helper()
	r := request(t, http.MethodPost, url+sdkapi.MCPPath, token, strings.NewReader(message))
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set(sdkapi.MCPSessionHeader, session)
	resp, err := separate().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// openMCPSession begins a session, and listens in it.
func openMCPSession(t *testing.T, all *openByToken, url string, token token) {
	r := request(t, http.MethodPost, url+sdkapi.MCPPath, token, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`))
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := separate().Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	session := resp.Header.Get(sdkapi.MCPSessionHeader)
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || session == "" {
		t.Errorf("%d, %v, without a session", resp.StatusCode, err)
		return
	}
	listen := request(t, http.MethodGet, url+sdkapi.MCPPath, token, nil)
	listen.Header.Set("Accept", "text/event-stream")
	listen.Header.Set(sdkapi.MCPSessionHeader, session)
	listening, err := separate().Do(listen)
	if err != nil || listening.StatusCode != http.StatusOK {
		t.Errorf("listening: %v, %v", listening, err)
		return
	}
	t.Cleanup(func() { _ = listening.Body.Close() })
	all.mu.Lock()
	all.sessions = append(all.sessions, session)
	all.mu.Unlock()
	all.watch("an MCP session's stream", "", func() string {
		text, _ := io.ReadAll(listening.Body)
		return string(text)
	})
}

// openWaiting calls a tool that takes long.
func openWaiting(t *testing.T, all *openByToken, url string, token token) {
	r := request(t, http.MethodPost, url+sdkapi.ToolsPath+"/web.search/invoke", token, strings.NewReader(`{"query":"tea"}`))
	all.search()
	all.watch("a request that waits", "401 AUTH_REQUIRED", answerTo(r))
}

// answerTo returns a request's status and code.
func answerTo(r *http.Request) func() string {
	return func() string {
		resp, err := separate().Do(r)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		var refused sdkapi.ErrorResponse
		if err := json.NewDecoder(resp.Body).Decode(&refused); err != nil {
			return fmt.Sprint(resp.StatusCode, " ", err)
		}
		return fmt.Sprint(resp.StatusCode, " ", refused.Error.Code)
	}
}

// openUpload sends the first part of a file, and then nothing.
func openUpload(t *testing.T, all *openByToken, url string, token token) {
	body, rest := io.Pipe()
	t.Cleanup(func() { _ = rest.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r := request(t, http.MethodPost, url+sdkapi.ArtifactsPath, token, body).WithContext(ctx)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	all.watch("an upload that stalls", "401 AUTH_REQUIRED", answerTo(r))
	_, _ = io.WriteString(rest, "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n\x89PNG")
}
