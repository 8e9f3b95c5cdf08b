package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/wasmtools"
)

// benchTime limits the measurement of one isolation.
const benchTime = 5 * time.Second

// measured are the measured calls of one isolation.
type measured struct {
	times []time.Duration // in ascending order
	usage agent.Usage
}

// Bench calls a tool of the plugin in file up to n times with each isolation, and prints a table.
// arguments are the arguments of each call: JSON, or @ and the path of a file with JSON.
func (w *Workshop) Bench(ctx context.Context, out io.Writer, file, tool, arguments string, grants Grants, n int) error {
	if n < 1 {
		return errors.New("-n: must be at least 1")
	}
	raw, err := argument(arguments)
	if err != nil {
		return err
	}
	src, grant, err := grants.read(file, w.cfg.ModuleBytes)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "isolation\tcalls\tcalls/s\tmedian ms\tp99 ms\tfuel\tmemory\t")
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Fresh, wasmtools.Reuse} {
		grant.Isolation = isolation
		open, err := w.open(ctx, src, grant)
		if err != nil {
			return err
		}
		if open.Isolation != isolation { // the plugin does not support this isolation
			fmt.Fprintf(table, "%s\tas %s\t\t\t\t\t\t\n", isolation, open.Isolation)
			open.Close()
			continue
		}
		m, err := measureCalls(ctx, n, "calls in "+string(isolation), func() (agent.Result, error) {
			return open.call(ctx, tool, agent.Call{ID: "1", Arguments: raw})
		})
		open.Close()
		if err != nil {
			return err
		}
		m.print(table, isolation)
	}
	return table.Flush()
}

// measureCalls makes n calls, or as many as fit into benchTime. It does not count the first, which
// sets up state for the later ones.
func measureCalls(ctx context.Context, n int, what string, call func() (agent.Result, error)) (*measured, error) {
	m := &measured{}
	for i, began := 0, time.Now(); i <= n && (i < 2 || time.Since(began) < benchTime); i++ {
		progress.Report(ctx, what, int64(i), int64(n))
		started := time.Now()
		result, err := call()
		if err != nil {
			return nil, err
		}
		if result.IsError {
			return nil, fmt.Errorf("the tool returned an error: %s", textOf(result))
		}
		if i > 0 {
			m.times = append(m.times, time.Since(started))
		}
		m.usage = result.Usage
	}
	slices.Sort(m.times)
	return m, nil
}

// print writes a row of the table: the number of calls, the rate, two quantiles of the times, and
// the usage of the last call. There must be at least one time.
func (m *measured) print(w io.Writer, isolation wasmtools.Isolation) {
	var sum time.Duration
	for _, t := range m.times {
		sum += t
	}
	n := len(m.times)
	ms := func(t time.Duration) float64 { return float64(t.Nanoseconds()) / 1e6 }
	fmt.Fprintf(w, "%s\t%d\t%.0f\t%.3f\t%.3f\t%d\t%s\t\n", isolation, n, float64(n)/sum.Seconds(),
		ms(m.times[n/2]), ms(m.times[n*99/100]), m.usage.Fuel, size(m.usage.PeakMemory))
}
