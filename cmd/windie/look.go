package main

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

// lookOptions are the flags of the look command.
type lookOptions struct {
	pictureFlags
	roles    []string
	text     string
	describe bool

	within image.Rectangle // the flag region; empty: everywhere
}

// lookCommand returns `windie look`. The exit code is 1 if --role, --text or --region match no
// element.
func lookCommand(load loader) *cobra.Command {
	var o lookOptions
	cmd := &cobra.Command{
		Use:   "look FILE",
		Short: "List the elements in one image, without a gateway",
		Long: "FILE is an image, or - for standard input. For each element the command prints its number, box and\n" +
			"click point, and what it is in one line. A box has the form x,y,width,height. A container is listed\n" +
			"before the elements in it. With --json, the command also prints all colors.",
		Example: "  windie look screen.png\n  windie look screen.png --role button,link",
		Args:    cobra.ExactArgs(1),
		RunE: load.run(func(cmd *cobra.Command, c *config, args []string) error {
			var p argumentError
			o.within = o.parseRegion(&p).Rect()
			o.checkRoles(&p)
			if err := p.orNil(); err != nil {
				return err
			}
			return ofFile(args[0], runLook(cmd, c, args[0], o))
		}),
	}
	o.add(cmd, "list only the elements with their center in",
		"write a PNG to `FILE`, with numbers on the listed elements; without --role, containers and texts on controls have no number")
	cmd.Flags().StringSliceVar(&o.roles, "role", nil, "list only elements with one of these `ROLES`, for example button,link")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(elements.RoleNames(), cobra.ShellCompDirectiveNoFileComp)) // cannot fail: the flag exists
	cmd.Flags().StringVar(&o.text, "text", "", "list only elements whose label contains `TEXT`, ignoring case")
	cmd.Flags().BoolVar(&o.describe, "describe", false, "describe the image in sentences instead")
	return cmd
}

// checkRoles adds the unknown roles to p.
func (o *lookOptions) checkRoles(p *argumentError) {
	for _, role := range o.roles {
		p.add(!slices.Contains(elements.RoleNames(), role), "--role: there is no %q; the roles are %s", role, strings.Join(elements.RoleNames(), ", "))
	}
}

// runLook prints the elements that o selects, or the description of the whole picture with
// --describe.
func runLook(cmd *cobra.Command, c *config, file string, o lookOptions) error {
	finder, err := ownFinder(c)
	if err != nil {
		return err
	}
	p, err := openPicture(cmd, file, finder, o.pictureFlags)
	if err != nil {
		return err
	}
	out, err := p.Elements(cmd.Context(), &sdkapi.ScreenElementsRequest{MaxResults: new(math.MaxInt), Reading: o.reading})
	if err != nil {
		return err
	}
	listed := o.list(out.Elements)
	if err := p.mark(cmd.Context(), marksOn(out.Elements, listed, len(o.roles) > 0)); err != nil {
		return err
	}
	switch w := cmd.OutOrStdout(); {
	case o.describe:
		return p.describe(cmd, w, o)
	case o.json:
		err = writeJSON(w, sdkapi.ScreenElementsResult{Image: out.Image, Elements: listed, Total: len(listed)})
	case len(listed) > 0:
		err = printElements(w, listed)
	}
	if err != nil {
		return err
	}
	return o.verdict(cmd.ErrOrStderr(), len(listed))
}

// verdict returns an error to a script if nothing was listed. A picture without any elements gets
// only a remark, unless the flags look for something.
func (o *lookOptions) verdict(w io.Writer, listed int) error {
	switch {
	case listed > 0:
		return nil
	case len(o.roles) == 0 && o.text == "" && o.within.Empty():
		fmt.Fprintln(w, "windie: there is nothing on the picture but its background")
		return nil
	}
	fmt.Fprintln(w, "windie: no element matches --role, --text and --region")
	return silentError(exitFailed)
}

// list returns the elements that o selects. Each element follows the element that contains it.
// Elements in the same container are in reading order.
func (o *lookOptions) list(all []sdkapi.Element) []sdkapi.Element {
	in := map[string][]sdkapi.Element{}
	for _, e := range all {
		parent := *cmp.Or(e.Parent, new(string))
		in[parent] = append(in[parent], e)
	}
	listed, text := []sdkapi.Element{}, strings.ToLower(o.text)
	var visit func(parent string)
	visit = func(parent string) {
		children := in[parent]
		slices.SortStableFunc(children, func(a, b sdkapi.Element) int { return readingOrder(a.BBox.Rect(), b.BBox.Rect()) })
		for _, e := range children {
			if (len(o.roles) == 0 || slices.Contains(o.roles, e.Role)) && strings.Contains(strings.ToLower(e.Label), text) &&
				(o.within.Empty() || geo.Center(e.BBox.Rect()).In(o.within)) {
				listed = append(listed, e)
			}
			visit(e.ID)
		}
	}
	visit("")
	return listed
}

// readingOrder compares boxes from top to bottom, and from left to right within a line.
func readingOrder(a, b image.Rectangle) int {
	if m := geo.Center(a).Y; m >= b.Min.Y && m < b.Max.Y {
		return cmp.Compare(a.Min.X, b.Min.X)
	}
	return cmp.Compare(a.Min.Y, b.Min.Y)
}

// printElements prints a table with a header. The ids in it are those of the overlay.
func printElements(w io.Writer, listed []sdkapi.Element) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "#\tbox\tpoint\telement")
	for _, e := range listed {
		at := geo.Center(e.BBox.Rect())
		fmt.Fprintf(table, "%s\t%d,%d,%d,%d\t%d,%d\t%s\n", e.ID, e.BBox.X, e.BBox.Y, e.BBox.Width, e.BBox.Height, at.X, at.Y, plain.Text(e.Line))
	}
	return table.Flush()
}

// marksOn returns numbered marks of elements, with a color for each kind of role. It marks the
// listed elements if asked is set; otherwise it marks those that a user can act on, each once.
func marksOn(all, listed []sdkapi.Element, asked bool) (marks []overlay.Mark) {
	by := map[string]*elements.Mark{}
	for _, m := range elements.Marks(elementsOf(all)) {
		by[all[m.Element].ID] = &m
	}
	for _, e := range listed {
		m := by[e.ID]
		if m == nil && !asked {
			continue
		}
		mark := overlay.Mark{Box: e.BBox.Rect(), Label: e.ID, Color: colorOf(elements.Role(e.Role))}
		if m != nil {
			mark.Keep = m.Keep
		}
		marks = append(marks, mark)
	}
	return marks
}

// elementsOf converts a list: roles, places and parents.
func elementsOf(all []sdkapi.Element) []elements.Element {
	list := make([]elements.Element, len(all))
	for i, e := range all {
		list[i] = elements.Element{Role: elements.Role(e.Role), Box: e.BBox.Rect(), Parent: -1}
		if e.Parent == nil {
			continue
		}
		if at, err := strconv.Atoi(*e.Parent); err == nil && at < i { // its index in all
			list[i].Parent = at
		}
	}
	return list
}

// describe prints a description by the vision model, or else by rules.
func (p *picture) describe(cmd *cobra.Command, w io.Writer, o lookOptions) error {
	out, err := p.Describe(cmd.Context(), &sdkapi.VisionDescribeRequest{Reading: o.reading})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(w, out)
	}
	_, err = fmt.Fprintln(w, plain.Lines(out.Description, ""))
	return err
}
