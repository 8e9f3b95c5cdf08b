package query_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdkapi"
)

// drawnMenu returns a picture in base64 of a menu, or of buttons below each other, and the box of
// each entry.
func drawnMenu(t *testing.T, labels []string, buttons bool) (picture string, boxes []image.Rectangle) {
	t.Helper()
	img := testkit.Canvas(480, 80+36*len(labels), color.NRGBA{233, 236, 239, 255})
	menu := image.Rect(40, 20, 360, 36+36*len(labels))
	draw.Draw(img, menu, image.NewUniform(color.NRGBA{173, 181, 189, 255}), image.Point{}, draw.Src)
	draw.Draw(img, menu.Inset(1), image.White, image.Point{}, draw.Src)
	for i, label := range labels {
		box := image.Rect(41, 28+36*i, 359, 64+36*i)
		pen := testkit.Pen{}
		if buttons {
			words := pen.Write(testkit.Canvas(480, 40, color.White), 60, 24, label)
			face := image.Rect(44, box.Min.Y+2, words[len(words)-1].Max.X+16, box.Max.Y-2)
			draw.Draw(img, face, image.NewUniform(color.NRGBA{13, 110, 253, 255}), image.Point{}, draw.Src)
			pen.Ink = color.White
		}
		pen.Write(img, 60, box.Min.Y+24, label)
		boxes = append(boxes, box)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes()), boxes
}

// TestCommandsAsDrawn checks that a drawn command is found: a button by its text, and an entry of a
// menu by a description. If the command is missing, no other one may be found.
func TestCommandsAsDrawn(t *testing.T) {
	t.Parallel()
	screens := query.Screens{Finder: query.New(perception.NewScenes(reader.New(reader.Config{}), perception.Options{}), nil), Images: query.Stored{Store: noStore}}
	ways := map[string]func(picture, asked string) (sdkapi.Point, error){
		"text": func(picture, asked string) (at sdkapi.Point, err error) {
			answer, err := screens.ResolveCommand(context.Background(), &sdkapi.OCRTextRequest{Image: sdkapi.ImageSource{ImageBase64: picture}, Text: asked})
			if err == nil {
				at = answer.Match.Center
			}
			return at, err
		},
		"description": func(picture, asked string) (at sdkapi.Point, err error) {
			answer, err := screens.Locate(context.Background(), &sdkapi.VisionLocateRequest{Image: sdkapi.ImageSource{ImageBase64: picture}, Description: asked})
			if err == nil {
				at = answer.Point
			}
			return at, err
		},
	}
	for _, group := range testkit.Commands {
		for way, ask := range ways {
			picture, boxes := drawnMenu(t, group, way == "text")
			for i, asked := range group {
				if at, err := ask(picture, asked); err != nil || !image.Pt(at.X, at.Y).In(boxes[i]) {
					t.Errorf("%s %q of %q is %v, %v, and not in %v", way, asked, group, at, err, boxes[i])
				}
				others := append(append([]string{}, group[:i]...), group[i+1:]...)
				without, _ := drawnMenu(t, others, way == "text")
				if at, err := ask(without, asked); err == nil {
					t.Errorf("%s %q is taken of %q: %v", way, asked, others, at)
				}
			}
		}
	}
}

// TestCommandsBetweenLines finds an entry of a menu that stands with its neighbors between two
// lines. The lines make the group look like one control.
func TestCommandsBetweenLines(t *testing.T) {
	t.Parallel()
	screens := query.Screens{Finder: query.New(perception.NewScenes(reader.New(reader.Config{}), perception.Options{}), nil), Images: query.Stored{Store: noStore}}
	groups := [][]string{{"Undo", "Redo"}, {"Cut", "Copy", "Paste"}, {"Delete"}, {"Duplicate", "Make Link", "Rename..."}, {"Configure custom actions...", "Preferences..."}}
	img := testkit.Canvas(700, 420, color.NRGBA{246, 245, 244, 255})
	line, height := image.NewUniform(color.NRGBA{218, 214, 210, 255}), 25
	draw.Draw(img, image.Rect(40, 20, 365, 22+11*height+5), image.NewUniform(color.NRGBA{190, 186, 182, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(41, 21, 364, 21+11*height+5), image.White, image.Point{}, draw.Src)
	y, boxes := 21, map[string]image.Rectangle{}
	for g, group := range groups {
		if g > 0 {
			draw.Draw(img, image.Rect(41, y, 364, y+1), line, image.Point{}, draw.Src)
			y++
		}
		for _, label := range group {
			testkit.Pen{Em: 13}.Write(img, 70, y+17, label)
			if label == "Rename..." {
				testkit.Pen{Em: 13, Ink: color.NRGBA{146, 149, 149, 255}}.Write(img, 340, y+17, "F2")
			}
			boxes[label] = image.Rect(41, y, 364, y+height)
			y += height
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	for label, box := range boxes {
		got, err := screens.ResolveCommand(t.Context(), &sdkapi.OCRTextRequest{Image: sdkapi.ImageSource{ImageBase64: base64.StdEncoding.EncodeToString(out.Bytes())}, Text: label})
		if err != nil || !image.Pt(got.Match.Center.X, got.Match.Center.Y).In(box) {
			t.Errorf("%q is %v, %v, and not in %v", label, got, err, box)
		}
	}
}
