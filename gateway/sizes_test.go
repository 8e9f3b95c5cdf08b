//go:build !race

package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/sqljournal"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// onEachJournal runs a test with a gateway's model and each journal there is.
func onEachJournal(t *testing.T, model func() *modelstest.Script, test func(t *testing.T, url string, model *modelstest.Script)) {
	t.Parallel()
	for name, config := range map[string]func(t *testing.T) database.Config{
		"SQLite": func(t *testing.T) database.Config {
			return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
		},
		"Postgres": func(t *testing.T) database.Config { return database.Config{URL: pgtest.Start(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			db, err := database.Open(t.Context(), config(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			log, err := sqljournal.Open(db, sqljournal.Options{})
			if err != nil {
				t.Fatal(err)
			}
			script := model()
			test(t, gatewaytest.Start(t, doorstest.Conversing(t, gatewaytest.Store(t, false), script, log)), script)
		})
	}
}

// oneWord is a model that always says the same.
func oneWord() *modelstest.Script { return modelstest.NewScript().Otherwise(agenttest.Saying("Well.")) }

// sized returns a message over /ws of exactly bytes bytes, in which pad stands
// for as much text as that takes.
func sized(bytes int, kind, payload string) string {
	m := fmt.Sprintf(`{"id":%q,"type":%q,"payload":%s}`, uuid.NewString(), kind, payload)
	return strings.Replace(m, "PAD", strings.Repeat("x", bytes-len(m)+len("PAD")), 1)
}

// lastSaid returns the text of the last message that a model was asked with.
func lastSaid(t *testing.T, model *modelstest.Script) string {
	t.Helper()
	all := model.Requests()
	if len(all) == 0 {
		t.Fatal("the model was not asked")
	}
	messages := all[len(all)-1].Messages
	var text strings.Builder
	for _, p := range messages[len(messages)-1].Parts {
		text.WriteString(p.Text)
		if p.Result != nil {
			for _, inner := range p.Result.Parts {
				text.WriteString(inner.Text)
			}
		}
	}
	return text.String()
}

// A query may be as large as a message. Its model is asked all of it, and the
// next one works. A byte more ends the connection with its own code.
func TestLargestQuery(t *testing.T) {
	onEachJournal(t, oneWord, func(t *testing.T, url string, model *modelstest.Script) {
		p := doorstest.Dial(t, url, doorstest.Hello)
		p.Slow = true
		p.Raw(sized(sdkapi.MaxWSMessage, sdkapi.WSQuery, `{"conversation_ref":"c","text":"begin PAD end"}`))
		p.Until(sdkapi.WSStreamingComplete)
		if said := lastSaid(t, model); !strings.Contains(said, "begin xxx") || !strings.Contains(said, "xxx end") || len(said) < sdkapi.MaxWSMessage-1000 {
			t.Errorf("the model was asked with %d bytes", len(said))
		}
		p.Send(sdkapi.WSQuery, `{"conversation_ref":"c","text":"and now?"}`)
		p.Until(sdkapi.WSStreamingComplete)
		p.Raw(sized(sdkapi.MaxWSMessage+1, sdkapi.WSQuery, `{"conversation_ref":"c","text":"PAD"}`))
		p.WantClosed(websocket.CloseMessageTooBig)
	})
}

// rehydrating returns the payload of a history of count messages.
func rehydrating(count, size int) string {
	messages := make([]string, count)
	for i := range messages {
		role := []string{"user", "assistant"}[i%2]
		messages[i] = fmt.Sprintf(`{"role":%q,"content":"%d %s"}`, role, i, strings.Repeat("y", size))
	}
	return fmt.Sprintf(`{"conversation_ref":"c","messages":[%s]}`, strings.Join(messages, ","))
}

// A history has 2,000 messages, of 10 MB together. The model is asked all.
func TestLargestHistory(t *testing.T) {
	onEachJournal(t, oneWord, func(t *testing.T, url string, model *modelstest.Script) {
		p := doorstest.Dial(t, url, doorstest.Hello)
		p.Slow = true
		for _, size := range []int{2000, sdkapi.MaxWSMessage/2000 - 60} {
			p.Send(sdkapi.WSRehydrate, rehydrating(2000, size))
			p.Send(sdkapi.WSQuery, `{"conversation_ref":"c","text":"and now?"}`)
			p.Until(sdkapi.WSStreamingComplete)
			all := model.Requests()
			messages := all[len(all)-1].Messages
			if len(messages) != 2001 || len(messages[1999].Parts[0].Text) != size+len("1999 ") {
				t.Errorf("the model was asked with %d messages", len(messages))
			}
		}
		p.Send(sdkapi.WSRehydrate, rehydrating(2001, 1))
		if m := p.Next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), "at most 2000 messages") || !strings.Contains(string(m.Payload), string(sdkapi.ValidationError)) {
			t.Errorf("of 2,001 messages: %s %.300s", m.Type, m.Payload)
		}
	})
}

// calling is a model that calls a client's tool once, and then says what came of it.
func calling() *modelstest.Script {
	return modelstest.NewScript(agenttest.Calling("c1", "read_file", `{"path":"a.txt"}`)).Otherwise(agenttest.Saying("Read."))
}

// A result of 6 MB is cut in the middle to what the model is shown. The same one
// again is the same answer, and one that differs in what is left out is not.
func TestLargeResult(t *testing.T) {
	onEachJournal(t, calling, func(t *testing.T, url string, model *modelstest.Script) {
		p := doorstest.Dial(t, url, doorstest.Hello)
		p.Slow = true
		p.Send(sdkapi.WSQuery, `{"conversation_ref":"c","text":"read it"}`)
		var call sdkapi.WSToolCallPayload
		if err := json.Unmarshal(last(p.Until(sdkapi.WSToolCall)).Payload, &call); err != nil {
			t.Fatal(err)
		}
		middle := strings.Repeat("z", 3<<20)
		result := fmt.Sprintf(`{"request_id":%q,"success":true,"data":{"output":"begin %s-%[2]s end","system_state":{"big":%[2]q,"small":1}}}`, call.RequestID, middle)
		p.Send(sdkapi.WSToolResult, result)
		p.Until(sdkapi.WSStreamingComplete)
		wantCut(t, lastSaid(t, model))
		p.Send(sdkapi.WSToolResult, result) // which is fine, and answered by nothing
		p.Send(sdkapi.WSToolResult, strings.Replace(result, "-", "+", 1))
		if m := p.Next(); m.Type != sdkapi.WSError || !strings.Contains(string(m.Payload), string(sdkapi.DecisionConflict)) {
			t.Errorf("another result: %s %.300s", m.Type, m.Payload)
		}
	})
}

func last(messages []sdkapi.WSMessage) sdkapi.WSMessage { return messages[len(messages)-1] }

// wantCut fails unless a text is one of megabytes, cut in the middle.
func wantCut(t *testing.T, text string) {
	t.Helper()
	most := session.DefaultLimits().ResultBytes
	if !strings.Contains(text, "begin zzz") || !strings.Contains(text, "zzz end") || !strings.Contains(text, "bytes left out …]") || len(text) > most+1000 {
		t.Errorf("the model was shown %d bytes: %.100q", len(text), text)
	}
}

// The general agent's results are cut likewise.
func TestLargeResultV1(t *testing.T) {
	t.Parallel()
	model := calling()
	url := doorstest.TalkingWith(t, model)
	var made sdkapi.V1Session
	postV1(t, url+sdkapi.V1SessionsPath, `{}`, http.StatusOK, &made)
	chat := fmt.Sprintf(`{"general_session_id":%q,"message":{"id":"m1","parts":[{"type":"text","text":"read it"}]}}`, made.GeneralSessionID)
	postV1(t, url+sdkapi.V1ChatPath, chat, http.StatusConflict, nil)
	result := fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":"c1","ok":true,"result":"begin %s end"}}`, made.GeneralSessionID, strings.Repeat("z", 6<<20))
	for range 2 {
		postV1(t, url+sdkapi.V1ToolResultPath, result, http.StatusOK, nil)
	}
	postV1(t, url+sdkapi.V1ToolResultPath, strings.Replace(result, "zzz", "zyz", 1), http.StatusConflict, nil)
	postV1(t, url+sdkapi.V1ChatPath, chat, http.StatusOK, nil)
	wantCut(t, lastSaid(t, model))
	tooLarge := fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":"c1","ok":true,"result":%q}}`, made.GeneralSessionID, strings.Repeat("z", sdkapi.MaxWSMessage))
	postV1(t, url+sdkapi.V1ToolResultPath, tooLarge, http.StatusRequestEntityTooLarge, nil)
}

// postV1 posts JSON, and reads the answer into out.
func postV1(t *testing.T, url, body string, want int, out any) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(resp.Body)
	if err != nil || resp.StatusCode != want {
		t.Fatalf("%s: %d %.500s, %v; want %d", url, resp.StatusCode, text.String(), err, want)
	}
	if out != nil {
		if err := json.Unmarshal(text.Bytes(), out); err != nil {
			t.Fatal(err)
		}
	}
}

