package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// ocrOptions are the flags of the ocr command, and the request that they make.
type ocrOptions struct {
	pictureFlags
	find     string
	question sdkapi.OCRInspectRequest
}

// ocrCommand returns `windie ocr`. With --find, the exit code is 1 unless exactly one row matches.
func ocrCommand(load loader) *cobra.Command {
	o := ocrOptions{question: sdkapi.OCRInspectRequest{Threshold: new(float64), MaxResults: new(math.MaxInt)}}
	cmd := &cobra.Command{
		Use:   "ocr FILE",
		Short: "Read the text in one image, without a gateway",
		Long: "FILE is an image, or - for standard input. The command prints the rows of text, each with its\n" +
			"click point and confidence. With --find, it prints the matching row. If several rows match\n" +
			"equally, it prints them all and exits with 1. Choose one of them with --region, --near or\n" +
			"--occurrence.",
		Example: "  windie ocr screen.png\n  windie ocr screen.png --find \"Add to cart\" --near '$42.00'",
		Args:    cobra.ExactArgs(1),
		RunE: load.run(func(cmd *cobra.Command, c *config, args []string) error {
			return ofFile(args[0], runOCR(cmd, c, args[0], o))
		}),
	}
	o.add(cmd, "read only", "write a PNG to `FILE`, with the rows marked")
	cmd.Flags().StringVar(&o.find, "find", "", "print only the row that matches `TEXT`")
	cmd.Flags().StringVar(&o.question.Near, "near", "", "if several rows match equally, choose the one nearest to `TEXT`")
	cmd.Flags().IntVar(&o.question.Occurrence, "occurrence", 0, "if several rows match equally, choose the `N`th in reading order, from 1")
	cmd.Flags().Float64Var(o.question.Threshold, "threshold", sdkapi.DefaultThreshold, "minimum `SCORE` of a match, from 0 to 1")
	return cmd
}

// complete adds the other flags to the request, or returns all problems of them.
func (o *ocrOptions) complete() error {
	var p argumentError
	q := &o.question
	q.Region = o.parseRegion(&p)
	p.add(*q.Threshold < 0 || *q.Threshold > 1, "--threshold: must be between 0 and 1")
	p.add(q.Occurrence < 0, "--occurrence: must not be negative")
	p.add(o.find == "" && (q.Near != "" || q.Occurrence != 0), "--near and --occurrence: choose between rows that match; give --find as well")
	if q.Reading = o.reading; o.find != "" {
		q.Text = &o.find
	}
	return p.orNil()
}

// runOCR prints the requested rows. It prints all rows that match equally, and then fails silently.
func runOCR(cmd *cobra.Command, c *config, file string, o ocrOptions) error {
	if err := o.complete(); err != nil {
		return err
	}
	p, err := openPicture(cmd, file, query.New(newScenes(c, nil, pools{}), nil), o.pictureFlags)
	if err != nil {
		return err
	}
	found, err := p.Inspect(cmd.Context(), &o.question)
	if err != nil {
		return err
	}
	rows := o.rows(found)
	marks := make([]overlay.Mark, len(rows))
	for i, r := range rows {
		marks[i] = overlay.Mark{Box: r.BBox.Rect(), Label: r.ID}
	}
	if err := p.mark(cmd.Context(), marks); err != nil {
		return err
	}
	if o.json { // like the response of the gateway's ocr/run
		err = writeJSON(cmd.OutOrStdout(), sdkapi.OCRRunResult{Image: found.Image, Results: rows, Unreadable: found.Unreadable})
	} else {
		err = printRows(cmd.OutOrStdout(), rows)
	}
	if err != nil {
		return err
	}
	if len(rows) == 0 && o.find == "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "windie: no text was found")
	}
	for _, u := range found.Unreadable {
		fmt.Fprintf(cmd.ErrOrStderr(), "windie: %d rows are in a script that is not readable: %s\n", u.Rows, u.Advice)
	}
	return o.verdict(cmd.ErrOrStderr(), found.ResolutionError)
}

// rows returns the requested rows: the match, or all equal matches. Without a text to find, it
// returns all rows in the region.
func (o *ocrOptions) rows(found *sdkapi.OCRInspectResult) []sdkapi.Row {
	switch {
	case o.find == "":
		return found.Results
	case found.ResolvedMatch != nil:
		return []sdkapi.Row{*found.ResolvedMatch}
	case o.question.Occurrence != 0: // there are fewer
		return []sdkapi.Row{}
	}
	return found.AcceptedMatches
}

// printRows prints id, click point, confidence and text of each row. For a row in an unreadable
// script, it prints the script instead.
func printRows(w io.Writer, rows []sdkapi.Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, r := range rows {
		text := plain.Text(r.Text)
		if r.Script != "" {
			text = fmt.Sprintf("(not readable: %s)", r.Script)
		}
		fmt.Fprintf(table, "%s\t%d,%d\t%.0f%%\t  %s\n", r.ID, r.Center.X, r.Center.Y, 100*r.Confidence, text)
	}
	return table.Flush()
}

// verdict returns an error to a script unless --find has exactly one match.
func (o *ocrOptions) verdict(w io.Writer, failed *sdkapi.ResolutionError) error {
	if failed == nil {
		return nil
	}
	field, rows := "", len(failed.Detail.Details.ResolverPayload.Candidates)
	if at := failed.Detail.Details.Fields; len(at) > 0 {
		field = at[0].Path
	}
	switch {
	case failed.Detail.Code == sdkapi.AmbiguousMatch:
		fmt.Fprintf(w, "windie: %d rows match %q alike; say which by --near, --region or --occurrence\n", rows, o.find)
	case field == "body.near":
		fmt.Fprintf(w, "windie: no row matches %q, which --near names\n", o.question.Near)
	case field == "body.occurrence":
		fmt.Fprintf(w, "windie: there is no occurrence %d of %q, only %d\n", o.question.Occurrence, o.find, rows)
	default:
		fmt.Fprintf(w, "windie: no row matches %q\n", o.find)
	}
	return silentError(exitFailed)
}
