package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/once"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// keyedPrompt starts a prompt with an idempotency key, answers its approval requests, and returns
// its id and its events.
func keyedPrompt(t *testing.T, url, key, body string, headers ...string) (prompt string, heard []doorstest.Event, replayed bool, err error) {
	t.Helper()
	resp, err := doorstest.Asks(t.Context(), http.MethodPost, url+sdkapi.PromptPath, body, append(headers, sdkapi.IdempotencyKeyHeader, key)...)
	if err != nil {
		return "", nil, false, err
	}
	defer resp.Body.Close()
	err = doorstest.Hear(resp.Body, func(e doorstest.Event) bool {
		const answered = `,"answered":true` // the one thing that a later stream says of an earlier event
		asked := !strings.Contains(e.Data, answered)
		e.Data = strings.Replace(e.Data, answered, "", 1)
		heard = append(heard, e)
		switch {
		case e.Kind == sdkapi.EventPromptCreated:
			var created sdkapi.PromptCreated
			_ = json.Unmarshal([]byte(e.Data), &created)
			prompt = created.PromptID
		case e.Kind == sdkapi.EventPromptApproval && asked:
			doorstest.AnswerAsked(t, url, e)
		}
		return e.Kind != sdkapi.EventPromptCompleted && e.Kind != sdkapi.EventError
	})
	return prompt, heard, resp.Header.Get(sdkapi.ReplayedHeader) == "true", err
}

// mustPrompt is keyedPrompt for a prompt that must succeed.
func mustPrompt(t *testing.T, url, key, body string) {
	t.Helper()
	if _, _, _, err := keyedPrompt(t, url, key, body); err != nil {
		t.Fatal(err)
	}
}

// TestPromptIsStartedOnce sends a prompt several times with the same key: at once and later, to
// each gateway, in a conversation and outside of one. There must be one prompt, and all callers
// must get its events.
func TestPromptIsStartedOnce(t *testing.T) {
	t.Parallel()
	for name, deployed := range map[string]func(t *testing.T) doorstest.Prompting{
		"SQLite": doorstest.Alone, "two gateways": func(t *testing.T) doorstest.Prompting {
			return doorstest.Deploy(t, database.Config{URL: pgtest.Start(t)}, 2)
		},
	} {
		for _, talk := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in a conversation: %t", name, talk), func(t *testing.T) {
				t.Parallel()
				p := deployed(t)
				body := `{"input":"What is here?","deltas":true}`
				if talk {
					body = fmt.Sprintf(`{"input":"What is here?","conversationId":%q}`, newConversation(t, p.Urls[0]))
					mustPrompt(t, p.Urls[0], "before", body)
				}
				before := len(doorstest.Calls(t, p.Dir))
				var all sync.WaitGroup
				var mu sync.Mutex
				var prompts []string
				var streams [][]doorstest.Event
				fresh := 0
				for n := range 12 {
					all.Go(func() {
						prompt, heard, replayed, err := keyedPrompt(t, p.Urls[n%len(p.Urls)], "k", body)
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						defer mu.Unlock()
						prompts, streams = append(prompts, prompt), append(streams, heard)
						if !replayed {
							fresh++
						}
					})
				}
				all.Wait()
				if talk { // another turn behind it is not it
					mustPrompt(t, p.Urls[0], "behind", body)
				}
				prompt, heard, replayed, err := keyedPrompt(t, p.Urls[0], "k", body)
				if err != nil || !replayed || prompt == "" {
					t.Fatalf("long behind it: %q, replayed %t, %v", prompt, replayed, err)
				}
				for i := range prompts {
					if prompts[i] != prompt || !slices.Equal(streams[i], heard) {
						t.Errorf("one heard of %s\n%v, and another of %s\n%v", prompts[i], streams[i], prompt, heard)
					}
				}
				want := before + 1
				if talk {
					want++
				}
				if got := doorstest.Calls(t, p.Dir); fresh != 1 || len(got) != want {
					t.Errorf("%d were not replayed, want 1; the tool was called %d times, want %d", fresh, len(got), want)
				}
				half := heard[len(heard)/2]
				if _, rest, _, err := keyedPrompt(t, p.Urls[0], "k", body, "Last-Event-ID", half.Id); err != nil || !slices.Equal(rest, heard[len(heard)/2+1:]) {
					t.Errorf("behind %s comes\n%v, want\n%v (%v)", half.Id, rest, heard[len(heard)/2+1:], err)
				}
				if _, _, _, err := keyedPrompt(t, p.Urls[0], "k", strings.Replace(body, "here", "there", 1)); err == nil || !strings.Contains(err.Error(), string(sdkapi.KeyReused)) {
					t.Errorf("another prompt with the key: %v", err)
				}
			})
		}
	}
}

