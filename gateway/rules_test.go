package gateway_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A person says once which calls are asked about; an agent, which has no key, neither sees nor says it.
func TestRules(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	cfg := doorstest.DocumentedConfig(t, false, &ran)
	cfg.ApprovalKey = doorstest.LocalKey
	url := gatewaytest.Start(t, cfg)
	ada, bob := doorstest.ClientOf(t, url, sdk.WithUser("ada"), sdk.WithKey(doorstest.LocalKey)), doorstest.ClientOf(t, url, sdk.WithUser("bob"), sdk.WithKey(doorstest.LocalKey))
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
	if err := ada.Decisions.SetRules(t.Context(), slices.Repeat(mine, 100)); err != nil {
		t.Errorf("as many as there may be: %v", err)
	}
	for size, status := range map[int]int{1_638_400: http.StatusOK, 1_638_401: http.StatusRequestEntityTooLarge} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			if got := putRules(t, url, size); got != status {
				t.Errorf("a body of %d bytes: %d; want %d", size, got, status)
			}
		})
	}
	agent := doorstest.ClientOf(t, url, sdk.WithUser("ada"))
	if err := agent.Decisions.SetRules(t.Context(), nil); !errors.Is(err, &sdkapi.Error{Code: sdkapi.KeyRequired}) {
		t.Errorf("without the key: %v", err)
	}
	if resp, body := doorstest.Get(t, url+sdkapi.RulesPath); resp.StatusCode != http.StatusForbidden || strings.Contains(body, "memory.write") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// What is said at once of a user's rules and of other settings is all kept.
func TestRulesBesideSettings(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	cfg := doorstest.DocumentedConfig(t, false, &ran)
	cfg.ApprovalKey = doorstest.LocalKey
	url := gatewaytest.Start(t, cfg)
	p, person := doorstest.Dial(t, url, doorstest.Hello), doorstest.ClientOf(t, url, sdk.WithUser("ada"), sdk.WithKey(doorstest.LocalKey))
	for i := range 20 {
		rules, speech := []sdkapi.WSPolicyRule{{Tool: "tool_" + strconv.Itoa(i), Verdict: "deny"}}, i%2 == 0
		var said sync.WaitGroup
		said.Go(func() {
			if err := person.Decisions.SetRules(t.Context(), rules); err != nil {
				t.Error(err)
			}
		})
		p.Update(`{"speech_mode_enabled":` + strconv.FormatBool(speech) + `}`)
		said.Wait()
		if got, err := person.Decisions.Rules(t.Context()); err != nil || !slices.Equal(got, rules) || p.Settings().SpeechModeEnabled != speech {
			t.Fatalf("round %d: %v, %v, and speech is %v; want %v and %v", i, got, err, !speech, rules, speech)
		}
	}
}

// putRules sends a body of a size without rules, and returns the status of the answer.
func putRules(t *testing.T, url string, size int) int {
	t.Helper()
	const body = `{"rules":[]}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url+sdkapi.RulesPath, strings.NewReader(body+strings.Repeat(" ", size-len(body))))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, sdkapi.UserHeader: {"ada"}, sdkapi.KeyHeader: {doorstest.LocalKey}}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
