package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/figures"
	"github.com/windieos/windie/internal/plain"
)

// topLeast is the shortest interval between two looks at a gateway.
const topLeast = 100 * time.Millisecond

// topWait limits the wait for a gateway's metrics.
const topWait = 10 * time.Second

// clearScreen moves to the top left of a terminal and clears it. See ECMA-48, CUP and ED.
const clearScreen = "\x1b[H\x1b[2J"

// topCommand returns `windie top`. It ends with exit code 0 on Ctrl-C.
func topCommand(load loader) *cobra.Command {
	var once, asJSON bool
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Show the live activity of a running gateway",
		Long: "The command reads the metrics of the gateway at the listen address, with WINDIE_OPERATOR_TOKEN.\n" +
			"Rates cover the time since the previous update. The first update covers the time since the gateway\n" +
			"started. Without a terminal, updates are printed one after another.",
		Example: "  windie top\n  windie top --once --json",
		Args:    cobra.NoArgs,
		RunE: load.run(func(cmd *cobra.Command, c *config, _ []string) error {
			if every < topLeast {
				return &usageError{cmd, fmt.Errorf("--every: %v is below the minimum of %v", every, topLeast)}
			}
			return c.watch(cmd.Context(), cmd.OutOrStdout(), every, once, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&once, "once", false, "print one update and exit")
	cmd.Flags().DurationVar(&every, "every", 2*time.Second, "`DURATION` between updates")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each update as a line of JSON")
	return cmd
}

// watch shows a gateway's metrics until ctx ends, or once.
func (c *config) watch(ctx context.Context, w io.Writer, every time.Duration, once, asJSON bool) error {
	var before figures.Figures
	last := time.Time{}
	for ctx.Err() == nil {
		text, err := c.fetchRunning(ctx, metricsPath, topWait)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the user has seen enough
		}
		if err != nil {
			return fmt.Errorf("cannot read the metrics of the gateway at %s: %w; start it, or set WINDIE_LISTEN to its address and WINDIE_OPERATOR_TOKEN to its operator token", c.Listen, err)
		}
		now, err := figures.Read(strings.NewReader(text))
		if err != nil || len(now["windie_build_info"]) == 0 {
			return errors.Join(fmt.Errorf("the server at %s is not a Windie gateway", c.Listen), err)
		}
		look := lookAt(now, before, last)
		if err := look.show(w, asJSON, !once && plain.IsTerminal(w)); err != nil || once {
			return err
		}
		before, last = now, look.Time
		_ = background.Sleep(ctx, every) // if ctx ended, the loop ends too
	}
	return nil
}

// topLine is one line of a look: the present value, and the rate per second.
type topLine struct {
	Name   string  `json:"name"`
	Now    float64 `json:"now"`
	Second float64 `json:"per_second"`
	MeanMS float64 `json:"mean_ms"` // mean duration of the counted events; 0 if it is not measured
	Note   string  `json:"note,omitempty"`

	shown string // the text of Now in the table
}

// topLook is a gateway's metrics at one moment.
type topLook struct {
	Time   time.Time `json:"time"`
	UpTime float64   `json:"uptime_seconds"`
	Memory float64   `json:"memory_bytes"`
	Lines  []topLine `json:"lines"`
}

// topFigures are the lines of a look: the names of a gauge, a counter and a histogram, each "" if
// there is none.
var topFigures = []struct{ name, now, counter, times string }{
	{"requests", "windie_http_requests_in_flight", "windie_http_requests_total", "windie_http_request_duration_seconds"},
	{"turns", "windie_turns_running", "windie_turns_ended_total", "windie_turn_duration_seconds"},
	{"models", "", "windie_model_answers_total", "gen_ai_client_operation_duration_seconds"},
	{"tokens", "", "windie_model_tokens_total", ""},
	{"screens", "windie_ocr_scenes_in_flight", "windie_ocr_scenes_total", "windie_ocr_read_duration_seconds"},
	{"tools", "", "windie_tool_calls_total", "windie_tool_call_duration_seconds"},
	{"events", "windie_journal_followers", "windie_journal_events_total", ""},
	{"approvals", "windie_decisions_pending", "windie_decisions_decided_total", ""},
	{"refusals", "", "windie_limit_refusals_total", ""},
}

// lookAt makes a look of metrics. Rates are relative to before, or to the gateway's start if before
// is empty.
func lookAt(now, before figures.Figures, last time.Time) topLook {
	look := topLook{Time: time.Now(), Memory: now.Sum("process_resident_memory_bytes")}
	started := time.Unix(int64(now.Sum("process_start_time_seconds")), 0)
	look.UpTime = look.Time.Sub(started).Seconds()
	seconds := look.UpTime
	if before != nil {
		seconds = look.Time.Sub(last).Seconds()
	}
	since := func(name string) float64 { return max(0, now.Sum(name)-before.Sum(name)) }
	for _, f := range topFigures {
		line := topLine{Name: f.name, Now: now.Sum(f.now), Second: since(f.counter) / max(seconds, 1e-3), shown: "-"}
		if f.now != "" {
			line.shown = fmt.Sprintf("%.0f", line.Now)
		}
		if n := since(f.times + "_count"); n > 0 {
			line.MeanMS = 1000 * since(f.times+"_sum") / n
		}
		line.Note = noteOf(f.name, now)
		look.Lines = append(look.Lines, line)
	}
	for _, pool := range now.Values("windie_pool_capacity", "pool") {
		taken := now.Sum("windie_pool_taken", "pool", pool)
		look.Lines = append(look.Lines, topLine{Name: "pool " + pool, Now: taken, shown: inPool(pool, taken),
			Note: fmt.Sprintf("of %s, %.0f wait", inPool(pool, now.Sum("windie_pool_capacity", "pool", pool)), now.Sum("windie_pool_waiting", "pool", pool))})
	}
	return look
}

// inPool formats an amount of a pool: cores as a number, all others as bytes.
func inPool(pool string, n float64) string {
	if pool == gateway.CorePool {
		return fmt.Sprintf("%.0f", n)
	}
	return amount(int64(n))
}

// noteOf returns a remark for a line.
func noteOf(name string, now figures.Figures) string {
	switch name {
	case "models":
		return fmt.Sprintf("cost %.4f since the start", now.Sum("windie_model_cost_total"))
	case "tokens":
		return fmt.Sprintf("%.0f in, %.0f out since the start", now.Sum("windie_model_tokens_total", "kind", "input"), now.Sum("windie_model_tokens_total", "kind", "output"))
	case "tools":
		return fmt.Sprintf("%.0f registered", now.Sum("windie_tools"))
	case "screens":
		return fmt.Sprintf("%.0f MB of cache", now.Sum("windie_ocr_cache_bytes")/(1<<20))
	case "requests":
		if now.Sum("windie_http_draining") > 0 {
			return "it stops"
		}
	}
	return ""
}

// show prints a look.
func (l topLook) show(w io.Writer, asJSON, clearing bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(l)
	}
	var page strings.Builder
	fmt.Fprintf(&page, "up %v, %.0f MB of memory, %s\n", time.Duration(l.UpTime)*time.Second, l.Memory/(1<<20), l.Time.Format(time.TimeOnly))
	table := tabwriter.NewWriter(&page, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tnow\tper second\tmean ms\t")
	for _, line := range l.Lines {
		fmt.Fprintf(table, "%s\t%s\t%.1f\t%.1f\t  %s\n", plain.Text(line.Name), line.shown, line.Second, line.MeanMS, plain.Text(line.Note))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if clearing {
		fmt.Fprint(w, clearScreen)
	}
	_, err := io.WriteString(w, page.String()+"\n")
	return err
}
