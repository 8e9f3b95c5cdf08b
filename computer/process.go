package computer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
)

type runInput struct {
	Program string   `json:"program" minLength:"1" maxLength:"4096" doc:"The program, by its name." example:"make"`
	Args    []string `json:"args,omitempty" maxItems:"1000" doc:"Its arguments, as they are: no shell looks at them."`
	Input   string   `json:"input,omitempty" maxLength:"1048576" doc:"What it reads from its standard input."`
	Seconds int      `json:"seconds,omitempty" minimum:"1" maximum:"600" default:"60" doc:"How long it may run."`
}

type runOutput struct {
	ExitCode int    `json:"exit_code" doc:"-1 if it was ended."`
	Output   string `json:"output" doc:"What it wrote to its standard output and error: the beginning and the end if it is long."`
	Ended    string `json:"ended,omitempty" doc:"Why it was ended."`
}

// waitAfter is how long a program's output is read that others keep open after its end.
const waitAfter = 2 * time.Second

func (c *Computer) run(ctx context.Context, _ agent.Call, in runInput) (runOutput, error) {
	if !c.mayRun(in.Program) {
		return runOutput{}, agent.Failf("%s may not be run here; these may: %s", in.Program, strings.Join(c.opts.Programs, ", "))
	}
	limit := min(time.Duration(in.Seconds)*time.Second, MaxTime)
	if limit <= 0 {
		limit = DefaultTime
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(timed, in.Program, in.Args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = c.dir, strings.NewReader(in.Input), waitAfter
	var out kept
	cmd.Stdout, cmd.Stderr = &out, &out
	end := alone(cmd)
	err := cmd.Run()
	end()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return runOutput{}, ctx.Err()
	case timed.Err() != nil:
		return runOutput{ExitCode: -1, Output: out.String(), Ended: fmt.Sprintf("it ran longer than %v", limit)}, nil
	case errors.As(err, &exit):
		return runOutput{ExitCode: exit.ExitCode(), Output: out.String()}, nil
	case errors.Is(err, exec.ErrWaitDelay): // it has ended, and left others behind, which were ended
		return runOutput{Output: out.String()}, nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return runOutput{}, agent.Failf("there is no program %s", in.Program)
	case err != nil:
		return runOutput{}, agent.Failf("%s cannot be run: %v", in.Program, err)
	}
	return runOutput{Output: out.String()}, nil
}

// kept keeps the beginning and the end of what is written.
type kept struct {
	head, tail []byte
	missing    int64
}

// Write implements io.Writer.
func (k *kept) Write(p []byte) (int, error) {
	n := len(p)
	if room := MaxOutput/2 - len(k.head); room > 0 {
		take := min(room, len(p))
		k.head, p = append(k.head, p[:take]...), p[take:]
	}
	k.tail = append(k.tail, p...)
	if over := len(k.tail) - MaxOutput/2; over > 0 {
		k.missing += int64(over)
		k.tail = append(k.tail[:0], k.tail[over:]...)
	}
	return n, nil
}

// String returns it as valid text.
func (k *kept) String() string {
	all := k.head
	if k.missing > 0 {
		all = fmt.Appendf(all, "\n… %d bytes are left out …\n", k.missing)
	}
	return string(bytes.ToValidUTF8(append(all, k.tail...), []byte("\uFFFD")))
}
