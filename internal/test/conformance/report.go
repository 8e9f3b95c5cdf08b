package conformance

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Report is what came of a run.
type Report struct {
	Cases []Case   `json:"cases"`
	Stale []string `json:"stale,omitempty"` // skips that nothing fails by
}

// NewReport reports on cases. all says that no case was left out, so that each skip must have been of use.
func NewReport(cases []Case, skips Skips, all bool) *Report {
	return &Report{cases, skips.stale(cases, all)}
}

// Passed reports whether nothing failed, and no skip is stale.
func (r *Report) Passed() bool {
	return len(r.Stale) == 0 && !slices.ContainsFunc(r.Cases, func(c Case) bool { return !c.passed() })
}

func (c Case) passed() bool {
	return !slices.ContainsFunc(c.Steps, func(o Outcome) bool { return o.Result == Failed || o.Result == Stale })
}

// cell is a case's place in the table.
func (c Case) cell() string {
	count := map[Result]int{}
	for _, step := range c.Steps {
		count[step.Result]++
	}
	text := fmt.Sprintf("%d", count[Passed])
	if failed := count[Failed] + count[Stale]; failed > 0 {
		text = fmt.Sprintf("FAILED %d of %d", failed, len(c.Steps)-count[Untyped])
	}
	if count[Skipped] > 0 {
		text += fmt.Sprintf(", %d skipped", count[Skipped])
	}
	return text
}

// Print writes a table of cases and languages, and what failed. A number is that of steps that passed.
func (r *Report) Print(w io.Writer) error {
	var languages, names []string
	cells := map[[2]string]string{}
	for _, c := range r.Cases {
		name := c.Kind + " " + c.Name
		if !slices.Contains(languages, c.Language) {
			languages = append(languages, c.Language)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		cells[[2]string{name, c.Language}] = c.cell()
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "case")
	for _, language := range languages {
		fmt.Fprintf(table, "\t%s", language)
	}
	for _, name := range names {
		fmt.Fprintf(table, "\n%s", name)
		for _, language := range languages {
			fmt.Fprintf(table, "\t%s", cells[[2]string{name, language}])
		}
	}
	fmt.Fprintln(table)
	if err := table.Flush(); err != nil {
		return err
	}
	for _, c := range r.Cases {
		for _, step := range c.Steps {
			if step.Result == Failed || step.Result == Stale {
				fmt.Fprintf(w, "%s, %s %s, %s: %s\n", c.Language, c.Kind, c.Name, step.Step, step.Why)
			}
		}
	}
	for _, stale := range r.Stale {
		fmt.Fprintf(w, "stale skip %s\n", stale)
	}
	return nil
}