// A model's answer may have 4 MiB, and reaches the client whole.
func TestLargestAnswer(t *testing.T) {
	answer := strings.Repeat("<w>\n", models.MaxText/4)
	onEachJournal(t, func() *modelstest.Script {
		return modelstest.NewScript(agenttest.Saying(answer)).Otherwise(agenttest.Saying("Well."))
	},
		func(t *testing.T, url string, _ *modelstest.Script) {
			p := doorstest.Dial(t, url, doorstest.Hello)
			p.Slow = true
			p.Send(sdkapi.WSQuery, `{"conversation_ref":"c","text":"say much"}`)
			var told struct {
				FinalResponse string `json:"final_response"`
			}
			if err := json.Unmarshal(last(p.Until(sdkapi.WSStreamingComplete)).Payload, &told); err != nil || told.FinalResponse != answer {
				t.Errorf("the answer has %d bytes of %d, %v", len(told.FinalResponse), len(answer), err)
			}
		})
}

// A prompt whose events are more than the journal reads at once is sent whole.
func TestLargePrompt(t *testing.T) {
	t.Parallel()
	answer := strings.Repeat("word ", models.MaxText/5)
	first := agenttest.Calling("c1", "nothing", `{}`)
	first.Text = []string{answer}
	url := doorstest.TalkingWith(t, modelstest.NewScript(first, agenttest.Saying(answer)))
	stream := asAda(t, http.MethodPost, url+sdkapi.PromptPath, `{"input":"say much"}`)
	_, id, found := strings.Cut(string(stream), `"promptId":"`)
	if !found {
		t.Fatalf("%.300s", stream)
	}
	var known sdkapi.Prompt
	if err := json.Unmarshal(asAda(t, http.MethodGet, url+sdkapi.PromptsPath+"/"+id[:strings.IndexByte(id, '"')], ""), &known); err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, o := range known.Output {
		if o.Content == answer {
			texts++
		}
	}
	if known.Status != sdkapi.PromptCompletes || texts != 2 {
		t.Errorf("the prompt is %s, with %d texts of 2", known.Status, texts)
	}
}

