//go:build system

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/oauth2"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/oauth"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/once"
)

// After a user is deleted, no file, table or object has any of what the user left anywhere. What
// another user left is there.
func TestErasureLeavesNothing(t *testing.T) {
	t.Parallel()
	t.Run("SQLite, folder", func(t *testing.T) {
		t.Parallel()
		erasureLeavesNothing(t, t.TempDir(), nil)
	})
	t.Run("PostgreSQL, S3", func(t *testing.T) {
		t.Parallel()
		s3 := testkit.S3(t)
		erasureLeavesNothing(t, t.TempDir(), s3.Folders, "WINDIE_DATABASE_URL="+pgtest.Start(t),
			"WINDIE_S3_ENDPOINT="+s3.Endpoint, "WINDIE_S3_BUCKET="+s3.Bucket,
			"WINDIE_S3_ACCESS_KEY="+s3.AccessKey, "WINDIE_S3_SECRET_KEY="+s3.SecretKey)
	})
}

func erasureLeavesNothing(t *testing.T, folder string, folders []string, variables ...string) {
	variables = append(variables, "WINDIE_DATA_DIR="+folder)
	gateway := hostWith(t, []any{"serve"}, variables...)
	out, _ := commandProcess(t, variables, "user", "create")
	ada := strings.TrimSpace(string(out))
	out, _ = commandProcess(t, variables, "user", "create")
	eve := strings.TrimSpace(string(out))
	c, err := loadWith(t, []string{"--mode", "hosted"}, variables, "")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := openState(t.Context(), c, slog.New(slog.DiscardHandler), asMain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kept.close)
	hers, others := planter{t: t, kept: kept, user: ada, url: gateway.url}, planter{t: t, kept: kept, user: eve, url: gateway.url}
	for _, p := range []*planter{&hers, &others} {
		out, _ := commandProcess(t, variables, "token", "create", p.user, "--json")
		var token tokenInfo
		if err := json.Unmarshal(out, &token); err != nil {
			t.Fatal(err)
		}
		p.token = token.InstallToken
		p.plantOverHTTP()
		p.plantInStores()
	}
	if len(hers.planted) < 40 {
		t.Fatalf("only %d texts are planted", len(hers.planted))
	}
	places := append(slices.Clone(folders), folder)
	mine := func(p planter) []string { return p.found(places) }
	testkit.Eventually(t, "all that was planted is found", func() (bool, bool) {
		missing := slices.DeleteFunc(slices.Sorted(maps.Keys(hers.planted)), func(text string) bool { return slices.Contains(mine(hers), text) })
		for _, text := range missing {
			t.Logf("not found yet: %s", hers.planted[text])
		}
		return true, len(missing) == 0
	})
	before := len(mine(others))
	began := time.Now()
	out, _ = commandProcess(t, variables, "user", "delete", ada)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the erasure took %v", took)
	}
	for _, kind := range []string{"sessions", "decisions", "conversations", "prompts", "responses", "settings", "keys", "artifacts", "memory", "connections", "audit"} {
		if !strings.Contains(string(out), "  "+kind+" ") {
			t.Errorf("the command does not say how many %s it removed:\n%s", kind, out)
		}
	}
	for _, text := range mine(hers) {
		t.Errorf("%s is still there", hers.planted[text])
	}
	if after := len(mine(others)); after != before || before < 40 {
		t.Errorf("of another user %d texts were there, and %d are now", before, after)
	}
}

// planter leaves texts of a user wherever a user can.
type planter struct {
	t       *testing.T
	kept    *state
	user    string
	token   string
	url     string
	planted map[string]string // text to place
}

// text returns a new text to leave at a place. As words are searched by their stems, it has
// letters alone, and no ending.
func (p *planter) text(place string) string {
	if p.planted == nil {
		p.planted = map[string]string{}
	}
	letters := strings.NewReplacer("2", "b", "3", "c", "4", "d", "5", "f", "6", "g", "7", "h", "e", "k", "i", "l", "o", "m", "u", "n", "a", "r", "s", "t", "y", "z")
	text := "q" + letters.Replace(strings.ToLower(rand.Text()[:20])) + "q"
	p.planted[text] = place
	return text
}

func (p *planter) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// call sends a request of the user's.
func (p *planter) call(method, path, body, key string) []byte {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	p.must(err)
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sdkapi.UserHeader, p.user)
	if key != "" {
		req.Header.Set(sdkapi.IdempotencyKeyHeader, key)
	}
	res, err := http.DefaultClient.Do(req)
	p.must(err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	p.must(err)
	if res.StatusCode >= http.StatusBadRequest {
		p.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, answer)
	}
	return answer
}

