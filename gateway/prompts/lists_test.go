package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// promptsOf returns the ids of ada's prompts that a query selects.
func promptsOf(t *testing.T, url, query string) []string {
	t.Helper()
	var ids []string
	for _, p := range doorstest.Listed[sdkapi.PromptList](t, url+sdkapi.PromptsPath+"?"+query, "ada").Prompts {
		ids = append(ids, p.ID)
	}
	return ids
}

// TestLostPromptIsFound loses the id of a prompt. Any gateway must list the prompt, stream its
// events, accept the answer, and continue it to its end.
func TestLostPromptIsFound(t *testing.T) {
	t.Parallel()
	p := doorstest.Deploy(t, database.Config{URL: pgtest.Start(t)}, 2)
	lost := doorstest.Prompted(t, p.Urls[0], `{"input":"What is here?"}`)
	lost.Asked(p.Urls[0])
	here := p.Urls[1]
	found := doorstest.Listed[sdkapi.PromptList](t, here+sdkapi.PromptsPath, "ada")
	if len(found.Prompts) != 1 || found.Next != "" || found.Prompts[0].Status != sdkapi.PromptWaiting || found.Prompts[0].Input != "What is here?" || found.Prompts[0].EndedAt != nil {
		t.Fatalf("found %+v", found)
	}
	waits := doorstest.Listed[sdkapi.DecisionList](t, here+sdkapi.DecisionsPath, "ada")
	if len(waits.Decisions) != 1 || waits.Decisions[0].PromptID != found.Prompts[0].ID {
		t.Fatalf("what waits is %+v", waits)
	}
	attached := &doorstest.Listener{T: t, Prompt: found.Prompts[0].ID, Heard: []doorstest.Event{{}}}
	if asked := attached.Asked(here); asked.DecisionID != waits.Decisions[0].ID || asked.ToolCallID != waits.Decisions[0].ToolCallID {
		t.Errorf("the prompt asks %+v, the list %+v", asked, waits.Decisions[0])
	}
	if status, text := doorstest.AskKeyed(t, http.MethodPost, here+sdkapi.DecisionsPath+"/"+waits.Decisions[0].ID, "ada", `{"approved":true}`); status != http.StatusOK {
		t.Fatalf("it is answered %d %s", status, text)
	}
	attached.Until(here, sdkapi.EventPromptCompleted)
	if got := doorstest.Calls(t, p.Dir); len(got) != 1 {
		t.Errorf("the tool was called with %v", got)
	}
	for query, want := range map[string]int{
		"": 1, "status=completed": 1, "status=running": 0, "status=waiting_for_approval": 0, "status=failed": 0,
		"since=2020-01-01T00:00:00Z": 1, "until=2020-01-01T00:00:00Z": 0, "conversationId=conv_a": 0,
	} {
		t.Run(query, func(t *testing.T) {
			if got := promptsOf(t, here, query); len(got) != want {
				t.Errorf("%q lists %v, want %d", query, got, want)
			}
		})
	}
	if others := doorstest.Listed[sdkapi.PromptList](t, here+sdkapi.PromptsPath, "bob"); len(others.Prompts) != 0 {
		t.Errorf("bob sees %+v", others)
	}
}

// TestPromptsByPages lists waiting prompts in pages, in a conversation and outside of one. Prompts
// whose end was not reported to the list must have the right status too.
func TestPromptsByPages(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "windie.db")
	p := doorstest.Deploy(t, database.Config{File: file}, 1)
	url := p.Urls[0]
	talk := newConversation(t, url)
	var all, ended []string // the newest first
	for n := range 7 {
		body := `{"input":"What is here?"}`
		if n == 0 {
			body = fmt.Sprintf(`{"input":"What is here?","conversationId":%q}`, talk)
		}
		l := doorstest.Prompted(t, url, body)
		asked := l.Asked(url)
		if n%3 == 0 {
			l.Answer(url, "reject", fmt.Sprintf(`{"toolCallId":%q}`, asked.ToolCallID))
			l.Until(url, sdkapi.EventPromptCompleted)
			ended = slices.Insert(ended, 0, l.Prompt)
		}
		all = slices.Insert(all, 0, l.Prompt)
	}
	byPages := func(query string) (got []string) {
		for after, n := "", 0; n < 20; n++ {
			page := doorstest.Listed[sdkapi.PromptList](t, url+sdkapi.PromptsPath+"?limit=2&after="+after+"&"+query, "ada")
			for _, p := range page.Prompts {
				got = append(got, p.ID)
			}
			if after = page.Next; after == "" {
				return got
			}
		}
		t.Fatal("the pages do not end")
		return nil
	}
	waiting := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(ended, id) })
	db, err := database.Open(t.Context(), database.Config{File: file})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, crash := range []string{"", "UPDATE prompts SET status = 'open', ended = 0", "UPDATE prompts SET status = 'open', ended = 0, began = began - 7200000000"} {
		if crash != "" { // as if no end had been reported
			if err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(crash).Exec(ctx)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		queries := []string{"status=waiting_for_approval", "", "status=completed"}
		if strings.Contains(crash, "began") {
			slices.Reverse(queries)
		}
		for _, query := range queries {
			want := map[string][]string{"": all, "status=completed": ended, "status=waiting_for_approval": waiting}[query]
			if got := byPages(query); !slices.Equal(got, want) {
				t.Errorf("behind %q, %q lists\n%v, want\n%v", crash, query, got, want)
			}
		}
	}
	if got := byPages("conversationId=" + talk); len(got) != 1 || got[0] != all[6] {
		t.Errorf("of the conversation are listed %v, want %s", got, all[6])
	}
}

