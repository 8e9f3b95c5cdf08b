package agenttest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBench(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Calling("c1", "text_upper", `{"text":"hi"}`), agenttest.Reply{Text: []string{"It is HI."}, Delay: time.Hour / 4})
		b.Tool("text.upper", agent.Safe, nil).Open(session.Settings{})
		began := time.Now()
		b.Start("Make hi large")
		ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded))
		if ended.Answer != "It is HI." || time.Since(began) != time.Hour/2 {
			t.Errorf("%+v after %v", ended, time.Since(began))
		}
		synctest.Wait()
		b.Start("more")
		if ended := agenttest.Last[session.TurnEnded](t, b.UntilNth(session.KindTurnEnded, 2)); ended.Answer != "Done." {
			t.Errorf("past the script: %+v", ended)
		}
		agenttest.Valid(t, b.Model.Requests()[2].Messages)
	})
}

// A session that asks a provider's server ends well whatever the server does,
// with a message for the user.
func TestServerFails(t *testing.T) {
	t.Parallel()
	for _, f := range []agenttest.Fault{"500", "429 with Retry-After", "the answer ends between two events", "200 with a web page"} {
		code, known := agenttest.Faults()[f]
		if !known {
			t.Fatalf("there is no fault %q", f)
		}
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			server := agenttest.Serve(t, agenttest.OpenAI, agenttest.Reply{Fault: f}, agenttest.Reply{Text: []string{"Better."}})
			model, err := openai.Open(openai.Config{BaseURL: server.URL, APIKey: models.NewSecret("sk-canary")})
			if err != nil {
				t.Fatal(err)
			}
			b := agenttest.New(t)
			b.Config.Model = b.Ask(model)
			b.Open(session.Settings{}).Start("Well?")
			events := b.Until(session.KindTurnEnded)
			if ended := agenttest.Last[session.TurnEnded](t, events); ended.Code != code || ended.Message == "" {
				t.Errorf("ended %+v", ended)
			}
			for _, e := range events {
				if strings.Contains(string(e.Data), "canary") {
					t.Errorf("the key is told: %s", e.Data)
				}
			}
		})
	}
}
