// Package process runs programs on the user's machine, as a tool. It limits their time and output,
// and ends every process that they have started.
//
//	func main() {
//		process.Supervise() // first: on Linux this program is also the supervisor
//		...
//	}
//	runner := process.New("/home/ada/work", process.Rules{Programs: []string{"make", "go"}})
//	tools := runner.Tools()
//
// A program runs without a shell and without a terminal, and ends with its call. On Linux this
// program starts itself once more as a supervisor. The supervisor becomes the parent of every
// process that a program leaves behind, even outside of its group and session, and kills all of
// these processes. If the supervisor is killed, a guard above it kills them. On other systems, and
// in a program that does not call Supervise, the process group is killed.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
)

// Limits of a program.
const (
	// MaxOutput is the maximum size of the returned output, in bytes. If the output is longer, only its beginning and
	// its end are returned, each with half of the maximum size.
	MaxOutput    = 64 << 10
	MaxTime      = 10 * time.Minute
	MaxInput     = 1 << 20       // maximum size of a program's standard input, in bytes
	MaxProcesses = 1000          // maximum number of running processes of one supervised program
	MaxTalk      = 6 * time.Hour // maximum run time of a program that uses Command.In
)

// DefaultTime is the time limit of a program if the call sets no limit.
const DefaultTime = time.Minute

// Rules say which programs may run. The zero value allows no program.
type Rules struct {
	Programs []string // allowed programs, by their name in PATH; "*" allows every program
}

// Runner runs programs in a folder. Its methods are safe for concurrent use.
type Runner struct {
	dir   string
	rules Rules
}

// New returns a runner for programs in a folder.
func New(dir string, rules Rules) *Runner { return &Runner{dir, rules} }

// Tools returns the tool that runs programs. If no program may run, the list is empty.
func (r *Runner) Tools() []agent.Tool {
	if len(r.rules.Programs) == 0 {
		return nil
	}
	return []agent.Tool{agent.Func(agent.Descriptor{
		Name: "process.run", Tag: "computer", Risk: agent.Risky,
		Description: "Run a program in the working folder on the user's machine, without a shell. Returns its output and exit code.",
	}, r.run)}
}

// Allows reports whether a program may run.
func (r *Runner) Allows(name string) bool {
	return slices.Contains(r.rules.Programs, "*") || name == filepath.Base(name) && slices.Contains(r.rules.Programs, name)
}

type runInput struct {
	Program string   `json:"program" minLength:"1" maxLength:"4096" doc:"Name of the program, without a path." example:"make"`
	Args    []string `json:"args,omitempty" maxItems:"1000" doc:"Arguments of the program, one by one. They do not go through a shell."`
	Input   string   `json:"input,omitempty" maxLength:"1048576" doc:"Standard input of the program."`
	Seconds int      `json:"seconds,omitempty" minimum:"1" maximum:"600" default:"60" doc:"Time limit in seconds."`
}

type runOutput struct {
	ExitCode int    `json:"exit_code" doc:"Exit code of the program; -1 if the program was stopped."`
	Output   string `json:"output" doc:"Standard output and error; the middle of a long output is left out."`
	Ended    string `json:"ended,omitempty" doc:"Why the program was stopped."`
}

// run is the tool process.run. It works like Run, with the time limit of the call.
func (r *Runner) run(ctx context.Context, _ agent.Call, in runInput) (runOutput, error) {
	got, err := r.Run(ctx, Command{Program: in.Program, Args: in.Args, Input: in.Input, Time: time.Duration(in.Seconds) * time.Second})
	return runOutput{got.ExitCode, got.Output, got.Ended}, err
}

// Run runs a program in the runner's folder, if the rules allow the program. The program gets the
// environment of this process without variables that look secret. If the program cannot run, the
// error is a Failure for the model. If ctx ends, the error is the error of ctx.
func (r *Runner) Run(ctx context.Context, c Command) (Result, error) {
	if !r.Allows(c.Program) {
		return Result{}, agent.Failf("%s is not allowed here; allowed: %s", c.Program, cmp.Or(strings.Join(r.rules.Programs, ", "), "no programs"))
	}
	if len(c.Input) > MaxInput {
		return Result{}, agent.Failf("the input has %d bytes; the limit is %d", len(c.Input), MaxInput)
	}
	c.Dir = cmp.Or(c.Dir, r.dir)
	c.Env = Environment(os.Environ(), nil)
	return Run(ctx, c)
}

