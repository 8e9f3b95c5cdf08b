package agenttest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/models/providers"
	"github.com/windieos/windie/sdkapi"
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

// repaired says which faults another history may mend, and how often a server
// has to fail until the history is condensed; the others end the turn at once.
var repaired = map[modelstest.Fault]int{
	modelstest.ContextFull: 1, modelstest.EchoedKey: 1, modelstest.LongError: 1, modelstest.EchoedMidway: 1,
	modelstest.BadJSON: 1, modelstest.BadUTF8: 1, modelstest.WrongShape: 1, modelstest.LongLine: 1,
	modelstest.EndlessText: 1, modelstest.EndlessThink: 1, modelstest.EndlessInput: 1, modelstest.EndlessCalls: 1,
	modelstest.ResetMidway: 2, modelstest.HalfStream: 2, modelstest.HalfLine: 2, modelstest.ErrorMidway: 2,
}

// large are the faults of many megabytes. One protocol shows what sessions make
// of them, and one of them that they may come again and again.
var large = []modelstest.Fault{
	modelstest.LongError, modelstest.LongLine, modelstest.EndlessText, modelstest.EndlessThink, modelstest.EndlessInput, modelstest.EndlessCalls,
}

// A session that asks a provider's server ends well whatever the server does:
// with the answer to a condensed history, or with a message for the user, also
// where the server goes on to fail.
func TestServerFails(t *testing.T) {
	t.Parallel()
	for f, code := range modelstest.Faults() {
		if f == modelstest.KeepAlives || f == modelstest.SlowBytes || f == modelstest.Silence {
			continue // they take as long as models.Retry waits
		}
		for _, inVain := range []bool{false, true} {
			for _, protocol := range []modelstest.Protocol{modelstest.OpenAI, modelstest.Anthropic, modelstest.Gemini} {
				if slices.Contains(large, f) && (protocol.Kind != modelstest.OpenAI.Kind || inVain && f != modelstest.EndlessText) {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, in vain %v", protocol.Kind, f, inVain), func(t *testing.T) {
					t.Parallel()
					serverFails(t, protocol, f, code, inVain)
				})
			}
		}
	}
}

// serverFails has a turn with a server that fails, as often as it takes to
// condense the history, or again and again.
func serverFails(t *testing.T, protocol modelstest.Protocol, f modelstest.Fault, code sdkapi.Code, inVain bool) {
	t.Helper()
	times := repaired[f]
	if other := protocol.Code(f); other != code { // the library passes over the fault, and then the answer breaks off
		times, code = 2, other
	}
	replies := make([]agenttest.Reply, max(1, times), 3)
	for i := range replies {
		replies[i].Fault = f
	}
	if !inVain {
		replies = append(replies, agenttest.Reply{Text: []string{"Better."}})
	}
	server := modelstest.Serve(t, protocol, replies...)
	model := open(t, protocol, server.URL)
	b := agenttest.New(t)
	b.Config.Model = b.Ask(model)
	b.Open(session.Settings{}).Start("Well?")
	events := b.Until(session.KindTurnEnded)
	ended := agenttest.Last[session.TurnEnded](t, events)
	mended := ended.Reason == session.EndDone && ended.Answer == "Better." && len(server.Asked()) == times+1
	failed := ended.Reason == session.EndFailed && ended.Code == code && ended.Message != "" && len(server.Asked()) == times+1
	if times > 0 && !inVain && !mended || (times == 0 || inVain) && !failed {
		t.Errorf("ended %+v after %d requests", ended, len(server.Asked()))
	}
	if n := strings.Count(agenttest.Kinds(events), session.KindRepaired); n != min(1, times) {
		t.Errorf("repaired %d times: %s", n, agenttest.Kinds(events))
	}
	for _, e := range events {
		if strings.Contains(string(e.Data), "canary") {
			t.Errorf("the key is told: %s", e.Data)
		}
	}
}

// open returns the model behind a server of that protocol.
func open(t *testing.T, protocol modelstest.Protocol, url string) models.Model {
	t.Helper()
	model, err := providers.OpenModel(models.Provider{ID: string(protocol.Kind), Kind: protocol.Kind, BaseURL: url}, models.NewSecret("sk-canary"))
	if err != nil {
		t.Fatal(err)
	}
	return model
}