// TestListsAskForTheKey checks that the lists of a local gateway require the key. A hosted gateway
// must show users their own data without it.
func TestListsAskForTheKey(t *testing.T) {
	t.Parallel()
	p := doorstest.Alone(t)
	for _, path := range []string{sdkapi.PromptsPath, sdkapi.DecisionsPath, sdkapi.ConversationsPath} {
		if resp, text := doorstest.Ask(t, http.MethodGet, p.Urls[0]+path, "ada", nil); resp.StatusCode != http.StatusForbidden || !strings.Contains(text, string(sdkapi.KeyRequired)) || !strings.Contains(text, "windie console") {
			t.Errorf("%s without the key is answered %d %s", path, resp.StatusCode, text)
		}
		if status, text := doorstest.AskKeyed(t, http.MethodGet, p.Urls[0]+path, "ada", ""); status != http.StatusOK {
			t.Errorf("%s with the key is answered %d %s", path, status, text)
		}
		if status, text := doorstest.AskKeyed(t, http.MethodGet, p.Urls[0]+path+"?after=nonsense", "ada", ""); status != http.StatusUnprocessableEntity {
			t.Errorf("%s behind no page is answered %d %s", path, status, text)
		}
	}
	if resp, text := doorstest.Ask(t, http.MethodPost, p.Urls[0]+sdkapi.ToolPath(sdkapi.ConversationList), "ada", strings.NewReader(`{}`)); resp.StatusCode != http.StatusForbidden {
		t.Errorf("the tool that lists conversations is answered %d %s", resp.StatusCode, text)
	}
}

