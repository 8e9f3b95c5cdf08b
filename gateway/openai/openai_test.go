package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// What a client is answered is one answer, whose calls of the gateway's tools it does not see, and whose usage it does; a bound
// of it is one that can be counted.
func TestOpenAIAnswers(t *testing.T) {
	t.Parallel()
	url := doorstest.OpenaiGateway(t)
	for name, tt := range map[string]struct {
		say, fields string
		status      int
		has, hasNot []string
	}{
		"a call of ours":          {"call time_now {}", "", 200, []string{`"content":"time_now gave 10:00 AM"`, `"finish_reason":"stop"`, `"total_tokens":32`}, []string{"tool_calls"}},
		"the same in pieces":      {"call time_now {}", `,"stream":true`, 200, []string{`"content":"AM"`, `"finish_reason":"stop"`}, []string{"tool_calls"}},
		"a call of nobody's":      {"call else {}", "", 200, []string{`"tool_calls":[{`, `"name":"else"`, `"finish_reason":"tool_calls"`}, nil},
		"one in pieces":           {"call else {}", `,"stream":true`, 200, []string{`"tool_calls":[{"index":0`, `"finish_reason":"tool_calls"`}, nil},
		"stopped":                 {"say one two three", `,"stop":"three"`, 200, []string{`"content":"one two "`, `"finish_reason":"stop"`, `"completion_tokens":3`}, []string{`"total_tokens":0`, `"prompt_tokens":0`}},
		"stopped in pieces":       {"say one two three", `,"stop":"three","stream":true,"stream_options":{"include_usage":true}`, 200, []string{`"completion_tokens":3`, "[DONE]"}, []string{`"total_tokens":0`}},
		"many tokens":             {"say one", `,"max_tokens":1000000`, 200, []string{`"content":"one"`}, nil},
		"the most":                {"say one", `,"max_completion_tokens":16777216`, 200, []string{`"content":"one"`}, nil},
		"one more":                {"say one", `,"max_completion_tokens":16777217`, 422, []string{"body.max_completion_tokens: expected 1 to 16777216"}, nil},
		"by the older name":       {"say one", `,"max_tokens":16777217`, 422, []string{"body.max_tokens: expected 1 to 16777216"}, nil},
		"hidden by the new one":   {"say one", `,"max_tokens":9223372036854775807,"max_completion_tokens":5`, 422, []string{"body.max_tokens"}, nil},
		"less than one":           {"say one", `,"max_tokens":0`, 422, []string{"body.max_tokens"}, nil},
		"more than any number is": {"say one", `,"max_tokens":9223372036854775808`, 422, []string{"body.max_tokens"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, answer := doorstest.AskWith(t, http.MethodPost, url+sdkapi.OpenAIChatPath, fmt.Sprintf(`{"model":"default","messages":[{"role":"user","content":%q}]%s}`, tt.say, tt.fields))
			for _, part := range tt.has {
				if !strings.Contains(answer, part) {
					t.Errorf("it lacks %s", part)
				}
			}
			for _, part := range tt.hasNot {
				if strings.Contains(answer, part) {
					t.Errorf("it has %s", part)
				}
			}
			if status != tt.status || t.Failed() {
				t.Errorf("%d %s", status, answer)
			}
		})
	}
}

// The rules of the deployment and of the user hold for the gateway's tools, at the time of the call too, and each call is charged.
func TestOpenAIRules(t *testing.T) {
	t.Parallel()
	deny := session.Policy{{Tool: "time_now", Verdict: session.Deny, Reason: "no clocks"}}
	ask := session.Policy{{Tool: "time_now", Verdict: session.Ask, Reason: "clocks with care"}}
	for name, tt := range map[string]struct {
		deployment    session.Policy
		before, after session.Policy // of the user: when tools are offered, and when one is called
		calls         int            // that a user may make in a minute; 0 for any number
		offered       bool
		answer        string
	}{
		"none":            {offered: true, answer: "time_now gave 10:00 AM"},
		"forbidden":       {deployment: deny, answer: "time_now gave not allowed: no clocks"},
		"asked about":     {deployment: ask, answer: "time_now gave not allowed: clocks with care"},
		"by the user":     {before: deny, after: deny, answer: "time_now gave not allowed: no clocks"},
		"in the meantime": {after: deny, offered: true, answer: "time_now gave not allowed: no clocks"},
		"too many calls":  {calls: 2, offered: true, answer: "time_now gave tool calls are limited to 2 per minute"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, tools := journaltest.NewMemory(), doorstest.RegistryOf(t, doorstest.ClockTool)
			var asked atomic.Int64
			all := session.New(session.Config{Journal: log, Tools: tools, Policy: tt.deployment, UserPolicy: func(context.Context, string) (session.Policy, error) {
				if asked.Add(1) <= 2 { // both requests offer tools first
					return tt.before, nil
				}
				return tt.after, nil
			}})
			t.Cleanup(all.Close)
			url := gatewaytest.Start(t, gateway.App{
				Models: doorstest.ModelAlone{Model: &doorstest.Obedient{Left: make(chan struct{}, 1)}}, Sessions: all, Journal: journal.Count(log),
				Store: new(storetest.Memory), Scenes: gatewaytest.Scenes(t), Tools: tools, Limits: quota.Limits{AddressToolCalls: tt.calls},
				OpenAITools: func(agent.Descriptor) bool { return true },
			})
			chat := func(say string) string {
				status, answer := doorstest.AskWith(t, http.MethodPost, url+sdkapi.OpenAIChatPath, fmt.Sprintf(`{"model":"default","messages":[{"role":"user","content":%q}]}`, say))
				if status != http.StatusOK {
					t.Errorf("%d %s", status, answer)
				}
				return answer
			}
			if offered := chat("tools"); strings.Contains(offered, "time_now") != tt.offered {
				t.Errorf("offered is %s", offered)
			}
			if answer := chat("call time_now {}"); !strings.Contains(answer, tt.answer) {
				t.Errorf("%s, and not %q", answer, tt.answer)
			}
		})
	}
}

// restless is a model that calls a tool in every answer.
type restless struct{ asked atomic.Int64 }

func (m *restless) Stream(context.Context, models.Request) iter.Seq2[models.Event, error] {
	n := m.asked.Add(1)
	return func(yield func(models.Event, error) bool) {
		call := &models.Call{ID: fmt.Sprint("call_", n), Name: "time_now", Arguments: json.RawMessage("{}")}
		_ = yield(models.Event{Kind: models.ToolCall, Call: call}, nil) && yield(models.Event{Kind: models.End, End: models.ToolCalls}, nil)
	}
}

// An answer whose model calls the gateway's tools without end is cut off. The client sees no call.
func TestOpenAIEndsRounds(t *testing.T) {
	t.Parallel()
	model := new(restless)
	url := gatewaytest.Start(t, gateway.App{
		Models: doorstest.ModelAlone{Model: model}, Store: new(storetest.Memory), Scenes: gatewaytest.Scenes(t),
		Tools: doorstest.RegistryOf(t, doorstest.ClockTool), OpenAITools: func(agent.Descriptor) bool { return true },
	})
	status, answer := doorstest.AskWith(t, http.MethodPost, url+sdkapi.OpenAIChatPath, `{"model":"default","messages":[{"role":"user","content":"hello"}]}`)
	if status != http.StatusOK || strings.Contains(answer, "tool_calls") || !strings.Contains(answer, `"finish_reason":"length"`) || model.asked.Load() != 10 {
		t.Errorf("after %d rounds: %d %s", model.asked.Load(), status, answer)
	}
}
