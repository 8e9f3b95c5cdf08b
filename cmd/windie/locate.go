package main

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// locateOptions are the flags of the locate command.
type locateOptions struct {
	pictureFlags
	all bool
}

// locateCommand returns `windie locate`. The exit code is 1 unless exactly one element matches, or
// --all is set.
func locateCommand(load loader) *cobra.Command {
	var o locateOptions
	cmd := &cobra.Command{
		Use:   "locate FILE DESCRIPTION",
		Short: "Find the element that matches a description in one image, without a gateway",
		Long: "FILE is an image, or - for standard input. If exactly one element matches DESCRIPTION, the command\n" +
			"prints its click point. Otherwise, the command lists the candidates or the words without a match,\n" +
			"and exits with 1. If a vision model is set, the command also asks the model. If the model does not\n" +
			"answer, the command works without the model.",
		Example: "  windie locate screen.png \"the orange search button\"\n  windie locate screen.png \"Add to cart\" --all",
		Args:    cobra.ExactArgs(2),
		RunE: load.run(func(cmd *cobra.Command, c *config, args []string) error {
			question, err := o.question(args[1])
			if err != nil {
				return err
			}
			return ofFile(args[0], runLocate(cmd, c, args[0], question, o))
		}),
	}
	o.add(cmd, "look only at", "write a PNG to `FILE`, with the candidates marked")
	cmd.Flags().BoolVar(&o.all, "all", false, "print all candidates, best first, and exit with 0")
	return cmd
}

// question returns the request, or all problems of the flags.
func (o *locateOptions) question(description string) (*sdkapi.VisionLocateRequest, error) {
	var p argumentError
	region := o.parseRegion(&p)
	p.add(strings.TrimSpace(description) == "", "DESCRIPTION: must say what is looked for")
	p.add(len(description) > locate.MaxDescription, "DESCRIPTION: must be of at most %d bytes", locate.MaxDescription)
	return &sdkapi.VisionLocateRequest{Description: description, Region: region, Reading: o.reading}, p.orNil()
}

// runLocate prints the click point, the candidates or JSON. It draws the overlay first, also when
// nothing matches.
func runLocate(cmd *cobra.Command, c *config, file string, question *sdkapi.VisionLocateRequest, o locateOptions) error {
	finder, err := ownFinder(c)
	if err != nil {
		return err
	}
	p, err := openPicture(cmd, file, finder, o.pictureFlags)
	if err != nil {
		return err
	}
	if err := p.hasCorner(cmd, question.Region); err != nil {
		return err
	}
	located, err := p.Located(cmd.Context(), question)
	if err != nil {
		return err
	}
	list := located.List(math.MaxInt)
	if err := p.mark(cmd.Context(), marksOf(list)); err != nil {
		return err
	}
	switch w := cmd.OutOrStdout(); {
	case o.json && o.all:
		return writeJSON(w, list)
	case o.json:
		return printLocated(w, located)
	case o.all:
		return printTargets(w, list.Matches)
	case len(list.Matches) == 1:
		at := list.Matches[0].Center
		_, err := fmt.Fprintf(w, "%d,%d\n", at.X, at.Y)
		return err
	}
	if err := explain(cmd.ErrOrStderr(), located, list); err != nil {
		return err
	}
	return silentError(exitFailed)
}

// hasCorner fails if a region begins outside of the picture.
func (p *picture) hasCorner(cmd *cobra.Command, region *sdkapi.Region) error {
	if region == nil {
		return nil
	}
	data, err := p.image.Source.Read(cmd.Context())
	if err != nil {
		return err
	}
	h, err := perception.DecodeHeader(data)
	if err == nil && !region.Rect().Min.In(image.Rect(0, 0, h.Width, h.Height)) {
		err = wrongArgument("--region: its corner must lie on the picture, which is %d by %d pixels", h.Width, h.Height)
	}
	return err
}

// marksOf returns the marks of the targets, or of the elements that fit best, numbered like the list.
func marksOf(list *sdkapi.VisionLocateAllResult) (marks []overlay.Mark) {
	for n, t := range slices.Concat(list.Matches, list.Nearest) {
		marks = append(marks, markOf(t, strconv.Itoa(n+1)))
	}
	return marks
}

// markOf returns the mark of a target: its element, or its point if there is none.
func markOf(t sdkapi.Target, label string) overlay.Mark {
	if t.Element != nil {
		return overlay.Mark{Box: t.BBox.Rect(), Label: label}
	}
	const around = 12
	at := image.Pt(t.Center.X, t.Center.Y)
	return overlay.Mark{Box: image.Rectangle{Min: at, Max: at}.Inset(-around), Label: label}
}

// printTargets lists targets, best first: the click point, the score and the line.
func printTargets(w io.Writer, targets []sdkapi.Target) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, t := range targets {
		fmt.Fprintf(table, "%d,%d\t%.2f\t%s\n", t.Center.X, t.Center.Y, *t.Score, plain.Text(t.Line))
	}
	return table.Flush()
}

// maxListed limits the listed targets.
const maxListed = 10

// explain prints why there are several targets or no target, and how to change the description.
func explain(w io.Writer, located *query.Located, list *sdkapi.VisionLocateAllResult) error {
	if n := len(list.Matches); n > 0 {
		fmt.Fprintf(w, "windie: %d things fit %q alike; describe more of the one you mean, or look at a --region:\n", n, located.Description)
		if err := printTargets(w, list.Matches[:min(n, maxListed)]); err != nil || n <= maxListed {
			return err
		}
		_, err := fmt.Fprintf(w, "and %d more\n", n-maxListed)
		return err
	}
	switch {
	case located.View.Blank():
		fmt.Fprintln(w, "windie: there is nothing on the picture but its background")
	case located.Said != "":
		fmt.Fprintf(w, "windie: the vision model sees no such thing: %s\n", plain.Text(located.Said))
	default:
		fmt.Fprintf(w, "windie: nothing fits %q; not met: %s\n", located.Description, plain.Text(strings.Join(located.Unmet, ", ")))
	}
	if len(list.Nearest) == 0 {
		return nil
	}
	fmt.Fprintln(w, "the nearest:")
	return printTargets(w, list.Nearest)
}

// printLocated prints the response of the route vision/locate. For no match or several, that is the
// error body, and the command fails silently.
func printLocated(w io.Writer, located *query.Located) error {
	one, err := located.Single()
	if err == nil {
		return writeJSON(w, one)
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	if err := writeJSON(w, sdkapi.ErrorResponse{Error: sdkapi.Error{Code: f.Code, Message: f.Message, Details: f.Details}}); err != nil {
		return err
	}
	return silentError(exitFailed)
}
