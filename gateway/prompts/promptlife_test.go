package prompts_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent/agenttest"
	convs "github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// TestPromptCancelTells checks that the response to a cancel has the prompt's new state without
// open approvals, also if no gateway can end the turn.
func TestPromptCancelTells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	cfg, closeAll, err := doorstest.PromptGateway(db, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	url := gatewaytest.Start(t, cfg)
	cfg.Conversations, cfg.Times.Cancel = nil, 50*time.Millisecond // of which the first brings tools, once
	hasty := gatewaytest.Start(t, cfg)
	l := doorstest.Prompted(t, url, `{"input":"What is here?"}`)
	l.Asked(url)
	for range 2 {
		if known := l.Known(http.MethodPost, url, "/cancel"); known.Status != sdkapi.PromptCanceled || len(known.Approvals) > 0 || known.EndedAt == nil {
			t.Errorf("canceled, it is %+v", known)
		}
	}
	left := doorstest.Prompted(t, url, `{"input":"What is here?"}`)
	left.Asked(url)
	cfg.Sessions.Close()
	if known := left.Known(http.MethodPost, hasty, "/cancel"); known.Status != sdkapi.PromptCanceling || len(known.Approvals) > 0 {
		t.Errorf("where nobody works on it, it is %+v", known)
	}
}

