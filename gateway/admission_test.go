package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	convs "github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
	"github.com/windieos/windie/state/ledger"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// admission is what a gateway of admittingWith lets through.
type admission struct {
	limits quota.Limits
	turns  int
	budget ledger.Budget
}

// admittingWith runs a hosted gateway with every protocol that has turns, over a database.
func admittingWith(t *testing.T, db *database.DB, a admission, model models.Model) doorstest.Admitting {
	t.Helper()
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tools := doorstest.RegistryOf(t, agenttest.Tool{
		Described: agent.Descriptor{Name: "time.now", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}},
		Do: func(context.Context, agent.Call) (agent.Result, error) {
			return agent.Result{Content: []agent.Part{agent.Text("noon")}}, nil
		},
	})
	book, list, ids := ledger.Open(db, ledger.Options{Budget: a.budget}), promptlist.OpenList(db, promptlist.Options{}), identity.Open(db)
	sessions := session.New(session.Config{
		Journal: log, Tools: tools, Turned: list.Turned, UserTurns: a.turns, Budget: book.Check, Limits: session.Limits{Repeated: 1000},
		Model: func(_ context.Context, user string, _ session.Settings) (models.Model, models.Request, error) {
			return book.Model(model, models.Price{}, func(context.Context) string { return user }), models.Request{Model: "scripted"}, nil
		},
	})
	t.Cleanup(func() {
		sessions.Close()
		_ = log.Close()
	})
	counted := journal.Count(log)
	url := gatewaytest.Start(t, gateway.App{
		Models: doorstest.OneModel{}, Ledger: book, Conversations: convs.Open(counted), Prompts: list,
		Store: gatewaytest.Store(t, true), Scenes: doorstest.AbsentReader(t), Tools: tools, Journal: counted, Sessions: sessions,
		Hosted: true, Identity: ids, Limits: a.limits, LimitWindow: 24 * time.Hour,
	})
	return doorstest.Admitting{T: t, Url: url, Ids: ids, Book: book}
}

// Messages of a socket are requests like any other: what HTTP refuses, the socket refuses.
func TestSocketMessagesAreLimited(t *testing.T) {
	t.Parallel()
	a := admittingWith(t, doorstest.StateOf(t), admission{limits: quota.Limits{UserRequests: 600, AddressRequests: 100_000}}, modelstest.NewScript())
	ada := a.Holder()
	answered, refused := ada.Dialed().Flood(4000, sdkapi.WSListModels, sdkapi.WSModelsListed, func(int) string { return "{}" })
	if answered < 590 || answered > 600 || answered+refused != 4000 {
		t.Errorf("%d of 4000 messages were answered, %d refused; at most 600 may be answered", answered, refused)
	}
	if resp := ada.Do(http.MethodGet, sdkapi.ToolsPath, ""); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("over HTTP the same user gets %s", resp.Status)
	}
	if resp := a.Holder().Do(http.MethodGet, sdkapi.ToolsPath, ""); resp.StatusCode != http.StatusOK {
		t.Errorf("another user gets %s", resp.Status)
	}
}

// Turns are counted by user, by whichever protocol they begin.
func TestTurnsAreLimited(t *testing.T) {
	t.Parallel()
	model := modelstest.NewScript().Otherwise(modelstest.Reply{Text: []string{"Well."}})
	a := admittingWith(t, doorstest.StateOf(t), admission{turns: 60}, model)
	ada := a.Holder()
	began := time.Now()
	answered, refused := ada.Dialed().Flood(1500, sdkapi.WSQuery, sdkapi.WSStreamingComplete, func(i int) string {
		return fmt.Sprintf(`{"text":"Well?","conversation_ref":"c%d","on_busy":"queue"}`, i%10)
	})
	most := 60 + int(time.Since(began).Seconds()) + 1
	if answered < 50 || answered > most || answered+refused != 1500 {
		t.Errorf("%d of 1500 turns began, %d were refused; at most %d may begin", answered, refused, most)
	}
	bob := admittingWith(t, doorstest.StateOf(t), admission{turns: 1}, model).Holder()
	bob.Do(http.MethodPost, sdkapi.PromptPath, `{"input":"Well?"}`).Body.Close()
	for path, body := range map[string]string{
		sdkapi.PromptPath: `{"input":"Well?"}`,
		sdkapi.V1ChatPath: fmt.Sprintf(`{"general_session_id":%q,"message":{"parts":[{"type":"text","text":"Well?"}]}}`, bob.General()),
	} {
		t.Run(path, func(t *testing.T) {
			resp := bob.Do(http.MethodPost, path, body)
			if f := doorstest.Failure(t, resp); f.Code != sdkapi.RateLimited || f.Details.RetryAfter == 0 || resp.Header.Get("Retry-After") != fmt.Sprint(f.Details.RetryAfter) {
				t.Errorf("%s %+v, Retry-After %q", resp.Status, f, resp.Header.Get("Retry-After"))
			}
		})
	}
}

