package main

import (
	"errors"
	"fmt"
	"image"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception/ground"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

// locateOptions are the flags of the locate command.
type locateOptions struct {
	all       bool
	region    string
	languages string
	overlay   string
	json      bool

	within image.Rectangle // what region says
}

func locateCommand(load loader) *cobra.Command {
	var o locateOptions
	cmd := &cobra.Command{
		Use:   "locate FILE DESCRIPTION",
		Short: "Find what a description means on one picture, without a gateway",
		Long: "Looks at FILE (- for standard input) and prints the one point to click for DESCRIPTION, as \"the orange search button\".\n" +
			"It exits with 1 unless exactly one thing is meant, and tells what there is to choose from, or what is not met.\n" +
			"It asks the vision model that the settings name, and does without where there is none, or where it fails.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load()
			if err != nil {
				return err
			}
			if err := o.check(args[1]); err != nil {
				return err
			}
			return runLocate(cmd, c, args[0], args[1], o)
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "print all that may be meant, the best first, and exit with 0")
	cmd.Flags().StringVar(&o.region, "region", "", "look only at this part of the picture, as `x,y,width,height`")
	cmd.Flags().StringVar(&o.languages, "languages", "", "languages to read, as eng+deu (default: those of the configuration)")
	cmd.Flags().StringVar(&o.overlay, "overlay", "", "write a PNG with what may be meant marked to this file")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// check returns all that is wrong with what was asked.
func (o *locateOptions) check(description string) (err error) {
	var problems []string
	if o.within, err = parseRegion(o.region); err != nil {
		problems = append(problems, regionProblem)
	}
	if strings.TrimSpace(description) == "" {
		problems = append(problems, "DESCRIPTION: must say what is looked for")
	}
	if len(description) > locate.MaxDescription {
		problems = append(problems, fmt.Sprintf("DESCRIPTION: must be of at most %d bytes", locate.MaxDescription))
	}
	if problems != nil {
		return &configError{problems}
	}
	return nil
}

func runLocate(cmd *cobra.Command, c *config, file, description string, o locateOptions) error {
	p, err := openPicture(cmd, c, file, o.languages, o.within)
	if err != nil {
		return err
	}
	answer, err := p.finder.Locate(cmd.Context(), p.view, description)
	if err != nil {
		return err
	}
	if o.overlay != "" {
		if err := p.mark(cmd.Context(), p.found(answer), o.overlay); err != nil {
			return err
		}
	}
	if o.json {
		return p.locatedJSON(cmd.OutOrStdout(), answer, description, o.all)
	}
	tellFallback(cmd.ErrOrStderr(), answer.Fallback)
	one, ok := answer.One()
	switch {
	case o.all:
		return p.printMatches(cmd.OutOrStdout(), answer.Matches)
	case ok:
		at := one.Point.Add(p.view.Region.Min)
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%d,%d\n", at.X, at.Y)
		return err
	}
	if err := p.tellWhyNot(cmd.ErrOrStderr(), answer, description); err != nil {
		return err
	}
	return silentError(exitFailed)
}

// found marks what may be meant by its place among it, or the nearest miss.
func (p *picture) found(answer ground.Answer) (marks []overlay.Mark) {
	for n, m := range answer.Matches {
		marks = append(marks, p.markOf(m, strconv.Itoa(n+1)))
	}
	if len(marks) == 0 && answer.Nearest != nil {
		marks = append(marks, p.markOf(*answer.Nearest, "nearest"))
	}
	return marks
}

// markOf marks a match: its element, or where there is none, the point.
func (p *picture) markOf(m locate.Match, label string) overlay.Mark {
	if m.Element < 0 {
		const around = 12
		return overlay.Mark{Box: image.Rectangle{Min: m.Point, Max: m.Point}.Inset(-around).Add(p.view.Region.Min), Label: label}
	}
	return overlay.Mark{Box: p.box(m.Element), Label: label}
}

// printMatches lists matches, the best first: where to click, how well each
// fits, what it is, and what tells it from the others.
func (p *picture) printMatches(w io.Writer, matches []locate.Match) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range matches {
		at := m.Point.Add(p.view.Region.Min)
		what, hint := "-\t-", ""
		if m.Element >= 0 {
			e := &p.view.Elements[m.Element]
			what = fmt.Sprintf("%s\t%s", e.Role, quoted(e.Label))
		}
		if m.Hint != "" {
			hint = "\t" + plain.Text(m.Hint)
		}
		fmt.Fprintf(table, "%d,%d\t%.2f\t%s%s\n", at.X, at.Y, m.Score, what, hint)
	}
	return table.Flush()
}

// maxTold is how many of the things that may be meant are told.
const maxTold = 10

// tellWhyNot says why there is not one point, and what would help.
func (p *picture) tellWhyNot(w io.Writer, answer ground.Answer, description string) error {
	if n := len(answer.Matches); n > 0 {
		fmt.Fprintf(w, "windie: %d things fit %q alike; add what tells the one you mean, or look at a --region:\n", n, description)
		if err := p.printMatches(w, answer.Matches[:min(n, maxTold)]); err != nil || n <= maxTold {
			return err
		}
		_, err := fmt.Fprintf(w, "and %d more\n", n-maxTold)
		return err
	}
	switch {
	case p.view.Blank():
		fmt.Fprintln(w, "windie: there is nothing on the picture but its background")
	case answer.Said != "":
		fmt.Fprintf(w, "windie: the vision model sees no such thing: %s\n", plain.Text(answer.Said))
	default:
		fmt.Fprintf(w, "windie: nothing fits %q; not met: %s\n", description, plain.Text(strings.Join(answer.Unmet, ", ")))
	}
	if answer.Nearest == nil {
		return nil
	}
	fmt.Fprintln(w, "the nearest:")
	return p.printMatches(w, []locate.Match{*answer.Nearest})
}

// locatedJSON prints what the gateway's vision/locate or locate-all would
// answer.
func (p *picture) locatedJSON(w io.Writer, answer ground.Answer, description string, all bool) error {
	located := gateway.Located{Answer: answer, Image: p.info(), View: p.view, Description: description}
	if all {
		return writeJSON(w, located.WireAll(len(answer.Matches)))
	}
	one, err := located.WireOne()
	if err == nil {
		return writeJSON(w, one)
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	if err := writeJSON(w, sdkapi.ErrorResponse{Error: sdkapi.Error{Code: f.Code, Message: f.Message, Details: f.Details}}); err != nil {
		return err
	}
	return silentError(exitFailed)
}