// asAda sends a request on behalf of a user, and returns the whole answer.
func asAda(t *testing.T, method, url, body string) []byte {
	t.Helper()
	status, text := answeredAda(t, method, url, body)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %.300s", method, url, status, text)
	}
	return text
}

// answeredAda is asAda for a request that may be refused.
func answeredAda(t *testing.T, method, url, body string) (status int, text []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(sdkapi.UserHeader, "ada")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, text
}

// A prompt has as many characters as its document says, however they are
// written; one more is refused by its field.
func TestLargestPrompt(t *testing.T) {
	t.Parallel()
	url := doorstest.TalkingWith(t, oneWord())
	prompt := func(characters int) string {
		return `{"input":"` + strings.Repeat(`\ud83d\ude00`, characters) + `"}`
	}
	if stream := asAda(t, http.MethodPost, url+sdkapi.PromptPath, prompt(sdkapi.MaxPromptInput)); !bytes.Contains(stream, []byte(sdkapi.EventPromptCompleted)) {
		t.Errorf("the longest prompt ends with %.300s", stream)
	}
	if status, text := answeredAda(t, http.MethodPost, url+sdkapi.PromptPath, prompt(sdkapi.MaxPromptInput+1)); status != http.StatusUnprocessableEntity || !bytes.Contains(text, []byte("body.input")) {
		t.Errorf("a longer one: %d %.300s", status, text)
	}
}