// newConversation creates a conversation of ada.
func newConversation(t *testing.T, url string) string {
	t.Helper()
	var made struct{ Result sdkapi.ConversationID }
	if _, text := doorstest.Ask(t, http.MethodPost, url+sdkapi.ToolPath(sdkapi.ConversationCreate), "ada", strings.NewReader(`{}`)); json.Unmarshal([]byte(text), &made) != nil || made.Result.ID == "" {
		t.Fatalf("conversation.create: %s", text)
	}
	return made.Result.ID
}

// TestKeyOfAPromptOutlivesACrash stops a gateway between the steps that begin a prompt with a key:
// after the key is stored, and after the turn has begun. A client that repeats the request must get
// the one prompt.
func TestKeyOfAPromptOutlivesACrash(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		begun bool
		talk  bool
	}{
		"before the prompt": {}, "behind it": {begun: true},
		"before it in a conversation": {talk: true}, "behind it in a conversation": {begun: true, talk: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "windie.db")
			p := doorstest.Deploy(t, database.Config{File: file}, 1)
			db, err := database.Open(t.Context(), database.Config{File: file})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			body := `{"input":"What is here?"}`
			if tt.talk {
				body = fmt.Sprintf(`{"input":"What is here?","conversationId":%q}`, newConversation(t, p.Urls[0]))
			}
			var first string
			if tt.begun {
				if first, _, _, err = keyedPrompt(t, p.Urls[0], "k", body); err != nil {
					t.Fatal(err)
				}
				if err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
					_, err := tx.NewRaw("UPDATE once SET began = ''").Exec(ctx)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if tt.talk {
					for n := range 3 { // so that it is not the last one
						mustPrompt(t, p.Urls[0], fmt.Sprint("behind", n), body)
					}
				}
			} else if _, err := once.Open(db, once.Options{}).Join(t.Context(), once.Key{User: "ada", Route: "prompt", Name: "k"}, ""); err != nil {
				t.Fatal(err)
			}
			again, _, replayed, err := keyedPrompt(t, p.Urls[0], "k", body)
			if err != nil || replayed != tt.begun || tt.begun && again != first {
				t.Errorf("who comes back hears of %q, replayed %t, %v; want %q", again, replayed, err, first)
			}
			if third, _, replayed, err := keyedPrompt(t, p.Urls[0], "k", body); err != nil || !replayed || third != again {
				t.Errorf("later it is %q, replayed %t, %v; want %q", third, replayed, err, again)
			}
		})
	}
}

