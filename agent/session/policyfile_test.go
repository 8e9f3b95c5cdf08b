package session_test

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
)

func TestParsePolicy(t *testing.T) {
	t.Parallel()
	want := session.Policy{
		{Tool: "shell.*", Verdict: session.Deny, Reason: "no shells"},
		{Tool: "*", Risk: agent.Risky, Verdict: session.Allow, Untrusted: true},
	}
	for name, text := range map[string]string{
		"YAML": "# ours\n- tool: shell.*\n  verdict: deny\n  reason: no shells\n- {tool: '*', risk: risky, verdict: allow, untrusted: true}\n",
		"JSON": `[{"tool":"shell.*","verdict":"deny","reason":"no shells"},{"tool":"*","risk":"risky","verdict":"allow","untrusted":true}]`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := session.ParsePolicy([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		})
	}
	for _, text := range []string{"", "# nothing\n", "[]"} {
		if got, err := session.ParsePolicy([]byte(text)); err != nil || len(got) > 0 {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	long := strings.Repeat("- {tool: a, verdict: ask}\n", session.MaxRules+1)
	for text, want := range map[string]string{
		"tool: a":                         "line 1: expected a list",
		"- a\n":                           "line 1: expected a rule",
		"- tool: a\n  verdict: never\n":   "line 2: verdict: expected one of [allow ask deny]",
		"- verdict: ask\n":                "line 1: tool: expected",
		"\n- tool: '['\n  verdict: ask\n": "line 2: tool: expected",
		"- tool: a\n  verdict: ask\n  risc: safe\n":           `line 3: unknown field "risc"`,
		"- tool: a\n  verdict: ask\n  risk: high\n":           "line 3: risk: expected",
		"- tool: a\n  tool: b\n  verdict: ask\n":              "line 2: duplicate field tool",
		"- tool: a\n  verdict: deny\n  untrusted: true\n":     "line 3: untrusted: expected",
		"- tool: a\n  verdict: allow\n  untrusted: perhaps\n": "line 3: untrusted: expected",
		"- tool: [a]\n  verdict: ask\n":                       "line 1: tool: expected one value",
		"- tool: a\n  verdict: ask\n--- \n- tool: b\n":        "expected a single YAML document",
		"- tool: *a\n": "expected YAML",
		long:           fmt.Sprintf("line %d: expected at most", session.MaxRules+1),
		strings.Repeat("#", session.MaxPolicyFile+1): "bytes",
	} {
		t.Run(fmt.Sprintf("%.60q", text), func(t *testing.T) {
			_, err := session.ParsePolicy([]byte(text))
			if err == nil {
				t.Errorf("%.40q is a policy", text)
				return
			}
			var told []string
			for _, f := range fault.From(err).Details.Fields {
				told = append(told, f.Path+": "+f.Message)
			}
			if got := strings.Join(told, "\n"); !strings.Contains(got, want) {
				t.Errorf("%.40q: %s", text, got)
			}
		})
	}
	if _, err := session.ParsePolicy([]byte(strings.Repeat("- {tool: a, verdict: ask}\n", session.MaxRules))); err != nil {
		t.Errorf("as many rules as there may be: %v", err)
	}
}

// The guide's policy is one.
func TestGuidesPolicy(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/agent.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(guide), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	policy, err := session.ParsePolicy([]byte(text))
	if err != nil || len(policy) != 3 {
		t.Fatalf("%+v, %v", policy, err)
	}
	if v, why := policy.Judge("shell_run", agent.Risky, false); v != session.Deny || why != "no shells on this machine" {
		t.Errorf("a shell: %s, %s", v, why)
	}
}

// The strongest of the three layers holds. What a user allows relaxes no rule
// of the deployment, and takes the place of the question where it has none.
func TestLayers(t *testing.T) {
	t.Parallel()
	rule := func(v session.Verdict) session.Policy { return session.Policy{{Tool: "shell.*", Verdict: v}} }
	for name, tt := range map[string]struct {
		deployment, user, session session.Policy
		want                      string // what comes of the call
	}{
		"nothing":               {nil, nil, nil, "asked"},
		"the user allows":       {nil, rule(session.Allow), nil, "done"},
		"the session allows":    {nil, nil, rule(session.Allow), "done"},
		"the deployment asks":   {rule(session.Ask), rule(session.Allow), rule(session.Allow), "asked"},
		"the deployment denies": {rule(session.Deny), rule(session.Allow), rule(session.Allow), "refused"},
		"the user asks":         {rule(session.Allow), rule(session.Ask), nil, "asked"},
		"the user denies":       {rule(session.Allow), rule(session.Deny), rule(session.Allow), "refused"},
		"the session denies":    {rule(session.Allow), rule(session.Allow), rule(session.Deny), "refused"},
		"the session asks":      {rule(session.Allow), nil, rule(session.Ask), "asked"},
		"the deployment allows": {rule(session.Allow), nil, nil, "done"},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, agenttest.Calling("c1", "shell_run", `{}`)).Tool("shell.run", agent.Risky, nil)
				b.Config.Policy = tt.deployment
				b.Config.UserPolicy = func(_ context.Context, user string) (session.Policy, error) {
					if user != ada {
						t.Errorf("the rules of %q are asked for", user)
					}
					return tt.user, nil
				}
				b.Open(session.Settings{Policy: tt.session}).Start("go")
				events := b.Until(session.KindTurnEnded)
				got := b.State().Messages[2].Parts[0].Result.Parts[0].Text
				switch {
				case strings.Contains(agenttest.Kinds(events), session.KindApprovalRequested):
					got = "asked"
				case strings.Contains(agenttest.Kinds(events), session.KindToolStarted):
					got = "done"
				case strings.Contains(got, "Not allowed"):
					got = "refused"
				}
				if got != tt.want {
					t.Errorf("the call was %s", got)
				}
			})
		})
	}
}
