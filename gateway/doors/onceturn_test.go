package doors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/once"
	"github.com/windieos/windie/internal/pgtest"
	"github.com/windieos/windie/sdkapi"
)

// answerAsked approves what an event asks.
func answerAsked(t *testing.T, url string, e event) {
	t.Helper()
	var asked sdkapi.PromptApproval
	if err := json.Unmarshal([]byte(e.data), &asked); err != nil {
		t.Error(err)
	}
	resp, err := asks(context.WithoutCancel(t.Context()), http.MethodPost, url+sdkapi.PromptsPath+"/"+asked.PromptID+"/approve", fmt.Sprintf(`{"toolCallId":%q}`, asked.ToolCallID))
	if err == nil { // else the gateway has died
		resp.Body.Close()
	}
}

// keyedPrompt starts a prompt with a key, hears it to its end, and returns its
// id and its events. It answers what is asked.
func keyedPrompt(t *testing.T, url, key, body string, headers ...string) (prompt string, heard []event, replayed bool, err error) {
	t.Helper()
	resp, err := asks(t.Context(), http.MethodPost, url+sdkapi.PromptPath, body, append(headers, sdkapi.IdempotencyKeyHeader, key)...)
	if err != nil {
		return "", nil, false, err
	}
	defer resp.Body.Close()
	err = hear(resp.Body, func(e event) bool {
		const answered = `,"answered":true` // the one thing that a later stream says of an earlier event
		asked := !strings.Contains(e.data, answered)
		e.data = strings.Replace(e.data, answered, "", 1)
		heard = append(heard, e)
		switch {
		case e.kind == sdkapi.EventPromptCreated:
			var created sdkapi.PromptCreated
			_ = json.Unmarshal([]byte(e.data), &created)
			prompt = created.PromptID
		case e.kind == sdkapi.EventPromptApproval && asked:
			answerAsked(t, url, e)
		}
		return e.kind != sdkapi.EventPromptCompleted && e.kind != sdkapi.EventError
	})
	return prompt, heard, resp.Header.Get(sdkapi.ReplayedHeader) == "true", err
}

// mustPrompt is keyedPrompt of one that must go well.
func mustPrompt(t *testing.T, url, key, body string) {
	t.Helper()
	if _, _, _, err := keyedPrompt(t, url, key, body); err != nil {
		t.Fatal(err)
	}
}

// However many send a prompt with the same key, at once and later, on whichever
// gateway, alone and in a conversation: it is one prompt, and all hear the same.
func TestPromptIsStartedOnce(t *testing.T) {
	t.Parallel()
	for name, deployed := range map[string]func(t *testing.T) prompting{
		"SQLite": alone, "two gateways": func(t *testing.T) prompting { return deploy(t, database.Config{URL: pgtest.Start(t)}, 2) },
	} {
		for _, talk := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in a conversation: %t", name, talk), func(t *testing.T) {
				t.Parallel()
				p := deployed(t)
				body := `{"input":"What is here?","deltas":true}`
				if talk {
					body = fmt.Sprintf(`{"input":"What is here?","conversationId":%q}`, newConversation(t, p.urls[0]))
					mustPrompt(t, p.urls[0], "before", body)
				}
				before := len(calls(t, p.dir))
				var all sync.WaitGroup
				var mu sync.Mutex
				var prompts []string
				var streams [][]event
				fresh := 0
				for n := range 12 {
					all.Go(func() {
						prompt, heard, replayed, err := keyedPrompt(t, p.urls[n%len(p.urls)], "k", body)
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
					mustPrompt(t, p.urls[0], "behind", body)
				}
				prompt, heard, replayed, err := keyedPrompt(t, p.urls[0], "k", body)
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
				if got := calls(t, p.dir); fresh != 1 || len(got) != want {
					t.Errorf("%d were not replayed, want 1; the tool was called %d times, want %d", fresh, len(got), want)
				}
				half := heard[len(heard)/2]
				if _, rest, _, err := keyedPrompt(t, p.urls[0], "k", body, "Last-Event-ID", half.id); err != nil || !slices.Equal(rest, heard[len(heard)/2+1:]) {
					t.Errorf("behind %s comes\n%v, want\n%v (%v)", half.id, rest, heard[len(heard)/2+1:], err)
				}
				if _, _, _, err := keyedPrompt(t, p.urls[0], "k", strings.Replace(body, "here", "there", 1)); err == nil || !strings.Contains(err.Error(), string(sdkapi.KeyReused)) {
					t.Errorf("another prompt with the key: %v", err)
				}
			})
		}
	}
}

// newConversation makes a conversation of ada's.
func newConversation(t *testing.T, url string) string {
	t.Helper()
	var made struct{ Result sdkapi.ConversationID }
	if _, text := ask(t, http.MethodPost, url+sdkapi.ToolPath(sdkapi.ConversationCreate), "ada", strings.NewReader(`{}`)); json.Unmarshal([]byte(text), &made) != nil || made.Result.ID == "" {
		t.Fatalf("conversation.create: %s", text)
	}
	return made.Result.ID
}

