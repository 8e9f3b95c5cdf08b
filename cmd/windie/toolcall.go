package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// callOptions are the flags of the call command.
type callOptions struct {
	grants grantFlags
	record string
	replay string
	user   string
	out    string
}

func toolCallCommand(load loader) *cobra.Command {
	var o callOptions
	cmd := &cobra.Command{
		Use:   "call FILE TOOL [ARGUMENTS]",
		Short: "Call a tool of a plugin",
		Long: "Opens FILE and calls its tool TOOL with ARGUMENTS, a JSON object or @FILE, as the gateway would. The answer is printed,\n" +
			"and what it took to standard error. It exits with 1 when the tool fails.\n" +
			"--record writes down all that the plugin asked for outside and what it got; --replay answers it from there.",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			return told(runToolCall(cmd, c, args, o))
		},
	}
	o.grants.add(cmd)
	cmd.Flags().StringVar(&o.record, "record", "", "write what the plugin asks for and gets to `FILE`")
	cmd.Flags().StringVar(&o.replay, "replay", "", "answer the plugin from the recording in `FILE`, and touch nothing else")
	cmd.Flags().StringVar(&o.user, "user", "", "on whose behalf")
	cmd.Flags().StringVar(&o.out, "out", "", "write the answer's first image to `FILE`")
	cmd.MarkFlagsMutuallyExclusive("record", "replay")
	return cmd
}

// runToolCall calls a tool. Args are a file, the tool and perhaps arguments.
func runToolCall(cmd *cobra.Command, c *config, args []string, o callOptions) error {
	arguments, err := argument(append(args, "{}")[2])
	if err != nil {
		return err
	}
	src, grant, err := o.grants.read(args[0])
	if err != nil {
		return err
	}
	t, err := newTape(o)
	if err != nil {
		return err
	}
	w := newWorkshop(cmd, c)
	defer w.close()
	open, err := w.open(cmd.Context(), src, grant, t.wrap)
	if err != nil {
		_ = t.close() // there was no call
		return err
	}
	defer open.Close()
	t.warn(cmd.ErrOrStderr(), grant.Permissions)
	result, err := open.call(cmd.Context(), args[1], agent.Call{ID: "1", User: o.user, Arguments: arguments})
	printUsage(cmd.ErrOrStderr(), result.Usage)
	if err != nil {
		_ = t.close() // the call says more
		return err
	}
	if err := errors.Join(printResult(cmd.OutOrStdout(), result, o.out), t.close()); err != nil {
		return err
	}
	if result.IsError {
		return errors.New("the tool could not do it, as its answer says")
	}
	return nil
}

// tape is the recording that a call makes, or is made from. The zero value is
// none.
type tape struct {
	wrap  func(agent.Call, abi.Host) abi.Host
	close func() error // says what is wrong with it after the call
}

func newTape(o callOptions) (tape, error) {
	switch {
	case o.record != "":
		return newRecording(o.record)
	case o.replay != "":
		return openRecording(o.replay)
	}
	return tape{close: func() error { return nil }}, nil
}

// newRecording begins a recording, for its owner alone to read.
func newRecording(name string) (tape, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return tape{}, fmt.Errorf("--record: %w", err)
	}
	w := bufio.NewWriter(f)
	recorder := wasmtools.NewRecorder(w)
	return tape{recorder.Wrap, func() error { return errors.Join(recorder.Err(), w.Flush(), f.Close()) }}, nil
}

func openRecording(name string) (tape, error) {
	f, err := os.Open(name)
	if err != nil {
		return tape{}, fmt.Errorf("--replay: %w", err)
	}
	defer f.Close()
	replay, err := wasmtools.ReadRecording(f)
	if err != nil {
		return tape{}, err
	}
	return tape{replay.Wrap, replay.Done}, nil
}

// warn tells what a recording does not hold.
func (t tape) warn(w io.Writer, granted wasmtools.Permissions) {
	if t.wrap != nil && (len(granted.FS) > 0 || len(granted.Env) > 0) {
		fmt.Fprintln(w, "windie: folders and variables of the environment are no part of a recording")
	}
}

// printResult prints what the model would read, and the structured answer.
func printResult(w io.Writer, r agent.Result, out string) error {
	for _, part := range r.Content {
		switch part.Kind {
		case agent.ImagePart:
			fmt.Fprintf(w, "[%s, %d bytes]\n", plain.Text(part.MediaType), len(part.Data))
			if out != "" {
				if err := os.WriteFile(out, part.Data, 0o600); err != nil {
					return err
				}
				out = "" // it was the first
			}
		case agent.JSONPart:
			if err := printIndented(w, part.JSON); err != nil {
				return err
			}
		default:
			text := strings.TrimSuffix(part.Text, "\n")
			if isTerminal(w) { // a program gets it as it is
				text = plain.Lines(text, "")
			}
			fmt.Fprintln(w, text)
		}
	}
	if out != "" {
		return errors.New("--out: the answer has no image")
	}
	if len(r.Structured) == 0 {
		return nil
	}
	return printIndented(w, r.Structured)
}

// printUsage tells what a call took, unless it came to none.
func printUsage(w io.Writer, u agent.Usage) {
	if u.WallTime > 0 {
		fmt.Fprintf(w, "windie: %.1f ms, %d fuel, %s of memory, %d host calls, %d bytes sent\n",
			float64(u.WallTime.Microseconds())/1000, u.Fuel, size(u.PeakMemory), u.HostCalls, u.EgressBytes)
	}
}

// replayed calls a tool as a recording answers it.
func (w *workshop) replayed(ctx context.Context, src wasmtools.Source, grant wasmtools.Grant, recording, tool string, arguments []byte) (agent.Result, error) {
	t, err := openRecording(recording)
	if err != nil {
		return agent.Result{}, err
	}
	open, err := w.open(ctx, src, grant, t.wrap)
	if err != nil {
		return agent.Result{}, err
	}
	defer open.Close()
	result, err := open.call(ctx, tool, agent.Call{ID: "1", Arguments: arguments})
	if err == nil {
		err = t.close()
	}
	return result, err
}
