package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/ground"
	"github.com/windieos/windie/perception/overlay"
	"github.com/windieos/windie/sdkapi"
)

// picture is a picture that is looked at without a gateway.
type picture struct {
	name   string
	source perception.Source
	finder *ground.Finder
	view   *ground.View
}

// openPicture finds what is on the picture name, - for standard input, or in a
// region of it.
func openPicture(cmd *cobra.Command, c *config, name, languages string, region image.Rectangle) (*picture, error) {
	data, err := readFile(cmd.InOrStdin(), name)
	if err != nil {
		return nil, err
	}
	finder, err := c.newFinder(newScenes(c, nil))
	if err != nil {
		return nil, err
	}
	p := &picture{name: name, source: perception.SourceOf(data), finder: finder}
	p.source.Languages = languages
	if !region.Empty() {
		h, err := perception.DecodeHeader(data)
		if err != nil {
			return nil, err
		}
		if !region.Min.In(image.Rect(0, 0, h.Width, h.Height)) {
			return nil, &configError{[]string{fmt.Sprintf("--region: its corner must lie on the picture, which is %d by %d pixels", h.Width, h.Height)}}
		}
	}
	p.view, err = finder.View(cmd.Context(), p.source, region)
	return p, err
}

// info says which picture it is, as the gateway does.
func (p *picture) info() sdkapi.ImageInfo {
	return sdkapi.ImageInfo{SourceID: p.name, ContentType: p.view.ContentType, Width: p.view.Width, Height: p.view.Height}
}

// mark writes a PNG of the picture with marks on it, which are in pixels of
// the whole picture.
func (p *picture) mark(ctx context.Context, marks []overlay.Mark, name string) error {
	return p.finder.Scenes().WithPixels(ctx, p.source, func(ctx context.Context, pixels *image.NRGBA) error {
		drawn, err := overlay.Draw(ctx, pixels, marks, overlay.Options{Labels: true})
		if err != nil {
			return err
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		return errors.Join(overlay.Encode(f, drawn), f.Close())
	})
}

// box returns where an element is on the whole picture.
func (p *picture) box(i int) image.Rectangle { return p.view.Elements[i].Box.Add(p.view.Region.Min) }

// roleColors are what elements are marked with by what they are for: what is
// pressed, typed into, chosen, followed, read, and what holds others.
var roleColors = []struct {
	color color.NRGBA
	roles []elements.Role
}{
	{color.NRGBA{0x15, 0x40, 0xEE, 0xFF}, []elements.Role{elements.Button, elements.IconButton}},
	{color.NRGBA{0xD8, 0x1F, 0x80, 0xFF}, []elements.Role{elements.Field, elements.SearchBox, elements.TextArea}},
	{color.NRGBA{0xE5, 0x8A, 0x1F, 0xFF}, []elements.Role{elements.Checkbox, elements.Radio, elements.Toggle, elements.Dropdown, elements.Slider}},
	{color.NRGBA{0x2F, 0xE0, 0xE6, 0xFF}, []elements.Role{elements.Link, elements.MenuItem, elements.Tab}},
	{color.NRGBA{0x73, 0x5E, 0x07, 0xFF}, []elements.Role{elements.Text, elements.Heading, elements.Badge}},
	{color.NRGBA{0x88, 0x88, 0x88, 0xFF}, holders},
}

// holders are the roles of what holds others.
var holders = []elements.Role{elements.Panel, elements.Row, elements.Toolbar, elements.Sidebar, elements.Dialog}

// otherColor is what all other elements are marked with.
var otherColor = color.NRGBA{0x7A, 0x10, 0x60, 0xFF}

// colorOf returns what an element of a role is marked with.
func colorOf(role elements.Role) color.NRGBA {
	for _, c := range roleColors {
		if slices.Contains(c.roles, role) {
			return c.color
		}
	}
	return otherColor
}

// colorsOf says which colors an element has, in words.
func colorsOf(e *elements.Element) string {
	var names []string
	for _, c := range []struct {
		color *elements.Color
		of    string
	}{{e.Fill, ""}, {e.Ink, " ink"}, {e.Border, " border"}} {
		if c.color != nil {
			names = append(names, c.color.Name()+c.of)
		}
	}
	return cmp.Or(strings.Join(names, ", "), "-")
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
