package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/delegate"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// addDelegates adds the flags that name the coding agents for tasks. Each description begins with
// when.
func addDelegates(cmd *cobra.Command, when string, delegates, keep *[]string) {
	cmd.Flags().StringArrayVar(delegates, "delegate", nil, when+"coding `AGENT` for delegated tasks: opencode, windie, or NAME=COMMAND, where COMMAND runs a program that speaks ACP; can be repeated")
	cmd.Flags().StringArrayVar(keep, "delegate-env", nil, when+"pass the environment `VARIABLE` to coding agents, even if its name looks like a secret, for example ANTHROPIC_API_KEY; can be repeated")
}

// delegateStep is the tool name for steps of coding agents, in rules and in questions to people.
const delegateStep = "delegate.step"

// delegatesOf returns the coding agents that flags name. data is the data folder for the agent
// windie.
func delegatesOf(names, keep []string, data string) (list []delegate.Agent, err error) {
	var p argumentError
	for _, text := range names {
		name, command, own := strings.Cut(text, "=")
		one := delegate.Agent{Name: name, Command: strings.Fields(command), Keep: keep}
		switch {
		case own && name != "" && len(one.Command) > 0:
		case !own && name == "opencode":
			one.Command, one.Env = delegate.Opencode().Command, delegate.Opencode().Env
		case !own && name == "windie":
			program, err := os.Executable()
			if err != nil {
				return nil, err
			}
			one.Command, one.Speaks, one.Keep = []string{program, "agent"}, delegate.Windie, []string{"*"}
			one.Env = []string{"WINDIE_DATA_DIR=" + data}
		default:
			p.add(true, "--delegate %q: expected opencode, windie, or NAME=COMMAND of a program that speaks the Agent Client Protocol", plain.Cut(text, 100))
		}
		list = append(list, one)
	}
	return list, p.orNil()
}

// whyStep explains to people why they are asked about a step.
func whyStep(s delegate.Step) string {
	return fmt.Sprintf("the agent %s requests it for its task: %s", s.Agent, s.Task)
}

// askThrough returns a function that asks a user of the gateway, as for a call over MCP: windie
// approvals, the console and the API can answer.
func askThrough(p parts) func(context.Context, agent.Call, delegate.Step) (bool, error) {
	return func(ctx context.Context, call agent.Call, step delegate.Step) (bool, error) {
		raw, err := json.Marshal(step)
		if err != nil {
			return false, err
		}
		user := call.User
		if user == "" {
			user = sdkapi.LocalUser
		}
		return approvals.Approvals{Log: p.app.Journal}.Wait(ctx, user, approvals.Asked{Tool: delegateStep, Arguments: raw, Why: whyStep(step)})
	}
}

// askedAs returns a function that asks about a step of a coding agent. It passes the step to ask as
// a call of the tool delegateStep.
func askedAs(ask asks) func(context.Context, agent.Call, delegate.Step) (bool, error) {
	return func(ctx context.Context, _ agent.Call, step delegate.Step) (bool, error) {
		raw, err := json.Marshal(step)
		if err != nil {
			return false, err
		}
		return ask(ctx, sdkapi.WSApprovalRequestPayload{ToolName: delegateStep, Parameters: raw, Reason: whyStep(step)})
	}
}
