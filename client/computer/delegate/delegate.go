// Package delegate has a tool that gives tasks to coding agents. The agents are installed on the
// user's machine.
//
//	hands := delegate.New(delegate.Options{Dir: "/home/ada/work", Agents: []delegate.Agent{delegate.Opencode()}, Ask: ask})
//	tools := hands.Tools()
//
// An agent is a program that speaks the Agent Client Protocol (ACP) over its standard input and
// output, or `windie agent`. It runs for the duration of a task, under a supervisor that ends every
// process that it leaves behind. A task is one or more turns: a message to the agent, and
// everything that it does until it stops. A step is an action for which the agent asks permission;
// Options.Ask decides.
//
// Agents stop early, get stuck, and claim to have written files that they did not write. A task is
// therefore done when
//
//   - the last turn has an answer, and this answer announces no work that did not follow, see
//     turn.incomplete;
//   - each stuck turn was aborted, and a new session got the task with the results so far;
//   - changed files are summarised, if the agent changed files without an answer;
//   - the files that the answer names exist, or are listed as missing.
package delegate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
)

// Limits of a task.
const (
	MaxTask   = 64 << 10 // maximum size of a task's text, in bytes
	MaxTime   = 4 * time.Hour
	MaxAnswer = 64 << 10 // maximum size of the stored part of an agent's answer, in bytes
	// MaxReplays is how often a task may start again in a new session if its agent is stuck.
	MaxReplays = 2
	// MaxGoOn is how often an agent may be asked to continue an incomplete task.
	MaxGoOn   = 3
	MaxListed = 200 // maximum number of files, and of steps, that are listed for a task
)

// DefaultTime is the time limit of a task if the call sets no limit. Gateways wait longer than
// this for a call.
const DefaultTime = 9 * time.Minute

// Protocols for talking to a program.
const (
	ACP    = "acp"    // the agent speaks the Agent Client Protocol over standard input and output
	Windie = "windie" // the agent is `windie agent --once`
)

// Agent is an installed coding agent.
type Agent struct {
	Name    string   // the agent's name for models
	Command []string // the program and its arguments
	Speaks  string   // the agent's protocol: ACP or Windie; default ACP
	// Keep lists the names of environment variables that may hold secrets, for example the agent's own API key. The
	// agent still gets these variables. "*" means all variables.
	Keep []string
	Env  []string // more environment variables for the agent, in the form NAME=value
}

// Opencode returns the agent opencode, which asks before it changes a file or runs a command.
// opencode reads its own settings files.
func Opencode() Agent {
	return Agent{Name: "opencode", Command: []string{"opencode", "acp"}, Env: []string{
		`OPENCODE_CONFIG_CONTENT={"permission":{"edit":"ask","bash":"ask","webfetch":"ask","external_directory":"ask"}}`, "OPENCODE_DISABLE_AUTOUPDATE=1",
	}}
}

// Step is an action for which an agent asks permission.
type Step struct {
	Agent string          `json:"agent"`
	Task  string          `json:"task" doc:"The first part of the task's text."`
	Kind  string          `json:"kind,omitempty" doc:"Kind of the step, for example edit, execute or fetch."`
	Title string          `json:"title"`
	Paths []string        `json:"paths,omitempty"`
	Input json.RawMessage `json:"input,omitempty" doc:"Arguments of the agent's tool."`
}

// Times are the time limits of a task. If a field is zero, its default applies.
type Times struct {
	Quiet   time.Duration // how long an agent may be silent before its turn counts as stuck; default 2 minutes
	Tool    time.Duration // how long an agent may be silent while one of its tools runs; default 15 minutes
	Grace   time.Duration // how long to wait for tools that still run after a turn; default 45 s
	Files   time.Duration // how long to wait for files that an answer names; default 12 s
	Summary time.Duration // how long the agent may take to write a summary; default 90 s
	Cancel  time.Duration // how long a canceled agent may take to stop before its program is ended; default 5 s
	Begin   time.Duration // how long an agent's program may take to start; default 1 minute
}

