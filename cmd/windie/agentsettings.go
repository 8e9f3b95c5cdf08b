package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
)

func (a agentSettings) limits() session.Limits {
	limits := session.DefaultLimits()
	limits.Rounds, limits.Tokens, limits.WallTime, limits.Answer = a.Rounds, a.Tokens, a.WallTime, a.AnswerTime
	return limits
}

// policy reads the deployment's rules. Its error has a line for each invalid
// rule, with the file's name and the line's number.
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
	wrong, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil, err
	}
	p := new(configError)
	for _, f := range wrong.Details.Fields {
		p.add(true, "agent.policy (WINDIE_POLICY_FILE): %s:%s: %s", a.Policy, strings.TrimPrefix(f.Path, "line "), f.Message)
	}
	return nil, p
}

func (c *config) checkPolicy(context.Context) (string, error) {
	rules, err := c.Agent.policy()
	switch {
	case err != nil:
		return "", err
	case c.Agent.Policy == "":
		return "no policy file: calls that change something need approval", nil
	}
	return fmt.Sprintf("%d rules in %s", len(rules), c.Agent.Policy), nil
}
