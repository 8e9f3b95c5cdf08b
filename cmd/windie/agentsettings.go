package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
)

// agentSettings are the settings of what models may do in a turn, see docs/agent.md.
type agentSettings struct {
	Policy   string        `key:"policy" env:"WINDIE_POLICY_FILE" is:"file" doc:"YAML or JSON file of rules; each rule allows or denies calls of models, or requires approval for them; if empty, calls that change something need approval"`
	Rounds   int           `key:"rounds" env:"WINDIE_AGENT_ROUNDS" default:"50" min:"1" doc:"maximum model requests in a turn"`
	Tokens   int           `key:"tokens" env:"WINDIE_AGENT_TOKENS" default:"1000000" min:"1" doc:"maximum tokens in a turn, over all model requests"`
	WallTime time.Duration `key:"wall_time" env:"WINDIE_AGENT_WALL_TIME" default:"1h" min:"1s" max:"24h" doc:"maximum duration of a turn, including the time that it waits for people"`

	AnswerTime time.Duration `key:"answer_time" env:"WINDIE_AGENT_ANSWER_TIME" default:"10m" min:"1s" max:"24h" doc:"maximum time that a call waits for its client's result, or for the user's approval"`
	ClientsAsk bool          `key:"clients_ask" env:"WINDIE_AGENT_CLIENTS_ASK" default:"false" doc:"send risky calls of a client's own tools without asking for approval; set this if the clients themselves ask their users; applies to clients of /ws that do not set agent_definition.approvals"`
}

// limits returns the limits of a turn. Limits without a setting have their default.
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
