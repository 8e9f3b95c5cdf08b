package screens_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// polyglot is an engine that has English and German, and reads on every screen
// what it was asked for.
type polyglot struct{}

func (polyglot) Name() string { return "polyglot" }

func (polyglot) Ready(context.Context) error { return nil }

func (polyglot) Read(_ context.Context, _ perception.Screen, how sdkapi.Reading) ([]perception.Row, error) {
	if !slices.Contains([]string{"eng", "deu"}, how.Languages) {
		return nil, fault.New("polyglot", sdkapi.ValidationError, "only eng and deu")
	}
	text, box := "read:"+how.Languages, image.Rect(10, 10, 50, 26)
	return []perception.Row{{Text: text, Box: box, Words: []perception.Word{{Text: text, Box: box}}}}, nil
}

// Each route reads in the languages asked for, and names the field when the
// reader lacks one.
func TestLanguages(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Scenes: perception.NewScenes(polyglot{}, perception.Options{})})
	ask := func(path, languages, more string) string {
		body := fmt.Sprintf(`{"image":{"image_base64":%q},"languages":%q%s}`, base64.StdEncoding.EncodeToString(gatewaytest.Card()), languages, more)
		resp, err := http.Post(url+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	german := `"text":"read:deu"`
	candidate := regexp.MustCompile(`"candidate_id":"\w+"`).FindString(ask(sdkapi.OCRRunPath, "deu", ""))
	for _, tt := range []struct{ path, more, want string }{
		{sdkapi.OCRRunPath, "", german},
		{sdkapi.OCRFindTextPath, "," + german, german},
		{sdkapi.OCRFindTextCandidatesPath, "," + german, german},
		{sdkapi.OCRResolveTextPath, "," + german, german},
		{sdkapi.OCRInspectPath, "", german},
		{sdkapi.OCROverlayPath, "," + german, `"annotation_count":1`},
		{sdkapi.OCRResolveCandidatePath, "," + candidate, german},
	} {
		t.Run(tt.path, func(t *testing.T) {
			if got := ask(tt.path, "deu", tt.more); !strings.Contains(got, tt.want) {
				t.Errorf("%s in German: %s", tt.path, got)
			}
			got := ask(tt.path, "fra", tt.more)
			for _, want := range []string{"VALIDATION_ERROR", "only eng and deu", `"path":"body.languages"`} {
				if !strings.Contains(got, want) {
					t.Errorf("%s in French, without %s: %s", tt.path, want, got)
				}
			}
		})
	}
}

// The document lists the fields that narrow a query among the others.
func TestOpenAPIOfNarrowing(t *testing.T) {
	t.Parallel()
	_, body := doorstest.Get(t, gatewaytest.Start(t, gateway.App{})+"/openapi.json")
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Description string }
				Required   []string
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{"OCRTextRequest", "OCRInspectRequest", "OCROverlayRequest"} {
		schema := doc.Components.Schemas[request]
		for _, field := range []string{"region", "near", "occurrence", "languages"} {
			if schema.Properties[field].Description == "" || slices.Contains(schema.Required, field) {
				t.Errorf("%s.%s: %+v, required: %v", request, field, schema.Properties[field], schema.Required)
			}
		}
	}
}