// plantOverHTTP leaves texts by the routes.
func (p *planter) plantOverHTTP() {
	p.call(http.MethodPost, sdkapi.PromptPath, fmt.Sprintf(`{"input":%q}`, "What is "+p.text("a prompt")), p.text("the key of a prompt"))
	answer := p.call(http.MethodPost, sdkapi.ToolPath(sdkapi.ConversationCreate), `{}`, p.text("the key of a tool's call"))
	id := regexp.MustCompile(`conv_[a-z2-7]{26}`).FindString(string(answer))
	p.call(http.MethodPost, sdkapi.PromptPath, fmt.Sprintf(`{"input":%q,"conversationId":%q}`, p.text("a prompt of a conversation"), id), "")
	opened := p.call(http.MethodPost, sdkapi.V1SessionsPath, `{}`, "")
	var general sdkapi.V1Session
	p.must(json.Unmarshal(opened, &general))
	p.call(http.MethodPost, sdkapi.V1ChatPath, fmt.Sprintf(`{"general_session_id":%q,"message":{"parts":[{"type":"text","text":%q}]}}`,
		general.GeneralSessionID, p.text("a message on /v1")), "")
	p.call(http.MethodPost, sdkapi.OpenAIResponsesPath, fmt.Sprintf(`{"model":"default","input":%q}`, p.text("a stored response")), "")
	p.call(http.MethodPost, sdkapi.V1MemoryWritePath, fmt.Sprintf(`{"target":"daily","content":%q}`, p.text("a note over HTTP")), "")
}

// plantInStores leaves texts where no short request gets them.
func (p *planter) plantInStores() {
	ctx := p.t.Context()
	p.plantEvents(ctx)
	p.plantDecisions(ctx)
	p.plantClients(ctx)
	p.plantConnections(ctx)
	for _, kind := range []memory.Kind{memory.LongTerm, memory.Daily} {
		_, err := p.kept.memory.Write(ctx, p.user, memory.Entry{Kind: kind, Text: p.text("memory, " + string(kind)), Source: p.text("the source of a note")})
		p.must(err)
	}
	_, err := p.kept.memory.Search(ctx, p.user, memory.Search{Query: "note"}) // which indexes
	p.must(err)
	store := p.kept.artifacts.For(p.user)
	for _, size := range []int{0, 300 << 10} {
		id, kind := artifacts.Sniff([]byte("text"))
		_, err := store.Put(ctx, id, kind, strings.NewReader(p.text(fmt.Sprint("an artifact of ", size, " bytes"))+strings.Repeat(" ", size)+p.text("the end of an artifact")))
		p.must(err)
	}
	name := p.text("the name of an artifact")
	_, err = store.Put(ctx, name+".txt", "text/"+p.text("the type of an artifact"), strings.NewReader("x"))
	p.must(err)
	claim, err := p.kept.once.Claim(ctx, once.Key{User: p.user, Route: "r", Name: p.text("an idempotency key")}, "d", false)
	p.must(err)
	p.must(p.kept.once.Keep(ctx, claim, "d", once.Answer{Status: 200, Header: map[string]string{"X": p.text("a kept header")}, Body: []byte(p.text("a kept answer"))}))
	list := conversation.Open(p.kept.journal)
	_, err = list.Create(ctx, p.user)
	p.must(err)
	p.kept.prompts.Turned(ctx, session.Turned{User: p.user, Session: session.PromptsOf(p.user) + "prompt_x", Seq: 3, Input: p.text("the list of prompts"), Began: time.Now()})
	p.kept.audit.End(ctx, p.text("the name of a tool"), agent.Origin{}, agent.Call{User: p.user, ID: p.text("the id of a call"), Session: "session/" + p.text("a session of the audit"),
		Arguments: json.RawMessage(`{}`)}, agent.Result{}, context.Canceled)
}

// plantConnections leaves a connection to an MCP server, and a sign-in that has not ended.
func (p *planter) plantConnections(ctx context.Context) {
	for _, statement := range []string{
		"INSERT INTO upstream_sign_ins (state_hash, user_id, visit_id, server, sealed, expires) VALUES (?0, ?1, ?2, ?3, ?4, 9000000000000000)",
		"INSERT INTO upstream_connections (id, user_id, issuer, server, sealed, scopes, created, expires, version, leased, refused) VALUES (?0, ?1, ?2, ?3, ?4, ?5, 1, 0, 0, 0, 0)",
	} {
		values := []any{p.text("the key of a connection"), p.user}
		for i := range 4 {
			values = append(values, p.text(fmt.Sprint("column ", i, " of a connection")))
		}
		if !strings.Contains(statement, "?5") {
			delete(p.planted, values[5].(string))
		}
		_, err := p.kept.db.Change(ctx, "test", func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
			return tx.NewRaw(statement, values...).Exec(ctx)
		})
		p.must(err)
	}
}

