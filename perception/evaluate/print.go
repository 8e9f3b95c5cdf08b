package evaluate

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Print writes the evaluation to w: a table by screen and kind, and the results for all screens.
func (e *Evaluation) Print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "screen\twords\trecall\tprecision\tlocated\telements\tcontrols\tcold ms\tsame ms\tchanged ms\telements ms\t")
	row := func(name string, words int, f figures) {
		fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%.3f\t%s\t%s\t%.0f\t%.2f\t%.0f\t%.0f\t\n", name, words, f.WordRecall, f.Precision, f.Located,
			f.Elements.All.orNone(), f.Elements.Controls.orNone(), f.Cold, f.Same, f.Changed, f.Looking)
	}
	words := 0
	for _, s := range e.Screens {
		words += s.Words
		row(s.Name, s.Words, s.figures)
	}
	for _, g := range e.Kinds {
		row(fmt.Sprintf("%s (%d)", g.name(), g.Screens), g.Words, g.figures)
	}
	row("all", words, e.figures)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "resolve: found %.3f of %d, ambiguous %.3f of %d, missing %.3f of %d\n", e.Resolve.Found, e.answers.Found.Of,
		e.Resolve.Ambiguous, e.answers.Ambiguous.Of, e.Resolve.Missing, e.answers.Missing.Of)
	if e.Locate.Wrong.Of > 0 {
		fmt.Fprintf(w, "locate: %v\n", e.Locate)
		e.Locate.printStyles(w)
	}
	if e.Held.Wrong.Of > 0 {
		fmt.Fprintf(w, "locate, held: %v\n", e.Held)
		e.Held.printStyles(w)
	}
	if len(e.took) > 0 {
		fmt.Fprintf(w, "a description takes %.2f ms\n", e.Locating)
	}
	printBins(w, e.Confidence)
	fmt.Fprintf(w, "elements: %v, controls: %v, false: %v\n", e.Elements.All, e.Elements.Controls, e.Elements.False)
	e.Clicks.print(w)
	_, err := fmt.Fprintf(w, "a screen never seen takes %.0f times as long as the same again, %.1f times as long as one that has changed\n",
		e.Cold/e.Same, e.Cold/e.Changed)
	return err
}

// orNone returns the ratio as a cell of a table, or "-" without any.
func (p part) orNone() string {
	if p.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", p.ratio())
}

// PrintMisses writes to w, for each screen, the missed words, the missed elements and the wrong
// answers.
func (e *Evaluation) PrintMisses(w io.Writer) error {
	for _, s := range e.Screens {
		if len(s.Missed)+len(s.MissedElements)+len(s.FalseElements)+len(s.MissedQuestions) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", s.Name)
		for _, m := range s.Missed {
			read := "not read"
			if m.Read != nil {
				read = fmt.Sprintf("read as %q", *m.Read)
			}
			fmt.Fprintf(w, "  word     %q: %s\n", m.Text, read)
		}
		for _, m := range s.MissedElements {
			nearest := "nothing there"
			if m.Nearest != "" {
				nearest = fmt.Sprintf("nearest %s, overlaps by %.2f", m.Nearest, m.Overlap)
			}
			if !m.Clicked {
				nearest += ", no click acts on it"
			}
			fmt.Fprintf(w, "  element  %s %q %v: %s\n", m.Tag, m.Text, m.Box, nearest)
		}
		for _, m := range s.FalseElements {
			fmt.Fprintf(w, "  false    %s %q %v\n", m.Role, m.Text, m.Box)
		}
		// wrong points first, because a wrong point is worse than none
		for _, wrong := range []bool{true, false} {
			for _, m := range s.MissedQuestions {
				if m.Wrong == wrong {
					fmt.Fprintf(w, "  %-8s %q expects %s: %s\n", m.name(), m.Asked, m.Expect, m.Got)
				}
			}
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// name returns the label of the miss: the kind of the question, or "wrong" for a wrong point.
func (m missedQuestion) name() string {
	if m.Wrong {
		return "wrong"
	}
	return m.Kind
}
