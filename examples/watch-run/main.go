// Command watch-run prints the timeline of a run until the run has ended. It reconnects after a
// broken connection.
//
//	WINDIE_RUNS_KEY=… go run ./examples/watch-run RUN
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/windieos/windie/sdk"
)

// main checks the arguments. It exits with 2 for wrong usage, and with 1 if the run cannot be followed.
func main() {
	if len(os.Args) != 2 || os.Getenv("WINDIE_RUNS_KEY") == "" {
		fmt.Fprintln(os.Stderr, "usage: WINDIE_RUNS_KEY=… watch-run RUN, where RUN is the id of a run")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "watch-run:", err)
		os.Exit(1)
	}
}

// run prints the events, and the final status of the run.
func run(ctx context.Context, id string, out io.Writer) error {
	client, err := sdk.New(cmp.Or(os.Getenv("WINDIE_URL"), "http://127.0.0.1:8765"), sdk.WithRunsKey(os.Getenv("WINDIE_RUNS_KEY")))
	if err != nil {
		return err
	}
	for event, err := range client.Runs.Follow(ctx, id, 0) {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%d %s %s\n", event.Seq, event.EventType, event.Payload)
	}
	ended, err := client.Runs.Get(ctx, id)
	if err == nil {
		fmt.Fprintln(out, ended.Status)
	}
	return err
}
