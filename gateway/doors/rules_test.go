package doors_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A person says once which calls are asked about; an agent, which has no key, neither sees nor says it.
func TestRules(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	cfg := documentedConfig(t, false, &ran)
	cfg.ApprovalKey = localKey
	url := gatewaytest.Start(t, cfg)
	ada, bob := clientOf(t, url, sdk.WithUser("ada"), sdk.WithKey(localKey)), clientOf(t, url, sdk.WithUser("bob"), sdk.WithKey(localKey))
	if rules, err := ada.Decisions.Rules(t.Context()); err != nil || len(rules) != 0 {
		t.Fatalf("before any were made: %v, %v", rules, err)
	}
	mine := []sdkapi.WSPolicyRule{{Tool: "memory.write", Verdict: "allow"}, {Tool: "mcp_*", Risk: "risky", Verdict: "deny", Reason: "not here"}}
	if err := ada.Decisions.SetRules(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	if rules, err := ada.Decisions.Rules(t.Context()); err != nil || len(rules) != 2 || rules[1] != mine[1] {
		t.Errorf("what was said: %v, %v", rules, err)
	}
	if rules, err := bob.Decisions.Rules(t.Context()); err != nil || len(rules) != 0 {
		t.Errorf("another user's: %v, %v", rules, err)
	}
	for name, wrong := range map[string][]sdkapi.WSPolicyRule{
		"a verdict that there is not": {{Tool: "x", Verdict: "perhaps"}}, "no tool": {{Verdict: "allow"}}, "no pattern": {{Tool: "[", Verdict: "allow"}},
		"too many": make([]sdkapi.WSPolicyRule, 201),
	} {
		t.Run(name, func(t *testing.T) {
			if err := ada.Decisions.SetRules(t.Context(), wrong); !errors.Is(err, &sdkapi.Error{Code: sdkapi.ValidationError}) {
				t.Errorf("%v; want VALIDATION_ERROR", err)
			}
		})
	}
	if rules, _ := ada.Decisions.Rules(t.Context()); len(rules) != 2 {
		t.Errorf("after rules that are none: %v", rules)
	}
	agent := clientOf(t, url, sdk.WithUser("ada"))
	if err := agent.Decisions.SetRules(t.Context(), nil); !errors.Is(err, &sdkapi.Error{Code: sdkapi.KeyRequired}) {
		t.Errorf("without the key: %v", err)
	}
	if resp, body := get(t, url+sdkapi.RulesPath); resp.StatusCode != http.StatusForbidden || strings.Contains(body, "memory.write") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}