// quiet are variables for programs without a user.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "CI=1", "GIT_TERMINAL_PROMPT=0", "DEBIAN_FRONTEND=noninteractive"}

// secrets matches the names of variables that programs do not get.
var secrets = regexp.MustCompile(`(?i)^WINDIE_|KEY|TOKEN|SECRET|PASSW|CREDENTIAL`)

// Environment returns the environment for a program. The parameter all contains variables in the
// form NAME=VALUE. Environment removes variables that look secret, such as keys and tokens. The
// parameter keep contains the names of secret variables to include, or "*" for all of them.
// Environment also adds settings for non-interactive use, such as NO_COLOR=1.
func Environment(all, keep []string) []string {
	var env []string
	for _, pair := range all {
		name, _, _ := strings.Cut(pair, "=")
		if !secrets.MatchString(name) || slices.Contains(keep, name) || slices.Contains(keep, "*") {
			env = append(env, pair)
		}
	}
	return append(env, quiet...)
}

// Command is a program to run.
type Command struct {
	Program string
	Args    []string
	Dir     string
	Env     []string // the whole environment of the program
	Input   string
	// In, if set, is the program's standard input instead of Input. The caller closes it after Run.
	In *os.File
	// Out, if set, gets the program's standard output instead of Result.Output. The caller closes it after Run.
	Out *os.File
	// Time is the time limit of the program. Zero means DefaultTime. The limit is at most MaxTime, or
	// MaxTalk if In is set.
	Time time.Duration
	// Output is the maximum size of the returned output, in bytes. Zero means MaxOutput.
	Output int
}

// Result is the result of a program.
type Result struct {
	ExitCode int    // -1 if the program was stopped before its exit
	Output   string // the program's output; only the beginning and the end if it is long
	Ended    string // why the program was stopped; empty if it was not
	Cut      bool   // true if part of the output is missing
}

// waitAfter limits the reading of output after a program's end: other processes may keep it open.
const waitAfter = 2 * time.Second

// Run runs a program without checking any rules. At the end it also stops all processes that the
// program has started.
func Run(ctx context.Context, c Command) (Result, error) {
	most := MaxTime
	if c.In != nil {
		most = MaxTalk
	}
	limit := min(cmp.Or(max(c.Time, 0), DefaultTime), most)
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out := &kept{half: cmp.Or(c.Output, MaxOutput) / 2}
	end, err := start(timed, c, out)
	result := Result{ExitCode: end.code, Output: out.String(), Ended: end.why, Cut: out.missing > 0}
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case timed.Err() != nil:
		result.ExitCode, result.Ended = -1, fmt.Sprintf("the program exceeded the time limit of %v", limit)
		return result, nil
	case errors.Is(err, os.ErrNotExist) && !isFolder(c.Dir):
		return Result{}, agent.Failf("the folder %s is gone", c.Dir)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return Result{}, agent.Failf("there is no program %s", c.Program)
	case err != nil:
		return Result{}, agent.Failf("%s cannot be run: %v", c.Program, err)
	}
	return result, nil
}

// isFolder reports whether a folder exists. Empty means the current one.
func isFolder(dir string) bool {
	info, err := os.Stat(cmp.Or(dir, "."))
	return err == nil && info.IsDir()
}

// connect sets a program's standard files.
func (c Command) connect(cmd *exec.Cmd, out io.Writer) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.Input), out, out
	if c.In != nil {
		cmd.Stdin = c.In
	}
	if c.Out != nil {
		cmd.Stdout = c.Out
	}
}

// ending is how a program ended.
type ending struct {
	code int
	why  string
}

// endingOf returns how a program ended, from the error of waiting for it. It returns an error if
// the program did not start.
func endingOf(err error) (ending, error) {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return ending{code: exit.ExitCode()}, nil
	case errors.Is(err, exec.ErrWaitDelay): // it ended and left other processes, which were ended
		return ending{}, nil
	}
	return ending{}, err
}