// A gateway may die between the steps by which a prompt is begun with a key:
// once the key is kept, and once the turn has begun. A client that comes back
// gets the one prompt, and no other.
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
			p := deploy(t, database.Config{File: file}, 1)
			db, err := database.Open(t.Context(), database.Config{File: file})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			body := `{"input":"What is here?"}`
			if tt.talk {
				body = fmt.Sprintf(`{"input":"What is here?","conversationId":%q}`, newConversation(t, p.urls[0]))
			}
			var first string
			if tt.begun {
				if first, _, _, err = keyedPrompt(t, p.urls[0], "k", body); err != nil {
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
						mustPrompt(t, p.urls[0], fmt.Sprint("behind", n), body)
					}
				}
			} else if _, err := once.Open(db, once.Options{}).Join(t.Context(), once.Key{User: "ada", Route: "prompt", Name: "k"}, ""); err != nil {
				t.Fatal(err)
			}
			again, _, replayed, err := keyedPrompt(t, p.urls[0], "k", body)
			if err != nil || replayed != tt.begun || tt.begun && again != first {
				t.Errorf("who comes back hears of %q, replayed %t, %v; want %q", again, replayed, err, first)
			}
			if third, _, replayed, err := keyedPrompt(t, p.urls[0], "k", body); err != nil || !replayed || third != again {
				t.Errorf("later it is %q, replayed %t, %v; want %q", third, replayed, err, again)
			}
		})
	}
}

// A client that sends its prompt with a key, again and again until it has heard
// it whole, while gateways die, has one prompt and has its tool called at most
// once.
func TestPromptWithAKeyAndGatewaysThatDie(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chance := rand.New(rand.NewPCG(7, 7))
	prompts := map[string]bool{}
	url, kill := spawn(t, dir)
	for life := 0; ; life++ {
		if life > 0 {
			url, kill = spawn(t, dir)
		}
		dies := time.Duration(chance.IntN(60)) * time.Millisecond
		if life == 6 {
			dies = patience
		}
		timer := time.AfterFunc(dies, kill)
		ended := false
		for until := time.Now().Add(patience); !ended && time.Now().Before(until); {
			resp, err := asks(t.Context(), http.MethodPost, url+sdkapi.PromptPath, `{"input":"What is here?"}`, sdkapi.IdempotencyKeyHeader, "k")
			if err != nil {
				break // it is dead
			}
			ended = endOf(t, url, resp.Body, prompts)
			resp.Body.Close()
		}
		timer.Stop()
		if ended {
			break
		}
		kill()
	}
	if got := calls(t, dir); len(prompts) != 1 || len(got) > 1 {
		t.Errorf("there are %d prompts, %v; the tool was called with %v", len(prompts), prompts, got)
	}
}

// endOf hears a prompt, answers what it asks, notes its id, and reports whether
// it ended.
func endOf(t *testing.T, url string, body io.Reader, prompts map[string]bool) (ended bool) {
	t.Helper()
	_ = hear(body, func(e event) bool { // a gateway that dies is what is tested
		switch e.kind {
		case sdkapi.EventPromptCreated:
			var created sdkapi.PromptCreated
			if err := json.Unmarshal([]byte(e.data), &created); err != nil {
				t.Error(err)
			}
			prompts[created.PromptID] = true
		case sdkapi.EventPromptApproval:
			answerAsked(t, url, e)
		}
		ended = e.kind == sdkapi.EventPromptCompleted || e.kind == sdkapi.EventError
		return !ended
	})
	return ended
}

// The general agent service says the same thing once for a key, with a stream
// and without, also where other words came between; without a key who says
// "continue" twice means it.
func TestChatIsSaidOnce(t *testing.T) {
	t.Parallel()
	p := patiently(t)
	var session sdkapi.V1Session
	if a := keyed(t, p.urls[0]+sdkapi.V1SessionsPath, "s", `{}`); json.Unmarshal([]byte(a.body), &session) != nil || session.GeneralSessionID == "" {
		t.Fatalf("a session is answered %+v", a)
	}
	say := func(key, text string, stream bool) onceAnswer {
		body, err := json.Marshal(sdkapi.V1Chat{
			GeneralSessionID: session.GeneralSessionID, Mode: "general", Stream: stream,
			Message: sdkapi.V1Message{Parts: []sdkapi.V1Part{{Type: "text", Text: text}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return keyed(t, p.urls[0]+sdkapi.V1ChatPath, key, string(body))
	}
	approve := func(a onceAnswer) {
		var failed sdkapi.ErrorResponse
		if err := json.Unmarshal([]byte(a.body), &failed); err != nil || failed.Error.Details.ToolRequest == nil {
			t.Fatalf("no approval is asked for: %+v", a)
		}
		result := fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":%q,"name":"shell.exec","ok":true,"result":"yes"}}`, session.GeneralSessionID, failed.Error.Details.ToolRequest.ID)
		if resp, text := ask(t, http.MethodPost, p.urls[0]+sdkapi.V1ToolResultPath, "ada", strings.NewReader(result)); resp.StatusCode != http.StatusOK {
			t.Fatalf("the approval is answered %s", text)
		}
	}
	waits := say("k1", "continue", false)
	if waits.code() != sdkapi.ToolPending || waits.replayed {
		t.Fatalf("it is answered %+v", waits)
	}
	approve(say("k1", "continue", false))
	first := say("k1", "continue", false)
	if first.status != http.StatusOK || !first.replayed {
		t.Fatalf("its end is %+v", first)
	}
	approve(say("k2", "continue", false))
	if second := say("k2", "continue", false); second.status != http.StatusOK {
		t.Errorf("said again it is answered %+v", second)
	}
	if again := say("k1", "continue", false); again.body != first.body || !again.replayed {
		t.Errorf("the first one again is answered %+v, want %+v", again, first)
	}
	if got := calls(t, p.dir); len(got) != 2 {
		t.Errorf("the tool was called %d times, want 2", len(got))
	}
	if other := say("k1", "go on", false); other.code() != sdkapi.KeyReused {
		t.Errorf("other words with its key are answered %+v", other)
	}
}
