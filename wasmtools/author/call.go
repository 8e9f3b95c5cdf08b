package author

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// A Calling is one call of a tool of a plugin.
type Calling struct {
	File, Tool string
	Arguments  string // JSON, or @FILE
	Grants     Grants
	Record     string // file to write what the plugin asks for outside and gets; empty for none
	Replay     string // file with such a recording, which answers the plugin; empty for none
	User       string // on whose behalf
	Image      string // file to write the answer's first image to; empty for none
}

// Call makes a call as the gateway would. The answer goes to out, and what it took to notes.
func (w *Workshop) Call(ctx context.Context, c Calling, out, notes io.Writer) error {
	arguments, err := argument(c.Arguments)
	if err != nil {
		return err
	}
	src, grant, err := c.Grants.read(c.File, w.cfg.ModuleBytes)
	if err != nil {
		return err
	}
	t, err := newTape(c.Record, c.Replay)
	if err != nil {
		return err
	}
	open, err := w.open(ctx, src, grant, t.wrap)
	if err != nil {
		_ = t.close() // there was no call
		return err
	}
	defer open.Close()
	t.warn(notes, grant.Permissions)
	result, err := open.call(ctx, c.Tool, agent.Call{ID: "1", User: c.User, Arguments: arguments})
	printUsage(notes, result.Usage)
	if err != nil {
		_ = t.close() // the call's error says more
		printTrace(notes, err)
		return err
	}
	if err := errors.Join(printResult(out, result, c.Image), t.close()); err != nil {
		return err
	}
	if result.IsError {
		return errors.New("the tool could not do it, as its answer says")
	}
	return nil
}

// maxTrace is how many functions of a trace are printed.
const maxTrace = 30

// printTrace prints in which functions a call failed, the innermost first, as the engine says it below its error.
func printTrace(w io.Writer, err error) {
	trace := ""
	for ; err != nil; err = errors.Unwrap(err) {
		if _, below, ok := strings.Cut(err.Error(), "\nwasm stack trace:\n"); ok {
			trace = below
		}
	}
	if trace == "" {
		return
	}
	fmt.Fprintln(w, "it failed in these functions, the innermost first:")
	lines := strings.Split(strings.TrimRight(trace, "\n"), "\n")
	for _, line := range lines[:min(len(lines), maxTrace)] {
		fmt.Fprintln(w, " ", plain.Text(strings.TrimLeft(line, "\t .")))
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
			if err := plain.JSON(w, part.JSON); err != nil {
				return err
			}
		default:
			text := strings.TrimSuffix(part.Text, "\n")
			if plain.IsTerminal(w) { // a program gets the text as it is
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
	return plain.JSON(w, r.Structured)
}

func printUsage(w io.Writer, u agent.Usage) {
	if u.WallTime > 0 {
		fmt.Fprintf(w, "windie: %.1f ms, %d fuel, %s of memory, %d host calls, %d bytes sent\n",
			float64(u.WallTime.Microseconds())/1000, u.Fuel, size(u.PeakMemory), u.HostCalls, u.EgressBytes)
	}
}

// tape is the recording that a call makes, or is answered from.
type tape struct {
	wrap  func(agent.Call, abi.Host) abi.Host
	close func() error // returns what is wrong with the recording after the call
}

// newTape begins a recording or opens one to replay; with both empty it does nothing.
func newTape(record, replay string) (tape, error) {
	switch {
	case record != "":
		return newRecording(record)
	case replay != "":
		return openRecording(replay)
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

func (t tape) warn(w io.Writer, granted wasmtools.Permissions) {
	if t.wrap != nil && (len(granted.FS) > 0 || len(granted.Env) > 0) {
		fmt.Fprintln(w, "windie: folders and variables of the environment are no part of a recording")
	}
}

// taped calls a tool once, as a recording answers it or while one is made.
func (w *Workshop) taped(ctx context.Context, src wasmtools.Source, grant wasmtools.Grant, begin func() (tape, error), tool string, arguments []byte) (agent.Result, error) {
	t, err := begin()
	if err != nil {
		return agent.Result{}, err
	}
	open, err := w.open(ctx, src, grant, t.wrap)
	if err != nil {
		return agent.Result{}, errors.Join(err, t.close())
	}
	defer open.Close()
	result, err := open.call(ctx, tool, agent.Call{ID: "1", Arguments: arguments})
	if wrong := t.close(); err == nil {
		err = wrong
	}
	return result, err
}
