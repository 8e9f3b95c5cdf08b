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
	Policy      string        `key:"policy" env:"WINDIE_POLICY_FILE" is:"file" doc:"YAML or JSON file of rules, which say what models may call, and what is asked about first; without it, what can change something is asked about"`
	Rounds      int           `key:"rounds" env:"WINDIE_AGENT_ROUNDS" default:"50" min:"1" doc:"times that a model is asked in one turn"`
	Tokens      int           `key:"tokens" env:"WINDIE_AGENT_TOKENS" default:"1000000" min:"1" doc:"tokens that a turn may take, in all rounds together"`
	WallTime    time.Duration `key:"wall_time" env:"WINDIE_AGENT_WALL_TIME" default:"1h" min:"1s" max:"24h" doc:"longest time of a turn, waiting for people included"`
	Repeated    int           `key:"repeated" env:"WINDIE_AGENT_REPEATED" default:"3" min:"1" doc:"times that a model makes the very same call in one turn"`
	ResultBytes int           `key:"result_bytes" env:"WINDIE_AGENT_RESULT_BYTES" default:"65536" min:"1024" max:"163840" doc:"how much of one tool's text a model is shown, in bytes; the middle is left out of more"`
	Parallel    int           `key:"parallel" env:"WINDIE_AGENT_PARALLEL" default:"8" min:"1" max:"64" doc:"tools of one answer that run at once"`

	Token secret `key:"token" env:"WINDIE_AGENT_TOKEN" doc:"token of the install as which windie agent talks to a hosted gateway"`

	AnswerTime  time.Duration `key:"answer_time" env:"WINDIE_AGENT_ANSWER_TIME" default:"10m" min:"1s" max:"24h" doc:"how long a call waits for what its client does, or for the user's approval"`
	UnawareTime time.Duration `key:"unaware_time" env:"WINDIE_AGENT_UNAWARE_TIME" default:"2m" min:"1s" max:"24h" doc:"how long it waits for an approval where the client did not say that it knows of approvals"`
	ClientsAsk  bool          `key:"clients_ask" env:"WINDIE_AGENT_CLIENTS_ASK" default:"false" doc:"take each client of /ws that says nothing of approvals for one that asks its user by itself: calls of its own tools are sent to it at once, risky ones too"`
}

func (a agentSettings) limits() session.Limits {
	return session.Limits{Rounds: a.Rounds, Tokens: a.Tokens, WallTime: a.WallTime, Repeated: a.Repeated, ResultBytes: a.ResultBytes, Parallel: a.Parallel, Answer: a.AnswerTime, Unaware: a.UnawareTime}
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
		return "no file: what can change something is asked about", nil
	}
	return fmt.Sprintf("%d rules in %s", len(rules), c.Agent.Policy), nil
}
