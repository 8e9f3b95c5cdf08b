package main

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/describe"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

// lookOptions are the flags of the look command.
type lookOptions struct {
	roles     []string
	text      string
	region    string
	languages string
	overlay   string
	describe  bool
	json      bool

	within image.Rectangle // what region says
}

func lookCommand(load loader) *cobra.Command {
	var o lookOptions
	cmd := &cobra.Command{
		Use:   "look FILE",
		Short: "List what stands on one picture, without a gateway",
		Long: "Looks at FILE (- for standard input) and lists its elements: number, role, label, states, colors, box as\n" +
			"x,y,width,height, and where to click. What is in another stands behind it.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			c, err := load()
			if err != nil {
				return err
			}
			if o.within, err = parseRegion(o.region); err != nil {
				return &configError{[]string{regionProblem}}
			}
			return runLook(cmd, c, args[0], o)
		},
	}
	cmd.Flags().StringSliceVar(&o.roles, "role", nil, "list only what has one of these roles, as \"button,link\"")
	cmd.Flags().StringVar(&o.text, "text", "", "list only what has this in its label, in whatever case")
	cmd.Flags().StringVar(&o.region, "region", "", "list only what has its center in this part of the picture, as `x,y,width,height`")
	cmd.Flags().StringVar(&o.languages, "languages", "", "languages to read, as eng+deu (default: those of the configuration)")
	cmd.Flags().StringVar(&o.overlay, "overlay", "", "write a PNG with what is listed marked by number to this file; what holds others, and texts on controls, only if --role names them")
	cmd.Flags().BoolVar(&o.describe, "describe", false, "tell what is to be seen in sentences instead")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runLook(cmd *cobra.Command, c *config, file string, o lookOptions) error {
	p, err := openPicture(cmd, c, file, o.languages, image.Rectangle{})
	if err != nil {
		return err
	}
	listed := p.list(o)
	if o.overlay != "" {
		if err := p.mark(cmd.Context(), p.marks(listed, len(o.roles) > 0), o.overlay); err != nil {
			return err
		}
	}
	switch w := cmd.OutOrStdout(); {
	case o.describe:
		return p.describe(cmd, w, o.json)
	case o.json:
		answer := sdkapi.ScreenElementsResponse{Image: p.info(), Elements: make([]sdkapi.Element, len(listed)), Total: len(listed)}
		for n, i := range listed {
			answer.Elements[n] = gateway.WireElement(p.view, i)
		}
		return writeJSON(w, answer)
	default:
		return p.printElements(w, listed)
	}
}

// list returns the elements that o asks for, each after what it is in, and
// what is in the same in reading order.
func (p *picture) list(o lookOptions) (listed []int) {
	in := map[int][]int{}
	for i, e := range p.view.Elements {
		in[e.Parent] = append(in[e.Parent], i)
	}
	text := strings.ToLower(o.text)
	var visit func(parent int)
	visit = func(parent int) {
		children := in[parent]
		slices.SortStableFunc(children, func(a, b int) int { return readingOrder(p.view.Elements[a].Box, p.view.Elements[b].Box) })
		for _, i := range children {
			e := &p.view.Elements[i]
			if (len(o.roles) == 0 || slices.Contains(o.roles, string(e.Role))) && strings.Contains(strings.ToLower(e.Label), text) &&
				(o.within.Empty() || perception.Center(e.Box).In(o.within)) {
				listed = append(listed, i)
			}
			visit(i)
		}
	}
	visit(-1)
	return listed
}

// readingOrder compares boxes from top to bottom, and from left to right where
// the middle of one is level with the other.
func readingOrder(a, b image.Rectangle) int {
	if m := perception.Center(a).Y; m >= b.Min.Y && m < b.Max.Y {
		return cmp.Compare(a.Min.X, b.Min.X)
	}
	return cmp.Compare(a.Min.Y, b.Min.Y)
}

func (p *picture) printElements(w io.Writer, listed []int) error {
	if len(listed) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "#\trole\tlabel\tstates\tcolors\tbox\tpoint")
	for _, i := range listed {
		e, b := &p.view.Elements[i], p.box(i)
		at := perception.Center(b)
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%d,%d,%d,%d\t%d,%d\n", i, e.Role, quoted(e.Label), statesOf(e), colorsOf(e),
			b.Min.X, b.Min.Y, b.Dx(), b.Dy(), at.X, at.Y)
	}
	return table.Flush()
}

// statesOf returns an element's states as a cell of a table.
func statesOf(e *elements.Element) string {
	names := make([]string, len(e.States))
	for i, s := range e.States {
		names[i] = string(s)
	}
	return cmp.Or(strings.Join(names, ", "), "-")
}

// marks number elements, in a color for each kind of role. What holds others, and
// would lie over them, is left out unless it is asked for.
func (p *picture) marks(listed []int, asked bool) (marks []overlay.Mark) {
	for _, i := range listed {
		role := p.view.Elements[i].Role
		if asked || !slices.Contains(holders, role) && !p.isLabel(i) {
			marks = append(marks, overlay.Mark{Box: p.box(i), Label: strconv.Itoa(i), Color: colorOf(role)})
		}
	}
	return marks
}

// isLabel reports whether an element is the text on a control, whose mark says
// enough.
func (p *picture) isLabel(i int) bool {
	e := p.view.Elements[i]
	return e.Role == elements.Text && e.Parent >= 0 && !slices.Contains(holders, p.view.Elements[e.Parent].Role)
}

// describe tells what is to be seen: the vision model, or else rules.
func (p *picture) describe(cmd *cobra.Command, w io.Writer, asJSON bool) error {
	prose, err := p.finder.Prose(cmd.Context(), p.view)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(w, gateway.WireDescription(p.info(), p.view, prose))
	}
	tellFallback(cmd.ErrOrStderr(), prose.Fallback)
	_, err = fmt.Fprintln(w, plain.Lines(cmp.Or(prose.Text, describe.Describe(p.view.Screen).Prose), ""))
	return err
}

// tellFallback says why a vision model that is set up was not the one to answer.
func tellFallback(w io.Writer, why error) {
	if why != nil {
		fmt.Fprintf(w, "windie: the vision model did not answer, so it was done without: %v\n", why)
	}
}
