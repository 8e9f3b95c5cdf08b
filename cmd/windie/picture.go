package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// pictureFlags are the flags of each command that asks about one picture.
type pictureFlags struct {
	reading sdkapi.Reading
	region  string
	overlay string
	json    bool
}

// add adds the flags to a command, which says what region and overlay are for.
func (o *pictureFlags) add(cmd *cobra.Command, region, overlay string) {
	cmd.Flags().StringVar(&o.region, "region", "", region+" this part of the picture, as `x,y,width,height`")
	cmd.Flags().StringVar(&o.reading.Languages, "languages", "", "languages to read, as eng+deu (default: those of the configuration)")
	cmd.Flags().StringVar(&o.overlay, "overlay", "", overlay)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
}

const regionProblem = "--region: must be x,y,width,height in pixels, as 0,100,640,480"

// parseRegion reads x,y,width,height. Nothing is the whole picture, and nil.
func parseRegion(s string) (*sdkapi.Region, error) {
	if s == "" {
		return nil, nil
	}
	var n [4]int
	parts := strings.Split(s, ",")
	if len(parts) != len(n) {
		return nil, errors.New("not four numbers")
	}
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(strings.TrimSpace(parts[i])); err != nil {
			return nil, err
		}
	}
	if n[2] < 1 || n[3] < 1 {
		return nil, errors.New("nothing is in it")
	}
	return &sdkapi.Region{X: n[0], Y: n[1], Width: n[2], Height: n[3]}, nil
}

// picture is a picture that is asked about without a gateway: the only image of
// its Screens, whichever a request names.
type picture struct {
	query.Screens
	image   query.Image
	overlay string // the file that marks are drawn into
}

var _ query.Images = (*picture)(nil)

// openPicture reads the picture name, - for standard input. Failures of a vision
// model are told on standard error, unless the answer is JSON, which has them.
func openPicture(cmd *cobra.Command, name string, finder *query.Finder, o pictureFlags) (*picture, error) {
	data, err := readFile(cmd.InOrStdin(), name)
	if err != nil {
		return nil, err
	}
	p := &picture{image: query.Image{Source: perception.SourceOf(data), Info: sdkapi.ImageInfo{SourceID: name}}, overlay: o.overlay}
	p.Screens = query.Screens{Finder: finder, Images: p}
	if !o.json {
		p.OnFallback = func(why error) {
			fmt.Fprintf(cmd.ErrOrStderr(), "windie: the vision model did not answer, so it was done without: %v\n", why)
		}
	}
	return p, nil
}

// readFile reads a picture of at most the size that is decoded, and one byte
// more, so that a larger one is refused and not cut.
func readFile(stdin io.Reader, name string) ([]byte, error) {
	r := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	return io.ReadAll(io.LimitReader(r, perception.MaxImageBytes+1))
}

// Image implements query.Images.
func (p *picture) Image(context.Context, sdkapi.ImageSource) (query.Image, error) {
	return p.image, nil
}

// Keep implements query.Images: it writes what was drawn to the overlay's file.
func (p *picture) Keep(_ context.Context, drawn []byte) (sdkapi.Artifact, error) {
	f, err := os.Create(p.overlay)
	if err != nil {
		return sdkapi.Artifact{}, err
	}
	_, err = f.Write(drawn)
	return sdkapi.Artifact{}, errors.Join(err, f.Close())
}

// mark draws marks onto the picture, if an overlay is asked for.
func (p *picture) mark(ctx context.Context, marks []overlay.Mark) error {
	if p.overlay == "" {
		return nil
	}
	_, err := p.Draw(ctx, p.image, marks, true)
	return err
}

// roleColors are what elements are marked with by what they are for: what is
// pressed, typed into, chosen, followed and read.
var roleColors = []struct {
	color color.NRGBA
	roles []elements.Role
}{
	{color.NRGBA{0x15, 0x40, 0xEE, 0xFF}, []elements.Role{elements.Button, elements.IconButton}},
	{color.NRGBA{0xD8, 0x1F, 0x80, 0xFF}, []elements.Role{elements.Field, elements.SearchBox, elements.TextArea}},
	{color.NRGBA{0xE5, 0x8A, 0x1F, 0xFF}, []elements.Role{elements.Checkbox, elements.Radio, elements.Toggle, elements.Dropdown, elements.Slider}},
	{color.NRGBA{0x2F, 0xE0, 0xE6, 0xFF}, []elements.Role{elements.Link, elements.MenuItem, elements.Tab}},
	{color.NRGBA{0x73, 0x5E, 0x07, 0xFF}, []elements.Role{elements.Text, elements.Heading, elements.Badge}},
}

// What holds others is marked with holderColor, and all else with otherColor.
var (
	holderColor = color.NRGBA{0x88, 0x88, 0x88, 0xFF}
	otherColor  = color.NRGBA{0x7A, 0x10, 0x60, 0xFF}
)

// colorOf returns what an element of a role is marked with.
func colorOf(role elements.Role) color.NRGBA {
	for _, c := range roleColors {
		if slices.Contains(c.roles, role) {
			return c.color
		}
	}
	if role.Holds() {
		return holderColor
	}
	return otherColor
}

// maxCell is how many characters of a label a table shows.
const maxCell = 48

// quoted returns a label as a cell of a table, - for none.
func quoted(label string) string {
	if label == "" {
		return "-"
	}
	if r := []rune(label); len(r) > maxCell {
		label = string(r[:maxCell-1]) + "…"
	}
	return fmt.Sprintf("%q", label)
}

// writeJSON prints an answer as the gateway's routes give it.
func writeJSON(w io.Writer, answer any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(answer)
}