// TestConversationIsUpdatedByTheEnd checks that the end of the last prompt sets the update time of
// a conversation, not its beginning.
func TestConversationIsUpdatedByTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	cfg, closeAll, err := doorstest.PromptGateway(db, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	url := gatewaytest.Start(t, cfg)
	made, err := cfg.Conversations.Create(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	l := doorstest.Prompted(t, url, fmt.Sprintf(`{"input":"What is here?","conversationId":%q}`, made.ID))
	l.Asked(url)
	ended := l.Known(http.MethodPost, url, "/cancel").EndedAt
	if ended == nil {
		t.Fatal("the prompt goes on after its cancel")
	}
	testkit.Eventually(t, "a conversation that was updated by the end of its prompt", func() (convs.Conversation, bool) {
		c, err := cfg.Conversations.Get(t.Context(), "ada", made.ID)
		return c, err == nil && !c.Updated.Before(*ended)
	})
}

// TestPromptReplaysMarkAnswers checks that a repeated approval request is marked if it has its
// answer, and not marked if it still waits.
func TestPromptReplaysMarkAnswers(t *testing.T) {
	t.Parallel()
	p := doorstest.Alone(t)
	l := doorstest.Prompted(t, p.Urls[0], `{"input":"What is here?"}`)
	again := func() (asked sdkapi.PromptApproval) {
		t.Helper()
		replayed := &doorstest.Listener{T: t, Prompt: l.Prompt, Heard: []doorstest.Event{{}}}
		replayed.On(p.Urls[0], func(e doorstest.Event) bool { return e.Kind != sdkapi.EventPromptApproval })
		if err := json.Unmarshal([]byte(replayed.Last().Data), &asked); err != nil {
			t.Fatal(err)
		}
		return asked
	}
	if asked := l.Asked(p.Urls[0]); asked.Answered || again().Answered {
		t.Error("it counts as answered before anybody has")
	}
	l.Answer(p.Urls[0], "approve", `{"toolCallId":"call-1"}`)
	if !again().Answered {
		t.Error("it is asked for again, though it was answered")
	}
	l.Until(p.Urls[0], sdkapi.EventPromptCompleted)
	canceled := doorstest.Prompted(t, p.Urls[0], `{"input":"What is here?"}`)
	canceled.Asked(p.Urls[0])
	canceled.Known(http.MethodPost, p.Urls[0], "/cancel")
	if l = canceled; !again().Answered {
		t.Error("it is asked for, though the prompt was canceled")
	}
}

// TestPromptCursorBeyond checks that a cursor behind the last event of a prompt is an error, not an
// empty stream.
func TestPromptCursorBeyond(t *testing.T) {
	t.Parallel()
	p := doorstest.Alone(t)
	l := doorstest.Prompted(t, p.Urls[0], `{"input":"What is here?"}`)
	l.Asked(p.Urls[0])
	for _, cursor := range []string{"1000", "1000.1"} {
		for name, header := range map[string][2]string{"header.Last-Event-ID": {"", cursor}, "query.after": {"?after=" + cursor, ""}} {
			t.Run(name, func(t *testing.T) {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Urls[0]+sdkapi.PromptsPath+"/"+l.Prompt+"/events"+header[0], http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				req.Header[sdkapi.UserHeader] = []string{"ada"}
				if header[1] != "" {
					req.Header.Set("Last-Event-ID", header[1])
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				var refused sdkapi.ErrorResponse
				err = json.NewDecoder(resp.Body).Decode(&refused)
				_ = resp.Body.Close()
				if err != nil || resp.StatusCode != http.StatusUnprocessableEntity || len(refused.Error.Details.Fields) != 1 || refused.Error.Details.Fields[0].Path != name {
					t.Errorf("%s %s: %s %+v, %v", name, cursor, resp.Status, refused, err)
				}
			})
		}
	}
	l.Answer(p.Urls[0], "approve", `{"toolCallId":"call-1"}`)
	last := l.Until(p.Urls[0], sdkapi.EventPromptCompleted)
	l.On(p.Urls[0], func(doorstest.Event) bool { return true })
	if l.Last() != last {
		t.Errorf("behind the last event comes %v", l.Last())
	}
}

// TestPromptToolOutputFitsItsSchema checks that a tool's result in a prompt fits its output schema,
// also if models get it as text.
func TestPromptToolOutputFitsItsSchema(t *testing.T) {
	t.Parallel()
	script := modelstest.NewScript(agenttest.Calling("call-1", "memory_search", `{"query":"walks"}`), agenttest.Calling("call-2", "memory_search", `{"query":"tax"}`), agenttest.Saying("Found."))
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), script, journaltest.NewMemory())
	cfg.Memory = gatewaytest.Memory(t, memory.Options{})
	for _, tool := range cfg.Memory.Tools() {
		if err := cfg.Tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cfg.Memory.Write(t.Context(), "ada", memory.Entry{Kind: memory.LongTerm, Text: "Ada likes long walks."}); err != nil {
		t.Fatal(err)
	}
	url := gatewaytest.Start(t, cfg)
	l := doorstest.Prompted(t, url, `{"input":"What do I like?"}`)
	l.Until(url, sdkapi.EventPromptCompleted)
	known := l.Known(http.MethodGet, url, "")
	for i, want := range []int{1, 0} {
		raw, _ := json.Marshal(known.Output[i].Result)
		var result struct {
			Output struct {
				Results []struct{ Path, Excerpt string }
			}
		}
		if err := json.Unmarshal(raw, &result); err != nil || len(result.Output.Results) != want || !strings.Contains(string(raw), `"results":[`) {
			t.Errorf("it gives %s, %v", raw, err)
		}
	}
}

// TestConversationInPages lists the prompts of a conversation in pages, from its end. Each prompt
// must come once.
func TestConversationInPages(t *testing.T) {
	t.Parallel()
	script := modelstest.NewScript(agenttest.Calling("call-1", "shell_exec", `{}`)).Otherwise(agenttest.Saying("Yes."))
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), script, journaltest.NewMemory())
	cfg.Conversations = convs.Open(cfg.Journal)
	doorstest.WithRisks(t, cfg.Tools)
	url := gatewaytest.Start(t, cfg)
	var made struct{ Result sdkapi.ConversationID }
	if _, body := doorstest.Invoke(t, url, sdkapi.ConversationCreate, nil); json.Unmarshal([]byte(body), &made) != nil || made.Result.ID == "" {
		t.Fatal(body)
	}
	say := func(n int) string { return fmt.Sprintf(`{"input":"number %d","conversationId":%q}`, n, made.Result.ID) }
	first := doorstest.Prompted(t, url, say(0))
	first.Asked(url)
	resp, body := doorstest.Ask(t, http.MethodPost, url+sdkapi.PromptPath, "ada", strings.NewReader(say(1)))
	if want := "cancel it with POST " + sdkapi.PromptsPath + "/" + first.Prompt + "/cancel"; resp.StatusCode != http.StatusConflict || !strings.Contains(body, want) {
		t.Errorf("while one is worked on: %s %s", resp.Status, body)
	}
	first.Answer(url, "approve", `{"toolCallId":"call-1"}`)
	first.Until(url, sdkapi.EventPromptCompleted)
	const prompts = 7
	for n := 1; n < prompts; n++ {
		doorstest.Prompted(t, url, say(n)).Until(url, sdkapi.EventPromptCompleted)
	}
	page := func(more string) (found sdkapi.Conversation) {
		t.Helper()
		var answer struct{ Result sdkapi.Conversation }
		resp, body := doorstest.Invoke(t, url, sdkapi.ConversationGet, strings.NewReader(fmt.Sprintf(`{"conversationId":%q%s}`, made.Result.ID, more)))
		if err := json.Unmarshal([]byte(body), &answer); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s, %v", resp.Status, body, err)
		}
		return answer.Result
	}
	var heard []string
	pages := 0
	for more := `,"limit":3`; more != ""; pages++ {
		found := page(more)
		for i := len(found.Prompts) - 1; i >= 0; i-- {
			heard = append(heard, found.Prompts[i].Input)
		}
		if more = ""; found.NextCursor != "" {
			more = fmt.Sprintf(`,"limit":3,"cursor":%q`, found.NextCursor)
		}
		if found.Truncated != (more != "") {
			t.Errorf("page %d has a next one: %v, and says %v", pages, more != "", found.Truncated)
		}
	}
	if got, want := strings.Join(heard, ", "), "number 6, number 5, number 4, number 3, number 2, number 1, number 0"; pages != 3 || got != want {
		t.Errorf("%d pages have %s", pages, got)
	}
	if found := page(""); len(found.Prompts) != prompts || found.Truncated || found.NextCursor != "" {
		t.Errorf("all of it: %d prompts, %q", len(found.Prompts), found.NextCursor)
	}
	for _, cursor := range []string{"3", "prompt_aaaaaaaaaaaaaaaaaaaaaaaaaa.3", made.Result.ID + ".0"} {
		if resp, body := doorstest.Invoke(t, url, sdkapi.ConversationGet, strings.NewReader(fmt.Sprintf(`{"conversationId":%q,"cursor":%q}`, made.Result.ID, cursor))); resp.StatusCode != 422 || !strings.Contains(body, "body.cursor") {
			t.Errorf("cursor %s: %s %s", cursor, resp.Status, body)
		}
	}
}
