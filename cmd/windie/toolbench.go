package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
)

// benchTime is how long one isolation is measured at most.
const benchTime = 5 * time.Second

func toolBenchCommand(load loader) *cobra.Command {
	var grants grantFlags
	var n int
	cmd := &cobra.Command{
		Use:   "bench FILE TOOL [ARGUMENTS]",
		Short: "Measure calls of a tool, in each isolation",
		Long: "Calls the tool one time after the other, checks and all, and prints how many calls there were, how many a second, the\n" +
			"median and the 99th percentile of their times, and the fuel and memory of one.",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			w := newWorkshop(cmd, c)
			defer w.close()
			return told(w.bench(cmd, args, grants, n))
		},
	}
	grants.add(cmd)
	cmd.Flags().IntVarP(&n, "calls", "n", 1000, "calls in each isolation, in five seconds at most")
	return cmd
}

// measured are the calls in one isolation.
type measured struct {
	isolation wasmtools.Isolation
	times     []time.Duration // in ascending order
	usage     agent.Usage
}

// bench measures a call in each isolation and prints a table. Args are a file,
// a tool and perhaps arguments.
func (w *workshop) bench(cmd *cobra.Command, args []string, grants grantFlags, n int) error {
	if n < 1 {
		return errors.New("-n: must be at least 1")
	}
	arguments, err := argument(append(args, "{}")[2])
	if err != nil {
		return err
	}
	src, grant, err := grants.read(args[0])
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "isolation\tcalls\tcalls/s\tmedian ms\tp99 ms\tfuel\tmemory\t")
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Fresh, wasmtools.Reuse} {
		grant.Isolation = isolation
		open, err := w.open(ctx, src, grant, nil)
		if err != nil {
			return err
		}
		if open.Isolation != isolation { // it does not work with this plugin
			fmt.Fprintf(table, "%s\tas %s\t\t\t\t\t\t\n", isolation, open.Isolation)
			open.Close()
			continue
		}
		m, err := measureCalls(n, func() (agent.Result, error) {
			return open.call(ctx, args[1], agent.Call{ID: "1", Arguments: arguments})
		})
		open.Close()
		if err != nil {
			return err
		}
		m.isolation = isolation
		m.print(table)
	}
	return table.Flush()
}

// measureCalls makes n calls, or as many as there is time for. The first is
// not counted: it makes what later ones use again.
func measureCalls(n int, call func() (agent.Result, error)) (*measured, error) {
	m := &measured{}
	for i, began := 0, time.Now(); i <= n && (i < 2 || time.Since(began) < benchTime); i++ {
		started := time.Now()
		result, err := call()
		if err != nil {
			return nil, err
		}
		if result.IsError {
			return nil, fmt.Errorf("the tool could not do it: %s", textOf(result))
		}
		if i > 0 {
			m.times = append(m.times, time.Since(started))
		}
		m.usage = result.Usage
	}
	slices.Sort(m.times)
	return m, nil
}

// print writes a line of the table.
func (m *measured) print(w io.Writer) {
	var sum time.Duration
	for _, t := range m.times {
		sum += t
	}
	n := len(m.times)
	ms := func(t time.Duration) float64 { return float64(t.Nanoseconds()) / 1e6 }
	fmt.Fprintf(w, "%s\t%d\t%.0f\t%.3f\t%.3f\t%d\t%s\t\n", m.isolation, n, float64(n)/sum.Seconds(),
		ms(m.times[n/2]), ms(m.times[n*99/100]), m.usage.Fuel, size(m.usage.PeakMemory))
}