// plantClients leaves a connected MCP client, and a code that no client has exchanged.
func (p *planter) plantClients(ctx context.Context) {
	ids := identity.Open(p.kept.db)
	clients := oauth.Open(p.kept.db, ids, oauth.Config{Issuer: "https://windie.example", Resource: "https://windie.example/mcp"})
	verifier := strings.Repeat("v", 43)
	for _, exchanged := range []bool{true, false} {
		consent := oauth.Consent{
			User: p.user, Client: oauth.Client{ID: p.text("the id of a client"), Name: p.text("the name of a client")}, Redirect: "https://" + p.text("a redirect") + ".example/",
			Challenge: oauth2.S256ChallengeFromVerifier(verifier), Scopes: oauth.DefaultScopes(),
		}
		code, err := clients.Allow(ctx, consent)
		p.must(err)
		if exchanged {
			_, err := clients.Exchange(ctx, oauth.Exchange{Code: code, ClientID: consent.Client.ID, Redirect: consent.Redirect, Verifier: verifier})
			p.must(err)
		}
	}
}

// plantEvents leaves texts in all streams that a user has.
func (p *planter) plantEvents(ctx context.Context) {
	settings := struct {
		Keys string `json:"x"`
	}{p.text("settings")}
	data, err := json.Marshal(settings)
	p.must(err)
	p.append(ctx, "settings/"+hashid.Of(p.user, 16), "settings.updated", string(data))
	id := session.DesktopOf(p.user) + p.text("the name of a conversation on /ws")
	for _, stream := range []string{"session", "control", "state", "mark", "texts"} {
		for _, kind := range []string{"small", "large"} {
			text := p.text("a " + kind + " event of the stream " + stream)
			if kind == "large" {
				text += strings.Repeat(" ", 100<<10) + p.text("the end of a large event of the stream "+stream)
			}
			p.append(ctx, stream+"/"+id, p.text("the kind of an event"), fmt.Sprintf("%q", text))
		}
	}
	trimmed := session.GeneralOf(p.user) + "g_x"
	p.append(ctx, "session/"+trimmed, "k", "1")
	p.append(ctx, "session/"+trimmed, "k", "2")
	p.must(p.kept.journal.Trim(ctx, "session/"+trimmed, 2, json.RawMessage(fmt.Sprintf("%q", p.text("a snapshot")))))
	_, err = p.kept.journal.Lease(ctx, "turn/"+id, p.text("the owner of a lease"), time.Hour)
	p.must(err)
}

func (p *planter) append(ctx context.Context, stream, kind, data string) {
	p.t.Helper()
	_, err := p.kept.journal.Append(ctx, stream, journal.Event{Kind: kind, Data: json.RawMessage(data)})
	p.must(err)
}

// plantDecisions leaves texts in questions and answers, in a session and outside.
func (p *planter) plantDecisions(ctx context.Context) {
	for _, stream := range []string{"session/" + session.PromptsOf(p.user) + "prompt_y", "decisions/" + p.user} {
		d := journal.Decision{ID: p.text("the id of a decision"), Stream: stream, User: p.user, Kind: "approval", Digest: "d", Request: json.RawMessage(fmt.Sprintf(`{"path":%q}`, p.text("a question")))}
		_, err := p.kept.journal.Open(ctx, d)
		p.must(err)
		_, err = p.kept.journal.Decide(ctx, d.ID, journal.Decider{User: p.user}, journal.Answer{Denied: true, Reason: p.text("the reason of a denial"), Value: json.RawMessage(fmt.Sprintf("%q", p.text("an answer")))})
		p.must(err)
	}
}

// found returns the planted texts that are in a file or a table.
func (p *planter) found(folders []string) (list []string) {
	all := []byte(strings.ToLower(p.dumped(p.t.Context())))
	for _, folder := range folders {
		p.must(filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return ignoreMissing(err)
			}
			content, err := os.ReadFile(name)
			all = append(append(append(all, name...), '\n'), bytes.ToLower(content)...)
			return ignoreMissing(err)
		}))
	}
	for text := range p.planted {
		if bytes.Contains(all, []byte(text[:len(text)-2])) {
			list = append(list, text)
		}
	}
	return list
}

func ignoreMissing(err error) error {
	if os.IsNotExist(err) { // removed meanwhile
		return nil
	}
	return err
}

// dumped returns all rows of all tables.
func (p *planter) dumped(ctx context.Context) string {
	if !p.kept.db.Postgres() {
		return "" // its file is searched
	}
	var tables []string
	p.must(p.kept.db.Read().NewRaw("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").Scan(ctx, &tables))
	var all strings.Builder
	for _, table := range tables {
		var rows []string
		p.must(p.kept.db.Read().NewRaw("SELECT t::text FROM ? AS t", bun.Ident(table)).Scan(ctx, &rows))
		for _, row := range rows {
			all.WriteString(row + "\n")
		}
	}
	return all.String()
}