// A user has some sockets and streams open at once, and another one only once one of them ends.
func TestOpenIsLimited(t *testing.T) {
	t.Parallel()
	a := admittingWith(t, doorstest.StateOf(t), admission{limits: quota.Limits{UserOpen: 3, AddressOpen: 5}}, modelstest.NewScript().Otherwise(modelstest.Reply{Hold: true}))
	ada, eve := a.Holder(), a.Holder()
	socket := ada.Dialed()
	prompt := ada.Do(http.MethodPost, sdkapi.PromptPath, `{"input":"Well?"}`)
	defer prompt.Body.Close()
	stream := ada.Do(http.MethodGet, sdkapi.V1StreamPath+"?general_session_id="+ada.General(), "")
	if prompt.StatusCode != http.StatusOK || stream.StatusCode != http.StatusOK {
		t.Fatalf("%s, %s", prompt.Status, stream.Status)
	}
	refused := func(who doorstest.Holder) (codes []any) {
		t.Helper()
		_, resp, err := who.TryDial()
		if !errors.Is(err, websocket.ErrBadHandshake) {
			t.Fatal(err)
		}
		codes = append(codes, resp.StatusCode)
		for _, path := range []string{sdkapi.PromptPath} {
			resp := who.Do(http.MethodPost, path, `{"input":"Well?"}`)
			f := doorstest.Failure(t, resp)
			codes = append(codes, resp.StatusCode, f.Code)
		}
		return codes
	}
	if got := fmt.Sprint(refused(ada)); got != "[429 429 RATE_LIMITED]" {
		t.Errorf("a fourth of one user: %s", got)
	}
	eve.Dialed()
	other := eve.Dialed()
	if got := fmt.Sprint(refused(eve)); got != "[429 429 RATE_LIMITED]" {
		t.Errorf("a sixth of one address: %s", got)
	}
	list := ada.Do(http.MethodGet, sdkapi.PromptsPath, "")
	defer list.Body.Close()
	var begun sdkapi.PromptList
	if err := json.NewDecoder(list.Body).Decode(&begun); err != nil || len(begun.Prompts) != 1 {
		t.Fatalf("a prompt whose stream is refused has begun: %+v, %v", begun, err)
	}
	ada.Do(http.MethodPost, sdkapi.PromptsPath+"/"+begun.Prompts[0].ID+"/cancel", "").Body.Close()
	_ = socket.Conn.Close()
	_ = other.Conn.Close()
	stream.Body.Close()
	testkit.Eventually(t, "others may be opened once some have ended", func() (any, bool) {
		conn, _, err := ada.TryDial()
		if err == nil {
			_ = conn.Close()
		}
		return err, err == nil
	})
}

// spending is a model that calls a tool again and again, each time for 3,000 tokens.
func spending() models.Model {
	return modelstest.NewScript().Otherwise(modelstest.Reply{
		Calls: []models.Call{{ID: "c", Name: "time_now", Arguments: json.RawMessage(`{}`)}}, Usage: models.Usage{Input: 2900, Output: 100},
	})
}

