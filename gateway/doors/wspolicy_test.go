package doors_test

import (
	"strings"
	"testing"
)

// Rules that a user makes hold for the next call, and until they are changed.
func TestWSPolicy(t *testing.T) {
	t.Parallel()
	p := dial(t, talking(t), hello)
	update := func(payload string) {
		t.Helper()
		p.send("update-settings", payload)
		if m := p.next(); m.Type != "settings-updated" {
			t.Fatalf("%s: %s %s", payload, m.Type, m.Payload)
		}
	}
	query := func() string {
		t.Helper()
		p.send("query", `{"text":"click 10, 20","conversation_ref":"c1"}`)
		for {
			switch m := p.next(); m.Type {
			case "approval-request":
				p.send("approval-decision", `{"request_id":`+strings.SplitN(strings.SplitN(string(m.Payload), `"request_id":`, 2)[1], ",", 2)[0]+`,"approved":false}`)
				p.until("streaming-complete")
				return "asked " + string(m.Payload)
			case "tool-output":
				p.until("streaming-complete")
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
	p.send("load-settings", `{}`)
	if m := p.next(); !strings.Contains(string(m.Payload), `"policy":[{"tool":"mouse_*","verdict":"ask"}]`) {
		t.Errorf("the settings are %s", m.Payload)
	}
	for payload, want := range map[string]string{
		`{"policy":[{"tool":"a","verdict":"never"}]}`:                  "VALIDATION_ERROR",
		`{"policy":[{"tool":"a","verdict":"allow","untrusted":true}]}`: "unknown field",
		`{"policy":{"tool":"a"}}`:                                      "policy",
	} {
		t.Run(payload, func(t *testing.T) {
			p.send("update-settings", payload)
			if m := p.next(); m.Type != "error" || !strings.Contains(string(m.Payload), want) {
				t.Errorf("%s: %s %s", payload, m.Type, m.Payload)
			}
		})
	}
	update(`{"policy":null}`)
	p.send("load-settings", `{}`)
	if m := p.next(); strings.Contains(string(m.Payload), `"policy"`) {
		t.Errorf("the settings are %s", m.Payload)
	}
}