// orDefault returns t with a default in each zero field.
func (t Times) orDefault() Times {
	return Times{
		Quiet: cmp.Or(t.Quiet, 2*time.Minute), Tool: cmp.Or(t.Tool, 15*time.Minute), Grace: cmp.Or(t.Grace, 45*time.Second),
		Files: cmp.Or(t.Files, 12*time.Second), Summary: cmp.Or(t.Summary, 90*time.Second), Cancel: cmp.Or(t.Cancel, 5*time.Second),
		Begin: cmp.Or(t.Begin, time.Minute),
	}
}

// Options describe a Delegate. Dir and Agents are required.
type Options struct {
	Dir    string  // the folder in which agents work
	Agents []Agent // the coding agents; the first is the default

	// Ask decides whether an agent may take a step. The parameter call is the tool call that gave the
	// agent its task. Ask returns when somebody has decided, or when ctx ends. If Ask is nil, all
	// steps are denied.
	Ask func(ctx context.Context, call agent.Call, step Step) (bool, error)

	Times Times
}

// Delegate gives tasks to coding agents. Its methods are safe for concurrent use.
type Delegate struct{ opts Options }

// New returns a Delegate.
func New(opts Options) *Delegate {
	opts.Times = opts.Times.orDefault()
	return &Delegate{opts}
}

// Tools returns the tool that gives tasks to agents. If there are no agents, the list is empty.
func (d *Delegate) Tools() []agent.Tool {
	if len(d.opts.Agents) == 0 {
		return nil
	}
	return []agent.Tool{agent.Func(agent.Descriptor{
		Name: "delegate.task", Tag: "computer", Risk: agent.Risky,
		Description: "Give a task to a coding agent in the working folder on the user's machine. Installed: " +
			strings.Join(d.names(), ", ") + ". The agent does not see this conversation. Put everything that it needs into the task. The user approves its steps. Returns its answer and the changed files.",
	}, d.hand)}
}

// names returns the names of the agents, in the order of Options.Agents.
func (d *Delegate) names() (names []string) {
	for _, a := range d.opts.Agents {
		names = append(names, a.Name)
	}
	return names
}

type taskInput struct {
	Task    string `json:"task" minLength:"1" maxLength:"65536"`
	Agent   string `json:"agent,omitempty" maxLength:"64" doc:"The agent to use (default: the first installed agent)."`
	Minutes int    `json:"minutes,omitempty" minimum:"1" maximum:"240" default:"9" doc:"Time limit in minutes. The gateway's limit for a tool call must be at least as long."`
}

// outcome is the result of a task.
type outcome struct {
	Agent   string   `json:"agent"`
	Answer  string   `json:"answer"`
	Ended   string   `json:"ended" doc:"done, or the reason why the task is not done."`
	Changed []string `json:"changed,omitempty" doc:"Changed files. Each entry begins with \"created\", \"changed\" or \"removed\"."`
	Missing []string `json:"missing,omitempty" doc:"Files that do not exist although the agent's answer names them."`
	Steps   []string `json:"steps,omitempty" doc:"The agent's steps. Each entry begins with \"allowed\" or \"denied\"."`
	Turns   int      `json:"turns" doc:"Number of messages sent to the agent."`
	Replays int      `json:"replays,omitempty" doc:"Number of restarts after the agent was stuck."`
}

// done is outcome.Ended of a completed task.
const done = "done"

// hand gives a task to an agent, and waits until the task ends. If the time limit ends first, hand
// returns the results so far without an error. If ctx ends, it returns the error of ctx.
func (d *Delegate) hand(ctx context.Context, call agent.Call, in taskInput) (outcome, error) {
	at := 0
	if in.Agent != "" {
		at = slices.IndexFunc(d.opts.Agents, func(a Agent) bool { return a.Name == in.Agent })
	}
	if at < 0 {
		return outcome{}, agent.Failf("there is no agent %q; installed: %s", in.Agent, strings.Join(d.names(), ", "))
	}
	limit := min(cmp.Or(time.Duration(in.Minutes)*time.Minute, DefaultTime), MaxTime)
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w := &work{opts: d.opts, agent: d.opts.Agents[at], task: in.Task, call: call, report: func(line string) { agent.Progress(ctx, line) }}
	out, err := w.do(timed)
	switch {
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case timed.Err() != nil:
		out.Ended, err = fmt.Sprintf("the agent exceeded the time limit of %v", limit), nil
	}
	return out, err
}