// TestConversationsByPages lists conversations in pages, most recently updated first.
func TestConversationsByPages(t *testing.T) {
	t.Parallel()
	p := doorstest.Alone(t)
	var want []string
	for range 5 {
		want = slices.Insert(want, 0, newConversation(t, p.Urls[0]))
	}
	var got []string
	for after, n := "", 0; n < 10; n++ {
		page := doorstest.Listed[sdkapi.ConversationPages](t, p.Urls[0]+sdkapi.ConversationsPath+"?limit=2&after="+after, "ada")
		for _, c := range page.Conversations {
			got = append(got, c.ID)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("by pages come\n%v, want\n%v", got, want)
	}
	for query, want := range map[string]int{"since=2020-01-01T00:00:00Z": 5, "until=2020-01-01T00:00:00Z": 0} {
		t.Run(query, func(t *testing.T) {
			if got := doorstest.Listed[sdkapi.ConversationPages](t, p.Urls[0]+sdkapi.ConversationsPath+"?"+query, "ada").Conversations; len(got) != want {
				t.Errorf("%s lists %v, want %d", query, got, want)
			}
		})
	}
}

// TestDecisionsOfAllProtocols checks that one list has the pending decisions of all protocols, and
// that they can be answered there. Decisions that no call waits for must not be listed.
func TestDecisionsOfAllProtocols(t *testing.T) {
	t.Parallel()
	p := doorstest.Alone(t)
	url := p.Urls[0]
	prompt := doorstest.Prompted(t, url, `{"input":"What is here?"}`)
	asked := prompt.Asked(url)
	general := doorstest.Keyed(t, url+sdkapi.V1SessionsPath, "s", `{}`)
	var session sdkapi.V1Session
	if err := json.Unmarshal([]byte(general.Body), &session); err != nil {
		t.Fatal(err)
	}
	chat := fmt.Sprintf(`{"general_session_id":%q,"mode":"general","message":{"parts":[{"type":"text","text":"What is here?"}]}}`, session.GeneralSessionID)
	if a := doorstest.Keyed(t, url+sdkapi.V1ChatPath, "c", chat); a.Code() != sdkapi.ToolPending {
		t.Fatalf("the chat is answered %+v", a)
	}
	waits := doorstest.Listed[sdkapi.DecisionList](t, url+sdkapi.DecisionsPath, "ada").Decisions
	if len(waits) != 2 || waits[0].Via != "prompt" || waits[1].Via != "general" {
		t.Fatalf("what waits is %+v", waits)
	}
	for i, d := range waits {
		if d.Tool != "shell_exec" || string(d.Arguments) != `{"command":"ls"}` || d.Why == "" || d.State != sdkapi.DecisionPending || !d.ExpiresAt.After(d.CreatedAt) {
			t.Errorf("the %d. is %+v", i+1, d)
		}
	}
	if waits[0].PromptID != prompt.Prompt || waits[0].ID != asked.DecisionID || waits[1].SessionID != session.GeneralSessionID || waits[1].ToolCallID == "" {
		t.Errorf("they belong to %+v", waits)
	}
	answer := func(id string, approved bool) (int, string) {
		return doorstest.AskKeyed(t, http.MethodPost, url+sdkapi.DecisionsPath+"/"+id, "ada", fmt.Sprintf(`{"approved":%t,"reason":"r"}`, approved))
	}
	if status, text := answer(waits[1].ID, true); status != http.StatusOK || !strings.Contains(text, `"state":"approved"`) {
		t.Errorf("the yes is answered %d %s", status, text)
	}
	if a := doorstest.Keyed(t, url+sdkapi.V1ChatPath, "c", chat); a.Status != http.StatusOK {
		t.Errorf("behind it the chat is answered %+v", a)
	}
	if status, _ := doorstest.AskKeyed(t, http.MethodPost, url+sdkapi.DecisionsPath+"/"+waits[0].ID, "bob", `{"approved":true}`); status != http.StatusNotFound {
		t.Errorf("bob's yes is answered %d", status)
	}
	if status := prompt.Answer(url, "cancel", ""); status != http.StatusOK {
		t.Fatalf("cancel is answered %d", status)
	}
	prompt.Until(url, sdkapi.EventError)
	if status, text := answer(waits[0].ID, true); status != http.StatusGone {
		t.Errorf("a yes to what was canceled is answered %d %s", status, text)
	}
	for query, want := range map[string]int{"": 0, "state=approved": 1, "state=approved&via=general": 1, "state=approved&via=prompt": 0, "state=any": 2, "state=denied": 0} {
		t.Run(query, func(t *testing.T) {
			if got := doorstest.Listed[sdkapi.DecisionList](t, url+sdkapi.DecisionsPath+"?"+query, "ada").Decisions; len(got) != want {
				t.Errorf("%q lists %+v, want %d", query, got, want)
			}
		})
	}
	past := doorstest.Listed[sdkapi.DecisionList](t, url+sdkapi.DecisionsPath+"?state=approved&limit=1", "ada")
	if len(past.Decisions) != 1 || past.Decisions[0].Tool != "shell_exec" || past.Decisions[0].SessionID != session.GeneralSessionID || past.Decisions[0].Reason != "r" {
		t.Errorf("what was approved is %+v", past)
	}
	if rest := doorstest.Listed[sdkapi.DecisionList](t, url+sdkapi.DecisionsPath+"?state=approved&limit=1&after="+past.Next, "ada"); past.Next == "" || len(rest.Decisions) != 0 || rest.Next != "" {
		t.Errorf("behind it comes %+v", rest)
	}
}

// TestListsOfAHostedGateway checks that a hosted gateway lists only the data of the token's user.
func TestListsOfAHostedGateway(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	cfg, closeAll, err := doorstest.PromptGateway(db, t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closeAll()
		_ = db.Close()
	})
	cfg.Store, cfg.Hosted, cfg.Identity, cfg.ApprovalKey = gatewaytest.Store(t, true), true, gatewaytest.Identity(t), ""
	url := gatewaytest.Start(t, cfg)
	for _, mine := range []bool{true, false} {
		install, token := doorstest.Registered(t, cfg.Identity)
		headers := []string{"Authorization", "Bearer " + token, sdkapi.UserHeader, install.User}
		if mine {
			resp, err := doorstest.Asks(t.Context(), http.MethodPost, url+sdkapi.PromptPath, `{"input":"What is here?"}`, headers...)
			if err != nil {
				t.Fatal(err)
			}
			_ = doorstest.Hear(resp.Body, func(e doorstest.Event) bool { return e.Kind != sdkapi.EventPromptApproval })
			resp.Body.Close()
		}
		for path, field := range map[string]string{sdkapi.PromptsPath: `"status":"waiting_for_approval"`, sdkapi.DecisionsPath: `"state":"pending"`} {
			t.Run(path, func(t *testing.T) {
				if status, text := doorstest.AskWith(t, http.MethodGet, url+path, "", headers...); status != http.StatusOK || strings.Contains(text, field) != mine {
					t.Errorf("%s, whose own they are: %t, is answered %d %s", path, mine, status, text)
				}
			})
		}
	}
}
