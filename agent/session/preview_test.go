package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// bytesOf writes a request with all there is in it.
func bytesOf(t *testing.T, r models.Request) string {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range r.Tools { // which json.Marshal writes in its own way
		raw = append(raw, tool.Schema...)
	}
	return string(raw)
}

// What a preview shows is what the turn behind it sends, byte for byte: first of
// all, and with a history of calls, images and untrusted text.
func TestPreviewIsWhatIsSent(t *testing.T) {
	t.Parallel()
	b := agenttest.New(t, agenttest.Calling("1", "clock_now", `{}`), agenttest.Saying("Noon.")).Tool("clock.now", agent.Safe, nil)
	b.Config.Image = func(_ context.Context, user, id string) (models.Image, error) {
		return models.Image{MediaType: "image/png", Data: []byte(user + id)}, nil
	}
	settings := session.Settings{
		Model: "m", Workspace: "/w", Repository: []session.Instruction{{Text: "Use tabs."}},
		Tools: []session.ClientTool{{Name: "click", Description: "Clicks", Risk: agent.Risky, Input: json.RawMessage("{\n \"type\": \"object\"}")}},
	}
	b.Open(settings)
	for i, parts := range [][]session.Part{
		{{Artifact: "a.png"}, {Text: "<m>"}, {Text: "an older note", Untrusted: true}, {Text: "</m>What time is it?"}},
		{{Text: "And now?"}},
	} {
		before := len(b.Model.Requests())
		shown, err := b.Sessions.Preview(t.Context(), session.Draft{Session: one, User: ada, Settings: settings, Parts: parts})
		if err != nil {
			t.Fatal(err)
		}
		again, err := b.Sessions.Preview(t.Context(), session.Draft{Session: one, User: ada, Settings: settings, Parts: parts})
		if err != nil || bytesOf(t, again.Request) != bytesOf(t, shown.Request) {
			t.Errorf("the same state shows %s, %v", bytesOf(t, again.Request), err)
		}
		if len(b.Model.Requests()) != before {
			t.Fatal("a preview asked the model")
		}
		if _, err := b.Sessions.Start(t.Context(), one, ada, parts, session.Reject); err != nil {
			t.Fatal(err)
		}
		b.UntilNth(session.KindTurnEnded, i+1)
		state, err := b.Sessions.State(t.Context(), one, ada)
		if err != nil {
			t.Fatal(err)
		}
		sent := b.Model.Requests()[before]
		fence := fenceOf(state, "an older note")
		want := strings.ReplaceAll(bytesOf(t, shown.Request), "mark2mark2mark2mark2mark2m", fence)
		if got := bytesOf(t, sent); got != want {
			t.Errorf("turn %d sent\n%s\nand not\n%s", i, got, want)
		}
		if got, want := shown.Tokens.Total(), models.Estimate(shown.Request); got != want || shown.Tokens.System == 0 || shown.Tokens.Tools == 0 || shown.Tokens.Repository == 0 || shown.Tokens.Query == 0 {
			t.Errorf("%+v, %d and not %d", shown.Tokens, got, want)
		}
		if (shown.Tokens.Memory > 0) != (i == 0) || (shown.Tokens.History > 0) != (i == 1) {
			t.Errorf("turn %d: %+v", i, shown.Tokens)
		}
	}
}

// fenceOf returns the fence of the message that holds a text.
func fenceOf(s *session.State, text string) string {
	for _, m := range s.Messages {
		for _, p := range m.Parts {
			if p.Text == text {
				return m.Fence
			}
		}
	}
	return ""
}

// A history of its own goes in place of the session's, and a model that cannot
// be asked for want of a key is no obstacle. Others are.
func TestPreviewDrafts(t *testing.T) {
	t.Parallel()
	b := agenttest.New(t).Open(session.Settings{})
	b.Start("hi")
	b.UntilNth(session.KindTurnEnded, 1)
	draft := session.Draft{Session: one, User: ada, History: []session.Message{session.Text(models.User, "before")}, Parts: []session.Part{{Text: "now"}}}
	shown, err := b.Sessions.Preview(t.Context(), draft)
	if err != nil || len(shown.Request.Messages) != 2 || allText(shown.Request.Messages[0].Parts) != "before" {
		t.Errorf("%+v, %v", shown, err)
	}
	draft.User = "eve"
	if shown, err = b.Sessions.Preview(t.Context(), session.Draft{Session: one, User: "eve", Parts: []session.Part{{Text: "now"}}}); err != nil || len(shown.Request.Messages) != 1 {
		t.Errorf("somebody else's session shows %+v, %v", shown, err)
	}
	for code, fine := range map[sdkapi.Code]bool{sdkapi.ModelUnavailable: true, sdkapi.ValidationError: false} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			b.Config.Model = func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
				return nil, models.Request{}, fault.New("test", code, "no model")
			}
			if _, err := session.New(b.Config).Preview(t.Context(), draft); (err == nil) != fine {
				t.Errorf("%s: %v", code, err)
			}
		})
	}
}

// The tokens of a session are those of all rounds of all its turns.
func TestTokensOfASession(t *testing.T) {
	t.Parallel()
	b := agenttest.New(t, agenttest.Calling("1", "clock_now", `{}`), agenttest.Saying("Noon.")).Tool("clock.now", agent.Safe, nil).Open(session.Settings{})
	b.Start("hi")
	b.UntilNth(session.KindTurnEnded, 1)
	b.Start("again")
	b.UntilNth(session.KindTurnEnded, 2)
	state, err := b.Sessions.State(t.Context(), one, ada)
	if err != nil || state.Tokens != 3*15 {
		t.Errorf("%d tokens, %v", state.Tokens, err)
	}
	if answered := agenttest.Last[session.ModelAnswered](t, b.Until(session.KindModelAnswered)); answered.Tokens != 15 {
		t.Errorf("the first answer: %+v", answered)
	}
}
