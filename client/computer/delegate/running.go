package delegate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/process"
)

// running is an agent's running program, with its standard input and output.
type running struct {
	in   *os.File
	out  *os.File
	stop context.CancelFunc
	done chan struct{} // closed when the program and its children have ended
	got  process.Result
	err  error
}

// startProgram starts the program of an agent, with further arguments.
func startProgram(w *work, args ...string) (*running, error) {
	if len(w.agent.Command) == 0 {
		return nil, agent.Failf("the agent %s has no command", w.agent.Name)
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	ctx, stop := context.WithCancel(context.Background()) // the method end cancels it
	r := &running{in: in, out: out, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.got, r.err = process.Run(ctx, process.Command{
			Program: w.agent.Command[0], Args: append(slices.Clone(w.agent.Command[1:]), args...), Dir: w.opts.Dir, Env: append(process.Environment(os.Environ(), w.agent.Keep), w.agent.Env...),
			In: theirIn, Out: theirOut, Time: MaxTime + time.Hour,
		})
		_, _ = theirIn.Close(), theirOut.Close() // so that their readers end
	}()
	return r, nil
}

// end ends the program and all processes that it started. It may be called twice.
func (r *running) end() {
	r.stop()
	<-r.done
	_, _ = r.in.Close(), r.out.Close() // a second close fails
}

// endTime limits the wait for a program to end by itself.
const endTime = time.Second

// explain adds to an error how the program ended, and its last standard error, if it has ended.
func (r *running) explain(err error) error {
	select {
	case <-r.done:
	case <-time.After(endTime):
		return err
	}
	var said agent.Failure
	switch {
	case errors.As(r.err, &said):
		return said
	case r.err != nil:
		return errors.Join(err, r.err)
	}
	last := strings.TrimSpace(r.got.Output)
	if len(last) > maxComplaint {
		last = "…" + strings.ToValidUTF8(last[len(last)-maxComplaint:], "")
	}
	return fmt.Errorf("%w; its program exited with code %d: %s", err, r.got.ExitCode, last)
}

// maxComplaint limits the quoted standard error, in bytes.
const maxComplaint = 500
