package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent/session"
)

// The limits of turns that an operator does not set are those of sessions, and
// each has bounds.
func TestAgentLimits(t *testing.T) {
	t.Parallel()
	c, err := loadWith(t, nil, nil, "")
	if err != nil || c.Agent.limits() != session.DefaultLimits() {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = loadWith(t, []string{"--agent-rounds", "7"}, []string{"WINDIE_AGENT_WALL_TIME=5m"}, "agent:\n  tokens: 2\n")
	if err != nil || c.Agent.Rounds != 7 || c.Agent.WallTime != 5*time.Minute || c.Agent.Tokens != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = loadWith(t, nil, []string{
		"WINDIE_AGENT_ROUNDS=0", "WINDIE_AGENT_TOKENS=-1", "WINDIE_AGENT_WALL_TIME=25h", "WINDIE_AGENT_ANSWER_TIME=999ms",
	}, "")
	for _, name := range []string{"agent.rounds", "agent.tokens", "agent.wall_time", "agent.answer_time"} {
		if err == nil || !strings.Contains(err.Error(), name+" (WINDIE_AGENT_") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := loadWith(t, nil, []string{"WINDIE_AGENT_WALL_TIME=24h"}, ""); err != nil {
		t.Error(err)
	}
}

// A gateway does not start with a policy that is wrong, and says where.
func TestServeReadsPolicy(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte("- tool: shell_*\n  verdict: deny\n- tool: '['\n  verdict: perhaps\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := loadWith(t, nil, []string{"WINDIE_POLICY_FILE=" + file}, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Agent.policy()
	if err == nil || !strings.Contains(err.Error(), file+":3: tool: ") || !strings.Contains(err.Error(), file+":4: verdict: ") {
		t.Errorf("it says %v", err)
	}
	c.Agent.Policy = filepath.Join(t.TempDir(), "none.yaml")
	if _, err := c.Agent.policy(); err == nil || !strings.Contains(err.Error(), "WINDIE_POLICY_FILE") {
		t.Errorf("of a file that is not there: %v", err)
	}
}
