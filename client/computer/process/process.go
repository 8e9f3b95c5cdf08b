// Package process runs programs on the user's machine, as a tool, with a limit on their time and output, and ends all
// that they have started.
//
//	func main() {
//		process.Supervise() // first: on Linux this program is also what watches over the programs
//		...
//	}
//	runner := process.New("/home/ada/work", process.Rules{Programs: []string{"make", "go"}})
//	tools := runner.Tools()
//
// A program runs without a shell and without a terminal, and ends with its call. On Linux a supervisor, this very
// program started once more, becomes the parent of whatever a program leaves behind, also of what has left its group
// and session, and kills all of it. A guard above it does so if the supervisor is killed. Elsewhere, and in a program
// that does not call Supervise, the group is killed.
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

// Bounds of a program.
const (
	MaxOutput    = 64 << 10 // bytes of its output that are returned: half of them its beginning, half its end
	MaxTime      = 10 * time.Minute
	MaxInput     = 1 << 20       // bytes of its standard input
	MaxProcesses = 1000          // that it may have started at once, where it is supervised
	MaxTalk      = 6 * time.Hour // as MaxTime, of a program that Command.In talks to
)

// DefaultTime is how long a program may run that the call sets no time for.
const DefaultTime = time.Minute

// Rules say which programs may run. The zero value lets no program run.
type Rules struct {
	Programs []string // by name as in PATH, or "*" for any
}

// Runner runs programs in a folder. Its methods are safe for concurrent use.
type Runner struct {
	dir   string
	rules Rules
}

// New returns a runner for programs in a folder.
func New(dir string, rules Rules) *Runner { return &Runner{dir, rules} }

// Tools returns the tools: none if no program may run.
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
	Program string   `json:"program" minLength:"1" maxLength:"4096" doc:"Name, without a path." example:"make"`
	Args    []string `json:"args,omitempty" maxItems:"1000" doc:"Passed as they are, without a shell."`
	Input   string   `json:"input,omitempty" maxLength:"1048576" doc:"Standard input."`
	Seconds int      `json:"seconds,omitempty" minimum:"1" maximum:"600" default:"60" doc:"Time limit."`
}

type runOutput struct {
	ExitCode int    `json:"exit_code" doc:"-1 if it was stopped."`
	Output   string `json:"output" doc:"Standard output and error; the middle of a long output is left out."`
	Ended    string `json:"ended,omitempty" doc:"Why it was stopped."`
}

func (r *Runner) run(ctx context.Context, _ agent.Call, in runInput) (runOutput, error) {
	got, err := r.Run(ctx, Command{Program: in.Program, Args: in.Args, Input: in.Input, Time: time.Duration(in.Seconds) * time.Second})
	return runOutput{got.ExitCode, got.Output, got.Ended}, err
}

// Run runs a program that the rules allow, in the runner's folder, with the environment of this one but for what may be
// secret. It returns a Failure for the model if the program cannot run, and the context's error when that ends.
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

// quiet are variables for programs that nobody sits before.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "CI=1", "GIT_TERMINAL_PROMPT=0", "DEBIAN_FRONTEND=noninteractive"}

// secrets matches names of variables that programs do not get.
var secrets = regexp.MustCompile(`(?i)^WINDIE_|KEY|TOKEN|SECRET|PASSW|CREDENTIAL`)

// Environment returns the environment of programs: all of this one's but what may be secret, unless keep names it. "*"
// keeps all.
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
	Env     []string // all of it
	Input   string
	In      *os.File      // its standard input, in place of Input; the caller closes it after Run
	Out     *os.File      // where its standard output goes, and not into Result.Output; likewise
	Time    time.Duration // that it may take; default DefaultTime, at most MaxTime, or MaxTalk with In
	Output  int           // bytes of output to keep; default MaxOutput
}

// Result is what came of a program.
type Result struct {
	ExitCode int    // -1 if it was ended
	Output   string // its beginning and its end, if it is long
	Ended    string // why it was ended, if it was
	Cut      bool   // whether output is missing
}

// waitAfter is how long a program's output is read that others keep open after its end.
const waitAfter = 2 * time.Second

// Run runs a program, whatever rules there are, and ends all that it has started.
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
		result.ExitCode, result.Ended = -1, fmt.Sprintf("it ran longer than %v", limit)
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

// isFolder reports whether a folder is there; empty means the current one.
func isFolder(dir string) bool {
	info, err := os.Stat(cmp.Or(dir, "."))
	return err == nil && info.IsDir()
}

// connect gives a program its standard files.
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

// endingOf returns how a program ended that was waited for, and an error if it did not begin.
func endingOf(err error) (ending, error) {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return ending{code: exit.ExitCode()}, nil
	case errors.Is(err, exec.ErrWaitDelay): // it has ended, and left others behind, which were ended
		return ending{}, nil
	}
	return ending{}, err
}
