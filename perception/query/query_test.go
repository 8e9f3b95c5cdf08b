package query_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// signs is an engine that reads two words on every screen.
type signs struct{ perception.Engine }

func (signs) Read(context.Context, perception.Screen, sdkapi.Reading) ([]perception.Row, error) {
	word := func(text string, box image.Rectangle) perception.Row {
		return perception.NewRow([]perception.Word{{Text: text, Confidence: 1, Box: box}})
	}
	return []perception.Row{word("Search", image.Rect(10, 10, 70, 30)), word("Orders", image.Rect(110, 10, 170, 30))}, nil
}

// noStore is the Store for tests that use no artifacts.
func noStore(context.Context) (artifacts.Store, error) { return nil, errors.New("no artifacts here") }

// blankPNG returns a blank picture, in base64.
func blankPNG(width int) string {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, 40))); err != nil {
		panic(err) // memory does not fail
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

func ExampleScreens() {
	screens := query.Screens{
		Finder: query.New(perception.NewScenes(signs{}, perception.Options{}), nil),
		Images: query.Stored{Store: noStore},
	}
	shot := sdkapi.ImageSource{ImageBase64: blankPNG(200)}
	answer, err := screens.ResolveText(context.Background(), &sdkapi.OCRTextRequest{Image: shot, Text: "orders"})
	fmt.Println(answer.Match.Center, err)
	_, err = screens.ResolveText(context.Background(), &sdkapi.OCRTextRequest{Image: shot, Text: "checkout"})
	fmt.Println(fault.CodeOf(err), len(fault.From(err).Details.ResolverPayload.Candidates))
	// Output:
	// {140 20} <nil>
	// TEXT_NOT_FOUND 0
}

// TestCharge checks that reading a screen and drawing on it are charged once each, and that a
// cached screen is not charged. A refused request must read nothing.
func TestCharge(t *testing.T) {
	t.Parallel()
	refused, charges := errors.New("the caller has used up the limit"), 0
	screens := query.Screens{
		Finder: query.New(perception.NewScenes(signs{}, perception.Options{}), nil),
		Images: query.Stored{Store: noStore},
		Charge: func(context.Context, []byte) error {
			if charges++; charges == 1 {
				return refused
			}
			return nil
		},
	}
	read := &sdkapi.OCRReadArguments{Image: sdkapi.ImageSource{ImageBase64: blankPNG(90)}}
	if _, err := screens.Read(t.Context(), read); !errors.Is(err, refused) {
		t.Errorf("refused: %v", err)
	}
	for range 3 {
		if out, err := screens.Read(t.Context(), read); err != nil || len(out.Results) != 2 || charges != 2 {
			t.Errorf("%+v, %v; %d charges", out, err, charges)
		}
	}
	mark := &sdkapi.VisionOverlayRequest{Image: read.Image, Points: []sdkapi.OverlayPoint{{X: 1, Y: 1}}}
	if _, err := screens.Overlay(t.Context(), mark); err == nil || charges != 3 {
		t.Errorf("drawn without a store: %v; %d charges", err, charges)
	}
}

// TestOnFallback checks that the error of the vision model is reported once, and is in the response
// too.
func TestOnFallback(t *testing.T) {
	t.Parallel()
	var reported []error
	screens := query.Screens{Finder: finder(t, &server{status: 503}), Images: query.Stored{Store: noStore}}
	screens.OnFallback = func(err error) { reported = append(reported, err) }
	out, err := screens.LocateAll(t.Context(), &sdkapi.VisionLocateAllRequest{VisionLocateRequest: sdkapi.VisionLocateRequest{
		Image: sdkapi.ImageSource{ImageBase64: base64.StdEncoding.EncodeToString(formPNG)}, Description: "submit",
	}})
	if err != nil || out.Fallback == nil || len(reported) != 1 || fault.CodeOf(reported[0]) != out.Fallback.Code {
		t.Errorf("%+v, %v; reported %v", out, err, reported)
	}
}

func TestDecodeBase64(t *testing.T) {
	t.Parallel()
	plain := base64.StdEncoding.EncodeToString([]byte("an image"))
	for in, fine := range map[string]bool{
		plain:                            true,
		strings.TrimRight(plain, "="):    true,
		plain[:4] + "\r\n" + plain[4:]:   true,
		"data:image/png;base64," + plain: true,
		"data:;base64," + plain:          true,
		"data:image/png," + plain:        false,
		"data:image/png;base64":          false,
		"not base64!":                    false,
		plain[:5]:                        false,
	} {
		t.Run(in, func(t *testing.T) {
			got, err := query.DecodeBase64(in)
			if (err == nil) != fine || fine && string(got) != "an image" {
				t.Errorf("%q: %q, %v", in, got, err)
			}
		})
	}
}

// foreign is an engine that reads one word, and finds two words that it cannot read.
type foreign struct{ perception.Engine }

func (foreign) Read(context.Context, perception.Screen, sdkapi.Reading) ([]perception.Row, error) {
	return []perception.Row{
		perception.NewRow([]perception.Word{{Text: "Search", Confidence: 1, Box: image.Rect(10, 10, 70, 30)}}),
		perception.Unreadable(sdkapi.ScriptCJK, image.Rect(80, 10, 120, 30), 0.8),
		perception.Unreadable(sdkapi.ScriptOther, image.Rect(130, 10, 180, 30), 0.7),
	}, nil
}

// TestUnreadable checks that unreadable text has a box and a script, and that responses say how to
// make it readable. No search may find this text, but its candidate_id must.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	screens := query.Screens{
		Finder: query.New(perception.NewScenes(foreign{}, perception.Options{}), nil),
		Images: query.Stored{Store: noStore},
	}
	shot := sdkapi.ImageSource{ImageBase64: blankPNG(200)}
	out, err := screens.Inspect(t.Context(), &sdkapi.OCRInspectRequest{Image: shot})
	if err != nil {
		t.Fatal(err)
	}
	row := out.Results[1]
	if row.Readable == nil || *row.Readable || row.Script != sdkapi.ScriptCJK || row.Text != "" || row.Words != nil || row.BBox.Width != 40 {
		t.Errorf("%+v", row)
	}
	if out.Results[0].Readable != nil || out.Results[0].Script != "" {
		t.Errorf("%+v", out.Results[0])
	}
	if len(out.Unreadable) != 2 || out.Unreadable[0].Rows != 1 || !strings.Contains(out.Unreadable[0].Advice, "tesseract-ocr-chi-sim") {
		t.Errorf("%+v", out.Unreadable)
	}
	for _, text := range []string{"文件", "x", "\ue000", "Searching"} {
		t.Run(text, func(t *testing.T) {
			_, err := screens.ResolveText(t.Context(), &sdkapi.OCRTextRequest{Image: shot, Text: text})
			if fault.CodeOf(err) != sdkapi.TextNotFound || !strings.Contains(err.Error(), "the reader cannot read 1 rows: to read Chinese") {
				t.Fatalf("%q: %v", text, err)
			}
			for _, c := range fault.From(err).Details.ResolverPayload.Candidates {
				if c.Script != "" {
					t.Errorf("%q may be %+v", text, c)
				}
			}
		})
	}
	again, err := screens.ResolveCandidate(t.Context(), &sdkapi.OCRResolveCandidateRequest{Image: shot, CandidateID: row.CandidateID})
	if err != nil || again.Match.Center != row.Center || again.Match.Script != row.Script {
		t.Errorf("%+v, %v", again, err)
	}
}
