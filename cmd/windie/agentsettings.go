package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
)

// agentSettings are those of what models may do in a turn, see docs/agent.md.
type agentSettings struct {
	Policy      string        `key:"policy" env:"WINDIE_POLICY_FILE" doc:"YAML or JSON file of rules, which say what models may call, and what is asked about first; without it, what can change something is asked about"`
	Rounds      int           `key:"rounds" env:"WINDIE_AGENT_ROUNDS" default:"50" doc:"times that a model is asked in one turn"`
	Tokens      int           `key:"tokens" env:"WINDIE_AGENT_TOKENS" default:"1000000" doc:"tokens that a turn may take, in all rounds together"`
	WallTime    time.Duration `key:"wall_time" env:"WINDIE_AGENT_WALL_TIME" default:"1h" doc:"longest time of a turn, waiting for people included"`
	Repeated    int           `key:"repeated" env:"WINDIE_AGENT_REPEATED" default:"3" doc:"times that a model makes the very same call in one turn"`
	ResultBytes int           `key:"result_bytes" env:"WINDIE_AGENT_RESULT_BYTES" default:"65536" doc:"how much of one tool's text a model is shown, in bytes; the middle is left out of more"`
	Parallel    int           `key:"parallel" env:"WINDIE_AGENT_PARALLEL" default:"8" doc:"tools of one answer that run at once"`
	ClientWait  time.Duration `key:"client_wait" env:"WINDIE_AGENT_CLIENT_WAIT" default:"10m" doc:"how long a client that was asked to run a tool is waited for; then the model is told that nobody knows what came of it"`
}

// limits are what a turn may take.
func (a agentSettings) limits() session.Limits {
	return session.Limits{Rounds: a.Rounds, Tokens: a.Tokens, WallTime: a.WallTime, Repeated: a.Repeated, ResultBytes: a.ResultBytes, Parallel: a.Parallel, ClientWait: a.ClientWait}
}

// Bounds of what an operator can choose for turns.
const (
	minWallTime = time.Second
	maxWallTime = 24 * time.Hour
	minResult   = 1 << 10
	maxResult   = 160 << 10 // in JSON six times as many at most, which fits into an event
	maxParallel = 64
	minWait     = time.Second
	maxWait     = 24 * time.Hour
)

// check lists what is wrong with the values.
func (a agentSettings) check() []string {
	var p []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			p = append(p, fmt.Sprintf(format, args...))
		}
	}
	add(a.Rounds < 1, "agent.rounds (WINDIE_AGENT_ROUNDS): must be at least 1")
	add(a.Tokens < 1, "agent.tokens (WINDIE_AGENT_TOKENS): must be at least 1")
	add(a.WallTime < minWallTime || a.WallTime > maxWallTime, "agent.wall_time (WINDIE_AGENT_WALL_TIME): must be between %v and %v", minWallTime, maxWallTime)
	add(a.Repeated < 1, "agent.repeated (WINDIE_AGENT_REPEATED): must be at least 1")
	add(a.ResultBytes < minResult || a.ResultBytes > maxResult, "agent.result_bytes (WINDIE_AGENT_RESULT_BYTES): must be between %d and %d", minResult, maxResult)
	add(a.Parallel < 1 || a.Parallel > maxParallel, "agent.parallel (WINDIE_AGENT_PARALLEL): must be between 1 and %d", maxParallel)
	add(a.ClientWait < minWait || a.ClientWait > maxWait, "agent.client_wait (WINDIE_AGENT_CLIENT_WAIT): must be between %v and %v", minWait, maxWait)
	return p
}

// policy reads the deployment's rules. Its error has a line for each that is
// wrong, with the file's name and the number of the line there.
func (a agentSettings) policy() (session.Policy, error) {
	if a.Policy == "" {
		return nil, nil
	}
	text, err := os.ReadFile(a.Policy)
	if err != nil {
		return nil, &configError{[]string{fmt.Sprintf("agent.policy (WINDIE_POLICY_FILE): %v", err)}}
	}
	rules, err := session.ParsePolicy(text)
	if err == nil {
		return rules, nil
	}
	var wrong *fault.Error
	if !errors.As(err, &wrong) {
		return nil, err
	}
	problems := make([]string, len(wrong.Details.Fields))
	for i, f := range wrong.Details.Fields {
		problems[i] = fmt.Sprintf("agent.policy (WINDIE_POLICY_FILE): %s:%s: %s", a.Policy, strings.TrimPrefix(f.Path, "line "), f.Message)
	}
	return nil, &configError{problems}
}

// checkPolicy looks whether the deployment's rules can be read.
func (c *config) checkPolicy(context.Context) (string, error) {
	rules, err := c.Agent.policy()
	switch {
	case err != nil:
		return "", err
	case c.Agent.Policy == "":
		return "no file: what can change something is asked about", nil
	}
	return fmt.Sprintf("%d rules in %s", len(rules), c.Agent.Policy), nil
}
