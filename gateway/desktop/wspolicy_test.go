package desktop_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// Rules that a user makes hold for the next call, and until they are changed.
func TestWSPolicy(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
	cfg.ApprovalKey = doorstest.TestKey
	p := doorstest.DialWith(t, gatewaytest.Start(t, cfg), doorstest.Hello, http.Header{sdkapi.KeyHeader: {doorstest.TestKey}})
	update := func(payload string) {
		t.Helper()
		p.Send("update-settings", payload)
		if m := p.Next(); m.Type != "settings-updated" {
			t.Fatalf("%s: %s %s", payload, m.Type, m.Payload)
		}
	}
	query := func() string {
		t.Helper()
		p.Send("query", `{"text":"click 10, 20","conversation_ref":"c1"}`)
		for {
			switch m := p.Next(); m.Type {
			case "approval-request":
				p.Send("approval-decision", `{"request_id":`+strings.SplitN(strings.SplitN(string(m.Payload), `"request_id":`, 2)[1], ",", 2)[0]+`,"approved":false}`)
				p.Until("streaming-complete")
				return "asked " + string(m.Payload)
			case "tool-output":
				p.Until("streaming-complete")
				return string(m.Payload)
			case "tool-call":
				t.Fatalf("the client is asked: %s", m.Payload)
			}
		}
	}
	update(`{"policy":[{"tool":"mouse_*","verdict":"deny","reason":"not with my mouse"},{"tool":"a","verdict":"ask","risk":"risky"}]}`)
	if got := query(); !strings.Contains(got, "not with my mouse") {
		t.Errorf("the call: %s", got)
	}
	update(`{"wakeword_enabled":true}`) // and leaves the rules
	if got := query(); !strings.Contains(got, "not with my mouse") {
		t.Errorf("the call: %s", got)
	}
	update(`{"policy":[{"tool":"mouse_*","verdict":"ask"}]}`)
	if got := query(); !strings.HasPrefix(got, "asked") || strings.Contains(got, "not with my mouse") {
		t.Errorf("the call: %s", got)
	}
	p.Send("load-settings", `{}`)
	if m := p.Next(); !strings.Contains(string(m.Payload), `"policy":[{"tool":"mouse_*","verdict":"ask"}]`) {
		t.Errorf("the settings are %s", m.Payload)
	}
	for payload, want := range map[string]string{
		`{"policy":[{"tool":"a","verdict":"never"}]}`:                  "VALIDATION_ERROR",
		`{"policy":[{"tool":"a","verdict":"allow","untrusted":true}]}`: "unknown field",
		`{"policy":{"tool":"a"}}`:                                      "policy",
	} {
		t.Run(payload, func(t *testing.T) {
			p.Send("update-settings", payload)
			if m := p.Next(); m.Type != "error" || !strings.Contains(string(m.Payload), want) {
				t.Errorf("%s: %s %s", payload, m.Type, m.Payload)
			}
		})
	}
	update(`{"policy":null}`)
	p.Send("load-settings", `{}`)
	if m := p.Next(); strings.Contains(string(m.Payload), `"policy"`) {
		t.Errorf("the settings are %s", m.Payload)
	}
}

// Without the key, a client of a local gateway can have more asked about or denied, and not
// less: it would let through what only a person may, see PUT /api/rules.
func TestWSPolicyAsksForTheKey(t *testing.T) {
	t.Parallel()
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
	cfg.ApprovalKey = doorstest.TestKey
	url := gatewaytest.Start(t, cfg)
	const before = `[{"tool":"a","verdict":"deny"},{"tool":"b","verdict":"ask","reason":"mine"},{"tool":"c","risk":"safe","verdict":"allow"}]`
	for name, tt := range map[string]struct {
		rules string
		fine  bool
	}{
		"the same":                {before, true},
		"in another order":        {`[{"tool":"c","risk":"safe","verdict":"allow"},{"tool":"b","verdict":"ask","reason":"mine"},{"tool":"a","verdict":"deny"}]`, true},
		"another reason":          {strings.Replace(before, "mine", "yours", 1), true},
		"one more that denies":    {strings.Replace(before, "[", `[{"tool":"*","verdict":"deny"},`, 1), true},
		"one more that asks":      {strings.Replace(before, "[", `[{"tool":"*","verdict":"ask"},`, 1), true},
		"one less that allows":    {`[{"tool":"a","verdict":"deny"},{"tool":"b","verdict":"ask"}]`, true},
		"one more that allows":    {strings.Replace(before, "[", `[{"tool":"*","verdict":"allow"},`, 1), false},
		"one that allows more":    {strings.Replace(before, `"risk":"safe",`, "", 1), false},
		"a denial gone":           {`[{"tool":"b","verdict":"ask"}]`, false},
		"a question gone":         {`[{"tool":"a","verdict":"deny"}]`, false},
		"a question for a denial": {`[{"tool":"a","verdict":"ask"},{"tool":"b","verdict":"ask"}]`, false},
		"a denial of less":        {`[{"tool":"a","risk":"safe","verdict":"deny"},{"tool":"b","verdict":"ask"}]`, false},
		"none":                    {"[]", false},
		"null":                    {"null", false},
	} {
		t.Run(name, func(t *testing.T) {
			const rules = `{"rules":` + before + `}`
			if status, body := doorstest.AskKeyed(t, http.MethodPut, url+sdkapi.RulesPath, "ada", rules); status != http.StatusOK {
				t.Fatalf("%d %s", status, body)
			}
			got := doorstest.Dial(t, url, `{"type":"handshake","user_id":"ada"}`).Update(`{"wakeword_enabled":true,"policy":` + tt.rules + `}`)
			if fine := got == `{"updated_keys":["policy","wakeword_enabled"]}`; fine != tt.fine || !fine && !strings.Contains(got, string(sdkapi.KeyRequired)) {
				t.Errorf("without the key: %s", got)
			}
			if _, now := doorstest.AskKeyed(t, http.MethodGet, url+sdkapi.RulesPath, "ada", ""); !tt.fine && !strings.Contains(now, before) {
				t.Errorf("after a refusal the rules are %s", now)
			}
			keyed := doorstest.DialWith(t, url, `{"type":"handshake","user_id":"ada"}`, http.Header{sdkapi.KeyHeader: {doorstest.TestKey}})
			if got := keyed.Update(`{"policy":` + tt.rules + `}`); got != `{"updated_keys":["policy"]}` {
				t.Errorf("with the key: %s", got)
			}
		})
	}
}