// A turn whose user runs out of budget ends with a reason of its own, and the next one does
// not begin, at every door.
func TestBudgetAtEachDoor(t *testing.T) {
	t.Parallel()
	const budget = 10_000
	a := admittingWith(t, doorstest.StateOf(t), admission{budget: ledger.Budget{Tokens: budget}}, spending())
	tomorrow := time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	for name, door := range map[string]struct {
		turn func(c doorstest.Holder) (code sdkapi.Code, reason string, resets *time.Time)
	}{
		"socket": {func(c doorstest.Holder) (sdkapi.Code, string, *time.Time) {
			p := c.Dialed()
			p.Send(sdkapi.WSQuery, `{"text":"Well?","conversation_ref":"c"}`)
			for {
				m := p.Next()
				var told sdkapi.WSErrorPayload
				if m.Type == sdkapi.WSError && json.Unmarshal(m.Payload, &told) == nil {
					return told.Code, told.Reason, told.Details.ResetsAt
				}
			}
		}},
		"prompt": {func(c doorstest.Holder) (code sdkapi.Code, reason string, resets *time.Time) {
			return c.Streamed(sdkapi.PromptPath, `{"input":"Well?"}`)
		}},
		"general, streamed": {func(c doorstest.Holder) (code sdkapi.Code, reason string, resets *time.Time) {
			return c.Streamed(sdkapi.V1ChatPath, fmt.Sprintf(`{"general_session_id":%q,"stream":true,"message":{"parts":[{"type":"text","text":"Well?"}]}}`, c.General()))
		}},
		"general": {func(c doorstest.Holder) (code sdkapi.Code, reason string, resets *time.Time) {
			return c.Streamed(sdkapi.V1ChatPath, fmt.Sprintf(`{"general_session_id":%q,"message":{"parts":[{"type":"text","text":"Well?"}]}}`, c.General()))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := a
			a.T = t
			c := a.Holder()
			code, reason, resets := door.turn(c)
			if code != sdkapi.BudgetExceeded || reason != "budget" && name != "general" || resets == nil || !resets.Equal(tomorrow) {
				t.Errorf("the turn ends with %s, %s, %v", code, reason, resets)
			}
			var u sdkapi.Usage
			resp := c.Do(http.MethodGet, sdkapi.UsagePath, "")
			defer resp.Body.Close()
			if err := json.NewDecoder(resp.Body).Decode(&u); err != nil || u.Tokens != (sdkapi.Spent{Used: 6000, Limit: budget}) || u.Requests != 2 || u.UnpricedRequests != 2 || !u.ResetsAt.Equal(tomorrow) {
				t.Errorf("used %+v, %v", u, err)
			}
			if err := a.Book.SetBudget(t.Context(), c.User, &ledger.Budget{Tokens: 6000}); err != nil {
				t.Fatal(err)
			}
			if code, reason, resets := door.turn(c); code != sdkapi.BudgetExceeded || reason != "" || resets == nil || !resets.Equal(tomorrow) {
				t.Errorf("the next turn ends with %s, %s, %v", code, reason, resets)
			}
		})
	}
}

// What turns at two gateways spend at the same time is not more than the budget.
func TestBudgetOfTwoGateways(t *testing.T) {
	t.Parallel()
	const budget = 40_000
	url := pgtest.Start(t)
	var gateways []doorstest.Admitting
	for range 2 {
		db, err := database.Open(t.Context(), database.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		gateways = append(gateways, admittingWith(t, db, admission{budget: ledger.Budget{Tokens: budget}}, spending()))
	}
	ada := gateways[0].Holder()
	var all sync.WaitGroup
	for i := range 8 {
		c := doorstest.Holder{Admitting: gateways[i%2], User: ada.User, Token: ada.Token}
		all.Go(func() {
			if code, _, _ := c.Streamed(sdkapi.PromptPath, `{"input":"Well?"}`); code != sdkapi.BudgetExceeded {
				t.Errorf("a turn ended with %s", code)
			}
		})
	}
	all.Wait()
	u, err := gateways[1].Book.Usage(t.Context(), ada.User)
	if err != nil || u.Input+u.Output > budget || u.Input+u.Output < budget/2 || u.HeldTokens != 0 {
		t.Errorf("of %d tokens: %+v, %v", budget, u, err)
	}
}

// A batch over MCP counts as so many requests.
func TestMCPMessagesAreLimited(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Tools: doorstest.RegistryOf(t, doorstest.EchoTool{}), Limits: quota.Limits{AddressRequests: 20}})
	const version = "2025-03-26"
	header := doorstest.MCPSession(t, url, version)
	batch := func(n int) (codes string) {
		var calls []string
		for i := range n {
			calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i+10))
		}
		status, body := doorstest.AskWith(t, http.MethodPost, url+sdkapi.MCPPath, "["+strings.Join(calls, ",")+"]", append([]string{"Accept", "application/json, text/event-stream", sdkapi.MCPVersionHeader, version}, header...)...)
		return fmt.Sprint(status, " ", strings.Contains(body, string(sdkapi.RateLimited)))
	}
	if got := batch(10); got != "200 false" {
		t.Errorf("the first ten: %s", got)
	}
	if got := batch(10); got != "429 true" {
		t.Errorf("ten more of twenty, of which two began the session: %s", got)
	}
}

// An address has some connections open, and one more only when one of them ends.
func TestConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Limits: quota.Limits{AddressConnections: 3}})
	open := func() (*http.Client, error) {
		c := &http.Client{Transport: &http.Transport{}}
		t.Cleanup(c.CloseIdleConnections)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+sdkapi.UsagePath, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		return c, err
	}
	var first *http.Client
	for range 3 {
		c, err := open()
		if err != nil {
			t.Fatal(err)
		}
		first = c
	}
	if _, err := open(); err == nil {
		t.Error("a fourth connection is served")
	}
	first.CloseIdleConnections()
	testkit.Eventually(t, "another connection is served once one has ended", func() (any, bool) {
		_, err := open()
		return err, err == nil
	})
}
