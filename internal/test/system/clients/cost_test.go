//go:build system

package clients_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// maxCost bounds how many times as long as bare HTTP a client may take to upload a screen and to ask about it. They take
// less than 1.3 times as long; a busy machine makes more of that.
const maxCost = 3

// costOf is how long both take, in milliseconds.
type costOf struct{ Bare, Client float64 }

func (c costOf) Check(t *testing.T) {
	t.Helper()
	t.Logf("bare HTTP %.2f ms, the client %.2f ms: %.2f times as long", c.Bare, c.Client, c.Client/c.Bare)
	if c.Client > maxCost*c.Bare {
		t.Errorf("the client takes more than %d times as long as bare HTTP", maxCost)
	}
}

// A screen that is read already is uploaded and asked about, in turns by bare HTTP and by the client of each language.
func TestClientsCostLittle(t *testing.T) {
	url := gatewaytest.Start(t, gateway.App{Store: gatewaytest.Store(t, false), Scenes: gatewaytest.Scenes(t)})
	env := append(doorstest.ClientsGateways(t), "WINDIE_TEST_DIRECT="+url)
	read := func(t *testing.T, out string) (c costOf) {
		t.Helper()
		if err := json.Unmarshal([]byte(out), &c); err != nil {
			t.Fatal(out)
		}
		return c
	}
	t.Run("go", func(t *testing.T) { goCost(t, url).Check(t) })
	t.Run("typescript", func(t *testing.T) {
		project := packed(t, sdkTools(t))
		read(t, runIn(t, project, env, newNode(t), filepath.Join("test", "cost.mjs"))).Check(t)
	})
	t.Run("python", func(t *testing.T) {
		bin, _ := pythonTools(t)
		source := pythonSource(t)
		where := append(slices.Clone(env), "PYTHONPATH="+filepath.Join(source, "src"), "PYTHONDONTWRITEBYTECODE=1")
		read(t, runIn(t, filepath.Join(source, "tests"), where, filepath.Join(bin, "python"), "cost.py")).Check(t)
	})
}

// goCost measures the Go client.
func goCost(t *testing.T, url string) costOf {
	t.Helper()
	client, ctx := doorstest.ClientOf(t, url, sdk.WithUser("ada")), t.Context()
	runs := map[bool]func() float64{false: func() float64 { return bareHTTP(t, url) }, true: func() float64 {
		kept, err := client.UploadArtifact(ctx, "file", bytes.NewReader(gatewaytest.Card()))
		if err != nil {
			t.Fatal(err)
		}
		found, err := client.OCR.ResolveText(ctx, sdkapi.OCRTextRequest{Image: sdkapi.ImageSource{ArtifactID: kept.ArtifactID}, Text: "Check out"})
		if err != nil {
			t.Fatal(err)
		}
		return float64(found.Match.Center.X)
	}}
	times := map[bool][]float64{}
	for i := range 220 {
		for _, by := range []bool{i%2 == 0, i%2 != 0} {
			began := time.Now()
			if runs[by]() <= 0 {
				t.Fatal("nothing is found")
			}
			if i >= 20 {
				times[by] = append(times[by], float64(time.Since(began))/float64(time.Millisecond))
			}
		}
	}
	median := func(list []float64) float64 { slices.Sort(list); return list[len(list)/2] }
	return costOf{median(times[false]), median(times[true])}
}

// bareHTTP uploads the card and asks for the place of a text, and returns its x.
func bareHTTP(t *testing.T, url string) float64 {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "file")
	if err == nil {
		_, err = part.Write(gatewaytest.Card())
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	send := func(path, kind string, body io.Reader, into any) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", kind)
		req.Header.Set(sdkapi.UserHeader, "ada")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	var kept sdkapi.Artifact
	send(sdkapi.ArtifactsPath, w.FormDataContentType(), &form, &kept)
	asked, _ := json.Marshal(map[string]any{"image": map[string]string{"artifact_id": kept.ArtifactID}, "text": "Check out"})
	var found sdkapi.OCRResolveTextResult
	send(sdkapi.OCRResolveTextPath, "application/json", bytes.NewReader(asked), &found)
	return float64(found.Match.Center.X)
}
