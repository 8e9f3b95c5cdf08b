package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
)

// Calling describes one call of a tool of a plugin.
type Calling struct {
	File, Tool string
	Arguments  string // arguments of the call: JSON, or @ and the path of a file with JSON
	Grants     Grants
	User       string // id of the user who calls the tool
	Image      string // path of a new file for the first image in the answer; empty: no file
}

// Call calls a tool in the same way as the gateway. It writes the answer to out. It writes the
// resource usage of the call to notes.
func (w *Workshop) Call(ctx context.Context, c Calling, out, notes io.Writer) error {
	arguments, err := argument(c.Arguments)
	if err != nil {
		return err
	}
	src, grant, err := c.Grants.read(c.File, w.cfg.ModuleBytes)
	if err != nil {
		return err
	}
	open, err := w.open(ctx, src, grant)
	if err != nil {
		return err
	}
	defer open.Close()
	result, err := open.call(ctx, c.Tool, agent.Call{ID: "1", User: c.User, Arguments: arguments})
	printUsage(notes, result.Usage)
	if err != nil {
		printTrace(notes, err)
		return err
	}
	if err := printResult(out, result, c.Image); err != nil {
		return err
	}
	if result.IsError {
		return errors.New("the tool returned an error; its answer has the reason")
	}
	return nil
}

// maxTrace limits the printed functions of a trace.
const maxTrace = 30

// printTrace prints the functions in which a call failed, innermost first, from the engine's error.
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
	fmt.Fprintln(w, "stack, innermost function first:")
	lines := strings.Split(strings.TrimRight(trace, "\n"), "\n")
	for _, line := range lines[:min(len(lines), maxTrace)] {
		fmt.Fprintln(w, " ", plain.Text(strings.TrimLeft(line, "\t .")))
	}
}

// printResult prints the content that the model would read, and the structured content.
func printResult(w io.Writer, r agent.Result, out string) error {
	for _, part := range r.Content {
		switch part.Kind {
		case agent.ImagePart:
			fmt.Fprintf(w, "[%s, %d bytes]\n", plain.Text(part.MediaType), len(part.Data))
			if out != "" {
				if err := os.WriteFile(out, part.Data, 0o600); err != nil {
					return err
				}
				out = "" // only the first image is written
			}
		case agent.JSONPart:
			if err := plain.JSON(w, part.JSON); err != nil {
				return err
			}
		default:
			text := strings.TrimSuffix(part.Text, "\n")
			if plain.IsTerminal(w) { // a program gets the text unchanged
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

// printUsage prints the usage of a call. If the call did not run, it prints nothing.
func printUsage(w io.Writer, u agent.Usage) {
	if u.WallTime > 0 {
		fmt.Fprintf(w, "windie: %.1f ms, %d fuel, %s of memory, %d host calls, %d bytes sent\n",
			float64(u.WallTime.Microseconds())/1000, u.Fuel, size(u.PeakMemory), u.HostCalls, u.EgressBytes)
	}
}
