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

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// pictureFlags are the flags of the commands that query one picture.
type pictureFlags struct {
	reading sdkapi.Reading
	region  string
	overlay string
	json    bool
}

// add adds the flags to a command. region and overlay are the descriptions of two of them.
func (o *pictureFlags) add(cmd *cobra.Command, region, overlay string) {
	cmd.Flags().StringVar(&o.region, "region", "", region+" the part `X,Y,WIDTH,HEIGHT` of the image")
	cmd.Flags().StringVar(&o.reading.Languages, "languages", "", "`LANGUAGES` to read, for example eng+deu (default from the settings)")
	cmd.Flags().StringVar(&o.overlay, "overlay", "", overlay)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
}

// parseRegion parses the flag --region. It returns nil if there is none, and adds a problem to p if
// it is invalid.
func (o *pictureFlags) parseRegion(p *argumentError) *sdkapi.Region {
	if o.region == "" {
		return nil
	}
	var n [4]int
	parts := strings.Split(o.region, ",")
	bad := len(parts) != len(n)
	for i := 0; i < len(n) && !bad; i++ {
		var err error
		n[i], err = strconv.Atoi(strings.TrimSpace(parts[i]))
		bad = err != nil
	}
	p.add(bad || n[2] < 1 || n[3] < 1, "--region: must be x,y,width,height in pixels, as 0,100,640,480")
	return &sdkapi.Region{X: n[0], Y: n[1], Width: n[2], Height: n[3]}
}

// picture is the only image of its Screens. Every request refers to it.
type picture struct {
	query.Screens
	image   query.Image
	overlay string // file for the picture with marks
}

var _ query.Images = (*picture)(nil)

// openPicture reads the picture name; - means standard input. It writes failures of a vision model
// to standard error, unless the output is JSON, which contains them.
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

// ofFile adds the file name of a picture to an error.
func ofFile(name string, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return fmt.Errorf("%s: %w", name, plain.Explain(f))
	}
	return err
}

// readFile reads a picture like readAtMost; - means standard input.
func readFile(stdin io.Reader, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(stdin, perception.MaxImageBytes+1))
	}
	return readAtMost(name, perception.MaxImageBytes)
}

// Image implements query.Images: it returns the one picture for every source.
func (p *picture) Image(context.Context, sdkapi.ImageSource) (query.Image, error) {
	return p.image, nil
}

// Keep implements query.Images: it writes the drawn picture to the overlay's file.
func (p *picture) Keep(_ context.Context, drawn io.Reader) (sdkapi.Artifact, error) {
	picture, err := io.ReadAll(drawn) // read completely before the old file is lost
	if err != nil {
		return sdkapi.Artifact{}, err
	}
	return sdkapi.Artifact{}, os.WriteFile(p.overlay, picture, 0o666) //nolint:gosec // as the user's umask has it
}

// mark draws marks onto the picture, if the overlay flag is set.
func (p *picture) mark(ctx context.Context, marks []overlay.Mark) error {
	if p.overlay == "" {
		return nil
	}
	_, err := p.Draw(ctx, p.image, marks, true)
	return err
}

// roleColors are the colors of marks, by the use of an element.
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

// holderColor marks elements that contain others, and otherColor all other roles.
var (
	holderColor = color.NRGBA{0x88, 0x88, 0x88, 0xFF}
	otherColor  = color.NRGBA{0x7A, 0x10, 0x60, 0xFF}
)

// colorOf returns the color of marks for a role.
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

// writeJSON prints a result in the form of the gateway's routes.
func writeJSON(w io.Writer, answer any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(answer)
}