// TestChatIsSaidOnce repeats a message to the general agent service with the same key, with and
// without a stream, also after other messages. The message must count once. Without a key, a
// repeated message counts twice.
func TestChatIsSaidOnce(t *testing.T) {
	t.Parallel()
	p := doorstest.Alone(t)
	var session sdkapi.V1Session
	if a := doorstest.Keyed(t, p.Urls[0]+sdkapi.V1SessionsPath, "s", `{}`); json.Unmarshal([]byte(a.Body), &session) != nil || session.GeneralSessionID == "" {
		t.Fatalf("a session is answered %+v", a)
	}
	say := func(key, text string, stream bool) doorstest.OnceAnswer {
		body, err := json.Marshal(sdkapi.V1Chat{
			GeneralSessionID: session.GeneralSessionID, Mode: "general", Stream: stream,
			Message: sdkapi.V1Message{Parts: []sdkapi.V1Part{{Type: "text", Text: text}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return doorstest.Keyed(t, p.Urls[0]+sdkapi.V1ChatPath, key, string(body))
	}
	approve := func(a doorstest.OnceAnswer) {
		var failed sdkapi.ErrorResponse
		if err := json.Unmarshal([]byte(a.Body), &failed); err != nil || failed.Error.Details.ToolRequest == nil {
			t.Fatalf("no approval is asked for: %+v", a)
		}
		result := fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":%q,"name":"shell.exec","ok":true,"result":"yes"}}`, session.GeneralSessionID, failed.Error.Details.ToolRequest.ID)
		if resp, text := doorstest.Ask(t, http.MethodPost, p.Urls[0]+sdkapi.V1ToolResultPath, "ada", strings.NewReader(result)); resp.StatusCode != http.StatusOK {
			t.Fatalf("the approval is answered %s", text)
		}
	}
	waits := say("k1", "continue", false)
	if waits.Code() != sdkapi.ToolPending || waits.Replayed {
		t.Fatalf("it is answered %+v", waits)
	}
	approve(say("k1", "continue", false))
	first := say("k1", "continue", false)
	if first.Status != http.StatusOK || !first.Replayed {
		t.Fatalf("its end is %+v", first)
	}
	approve(say("k2", "continue", false))
	if second := say("k2", "continue", false); second.Status != http.StatusOK {
		t.Errorf("said again it is answered %+v", second)
	}
	if again := say("k1", "continue", false); again.Body != first.Body || !again.Replayed {
		t.Errorf("the first one again is answered %+v, want %+v", again, first)
	}
	if got := doorstest.Calls(t, p.Dir); len(got) != 2 {
		t.Errorf("the tool was called %d times, want 2", len(got))
	}
	if other := say("k1", "go on", false); other.Code() != sdkapi.KeyReused {
		t.Errorf("other words with its key are answered %+v", other)
	}
}

// changed runs statements in the database of a gateway.
func changed(t *testing.T, file string, statements ...string) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{File: file})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		for _, statement := range statements {
			if _, err := tx.NewRaw(statement).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestKeyOfATrimmedPrompt repeats the request of a prompt whose first events are no longer stored. No later event of
// its conversation may appear under its id.
func TestKeyOfATrimmedPrompt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "windie.db")
	p := doorstest.Deploy(t, database.Config{File: file}, 1)
	body := fmt.Sprintf(`{"input":"What is here?","conversationId":%q}`, newConversation(t, p.Urls[0]))
	first, _, _, err := keyedPrompt(t, p.Urls[0], "k", body)
	if err != nil {
		t.Fatal(err)
	}
	mustPrompt(t, p.Urls[0], "behind", body)
	_, seq, _ := strings.Cut(first, ".")
	changed(t, file, "DELETE FROM events WHERE seq <= "+seq)
	again, heard, _, err := keyedPrompt(t, p.Urls[0], "k", body)
	if err == nil || !strings.Contains(err.Error(), string(sdkapi.PromptNotFound)) {
		t.Errorf("the request is answered with %q: %v, %v", again, heard, err)
	}
}

// TestDeletedPromptIsDeletedAgain interrupts the deletion of a prompt behind its session. A second request must
// delete the entry in the list.
func TestDeletedPromptIsDeletedAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "windie.db")
	p := doorstest.Deploy(t, database.Config{File: file}, 1)
	url := p.Urls[0]
	prompt, _, _, err := keyedPrompt(t, url, "k", `{"input":"What is here?"}`)
	if err != nil {
		t.Fatal(err)
	}
	changed(t, file, "CREATE TRIGGER interrupted BEFORE DELETE ON prompts BEGIN SELECT RAISE(FAIL, 'interrupted'); END")
	if status, text := doorstest.AskKeyed(t, http.MethodDelete, url+sdkapi.PromptsPath+"/"+prompt, "ada", ""); status < 500 {
		t.Fatalf("the interrupted deletion is answered %d %s", status, text)
	}
	changed(t, file, "DROP TRIGGER interrupted")
	if status, text := doorstest.AskKeyed(t, http.MethodDelete, url+sdkapi.PromptsPath+"/"+prompt, "ada", ""); status != http.StatusOK {
		t.Errorf("the second deletion is answered %d %s", status, text)
	}
	if left := promptsOf(t, url, ""); len(left) != 0 {
		t.Errorf("the list still has %v", left)
	}
	if status, _ := doorstest.AskKeyed(t, http.MethodDelete, url+sdkapi.PromptsPath+"/"+prompt, "ada", ""); status != http.StatusNotFound {
		t.Errorf("the third deletion is answered %d", status)
	}
}
