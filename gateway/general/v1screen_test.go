package general_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// shop is a screen, on which "Check out" is a button, and where that is.
func shop(t *testing.T) (screen []byte, button sdkapi.Box) {
	t.Helper()
	screen, err := os.ReadFile("../../examples/click-target/screen.png")
	if err != nil {
		t.Fatal(err)
	}
	return screen, sdkapi.Box{X: 981, Y: 563, Width: 250, Height: 49}
}

// handing is a client of the general service with a tool that looks and one that
// taps on words, which the gateway finds on the screen.
func handing(t *testing.T, addr string) *doorstest.DeskClient {
	t.Helper()
	d := doorstest.Begun(t, addr)
	status, body := d.Ask("POST", "/v1/sessions", `{"tools":{"version":1,"tools":[
		{"name":"look","description":"Takes a screenshot.","schema":{"type":"object"}},
		{"name":"tap","description":"Taps.","argument_resolution":"backend","schema":{"type":"object",
			"properties":{"x":{"type":"integer"},"y":{"type":"integer"},"text":{"type":"string"}}}}]}}`)
	var made sdkapi.V1Session
	if err := json.Unmarshal([]byte(body), &made); err != nil || status != 200 || len(made.Tools.Accepted) != 2 {
		t.Fatalf("no session: %d %s", status, body)
	}
	d.Session = made.GeneralSessionID
	return d
}

// A client that shows the screen, in a message or behind a tool, stored or as it
// is, has its tools called at the words that stand there.
func TestV1TapsOnWords(t *testing.T) {
	t.Parallel()
	screen, button := shop(t)
	data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(screen)
	part := func(name, value string) string { return fmt.Sprintf(`,{"type":"image",%q:%q}`, name, value) }
	for name, show := range map[string]func(stored string) (part, result string){
		"an artifact in the message": func(stored string) (string, string) { return part("artifact_id", stored), "" },
		"a data URI in the message":  func(string) (string, string) { return part("image_base64", data), "" },
		"an artifact behind a tool":  func(stored string) (string, string) { return "", fmt.Sprintf(`,"screenshot_ref":%q`, stored) },
		"a data URI behind a tool":   func(string) (string, string) { return "", fmt.Sprintf(`,"screenshot":%q`, data) },
		"base64 behind a tool":       func(string) (string, string) { return "", fmt.Sprintf(`,"screenshot":%q`, data[22:]) },
		"nothing to say and an artifact": func(stored string) (string, string) {
			return "", fmt.Sprintf(`,"result":null,"screenshot_ref":%q`, stored)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := []agenttest.Reply{agenttest.Calling("call-1", "look", `{}`), agenttest.Calling("call-2", "tap", `{"text":"Check out"}`), agenttest.Saying("Tapped.")}
			store := gatewaytest.Store(t, false)
			script := modelstest.NewScript(calls...)
			url := gatewaytest.Start(t, doorstest.Conversing(t, store, script, journaltest.NewMemory()))
			stored, err := doorstest.Client(t, url).UploadArtifact(t.Context(), "screen.png", bytes.NewReader(screen))
			if err != nil {
				t.Fatal(err)
			}
			d := handing(t, doorstest.AddrOf(url))
			image, behind := show(stored.ArtifactID)
			message := fmt.Sprintf(`{"general_session_id":%q,"message":{"parts":[{"type":"text","text":"Buy it"}%s]}}`, d.Session, image)
			asked := d.Request(message)
			result := fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":"call-1","ok":true%s}}`, d.Session, behind)
			for range 2 { // as it may be posted twice
				if status, body := d.Ask("POST", "/v1/tools/result", result); asked.Name != "look" || status != 200 {
					t.Fatalf("%s: %d %s", asked.Name, status, body)
				}
			}
			asked = d.Request(message) // the same one, though a picture came with it
			var at sdkapi.Point
			if err := json.Unmarshal(asked.Arguments, &at); err != nil || asked.Name != "tap" || strings.Contains(string(asked.Arguments), "text") ||
				at.X < button.X || at.X >= button.X+button.Width || at.Y < button.Y || at.Y >= button.Y+button.Height {
				t.Errorf("%s is called with %s, not within %+v", asked.Name, asked.Arguments, button)
			}
			if status, body := d.Ask("POST", "/v1/tools/result", strings.Replace(result, "call-1", "call-2", 1)); status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			if status, body := d.Ask("POST", "/v1/chat", message); status != 200 || !strings.Contains(body, "Tapped.") {
				t.Errorf("%d %s", status, body)
			}
			if !slices.ContainsFunc(picturesIn(script), func(shown []byte) bool { return bytes.Equal(shown, screen) }) {
				t.Error("the model was not shown the screen")
			}
			if behind != "" {
				a, err := d.Open("GET", "/v1/stream?general_session_id="+d.Session, "", "Last-Event-ID: 1")
				if err != nil {
					t.Fatal(err)
				}
				defer a.Conn.Close()
				events := &doorstest.RawEvents{Body: a.Body}
				d.Until(events, "tool.result")
				if !strings.Contains(d.LastData, `"screenshot_ref":"`) {
					t.Errorf("the event is %s", d.LastData)
				}
			}
		})
	}
}

// picturesIn are those that a model was shown.
func picturesIn(script *modelstest.Script) (list [][]byte) {
	var look func(parts []models.Part)
	look = func(parts []models.Part) {
		for _, p := range parts {
			switch {
			case p.Image != nil:
				list = append(list, p.Image.Data)
			case p.Result != nil:
				look(p.Result.Parts)
			}
		}
	}
	for _, r := range script.Requests() {
		for _, m := range r.Messages {
			look(m.Parts)
		}
	}
	return list
}

// A prompt shows the model pictures, of which its tools know by their ids.
func TestPromptWithPictures(t *testing.T) {
	t.Parallel()
	screen, button := shop(t)
	store := gatewaytest.Store(t, false)
	const id = "shop.png"
	if _, err := store.Put(t.Context(), id, "image/png", bytes.NewReader(screen)); err != nil {
		t.Fatal(err)
	}
	script := modelstest.NewScript(
		agenttest.Calling("call-1", "ocr_resolve_text", fmt.Sprintf(`{"image":{"artifact_id":%q},"text":"Check out"}`, id)), agenttest.Saying("A shop."))
	url := gatewaytest.Start(t, doorstest.Conversing(t, store, script, journaltest.NewMemory()))
	l := doorstest.Prompted(t, url, fmt.Sprintf(`{"input":"Where is the button?","images":[{"artifact_id":%q},{"image_base64":"data:image/png;base64,%s"}]}`,
		id, base64.StdEncoding.EncodeToString(gatewaytest.Card())))
	l.Until(url, sdkapi.EventPromptCompleted)
	var known sdkapi.Prompt
	_, body := doorstest.Ask(t, http.MethodGet, url+sdkapi.PromptsPath+"/"+l.Prompt, "ada", nil)
	if err := json.Unmarshal([]byte(body), &known); err != nil || len(known.Images) != 2 || known.Images[0].ArtifactID != id || known.Images[1].ArtifactID == "" {
		t.Errorf("it is %s, %v", body, err)
	}
	var found struct{ Match sdkapi.Row }
	raw, _ := json.Marshal(known.Output[0].Result.Output)
	if err := json.Unmarshal(raw, &found); err != nil || found.Match.Center.X < button.X || found.Match.Center.Y < button.Y {
		t.Errorf("the tool found %s, %v", raw, err)
	}
	pictures := picturesIn(script)
	for _, want := range [][]byte{screen, gatewaytest.Card()} {
		if !slices.ContainsFunc(pictures, func(shown []byte) bool { return bytes.Equal(shown, want) }) {
			t.Error("the model was not shown a picture")
		}
	}
	if resp, body := doorstest.Ask(t, http.MethodGet, url+sdkapi.ArtifactsPath+known.Images[1].ArtifactID, "ada", nil); resp.StatusCode != 200 || body != string(gatewaytest.Card()) {
		t.Errorf("what came with the prompt is %s", resp.Status)
	}
}

// What is no picture is refused by the name of its field, before anything begins.
func TestPicturesRefused(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, doorstest.Conversing(t, gatewaytest.Store(t, false), modelstest.NewScript(agenttest.Calling("call-1", "look", `{}`)), journaltest.NewMemory()))
	page, err := doorstest.Client(t, url).UploadArtifact(t.Context(), "page.html", strings.NewReader("<!doctype html><p>no picture</p>"))
	if err != nil {
		t.Fatal(err)
	}
	d := handing(t, doorstest.AddrOf(url))
	d.Request(fmt.Sprintf(`{"general_session_id":%q,"message":{"id":"m1","parts":[{"type":"text","text":"Look"}]}}`, d.Session))
	text := base64.StdEncoding.EncodeToString([]byte("no picture"))
	big := base64.StdEncoding.EncodeToString(doorstest.PngHeader(8500, 6000))
	for _, tt := range []struct {
		how, artifact, data string
		status              int
		code                sdkapi.Code
	}{
		{"no artifact", "none.png", "", 404, sdkapi.ArtifactNotFound},
		{"another file", page.ArtifactID, "", 422, sdkapi.InvalidImage},
		{"a path", "../screen.png", "", 422, sdkapi.ValidationError},
		{"other bytes", "", text, 422, sdkapi.InvalidImage},
		{"no base64", "", "data:image/png;base64,§", 422, sdkapi.ValidationError},
		{"too many pixels", "", big, 422, sdkapi.InvalidImage},
		{"neither", "", "", 422, sdkapi.ValidationError},
	} {
		t.Run(tt.how, func(t *testing.T) {
			source, _ := json.Marshal(sdkapi.ImageSource{ArtifactID: tt.artifact, ImageBase64: tt.data})
			inside := strings.Trim(string(source), "{}")
			if inside != "" {
				inside = "," + inside
			}
			shown := strings.NewReplacer("artifact_id", "screenshot_ref", "image_base64", "screenshot").Replace(inside)
			for field, send := range map[string]func() (int, string){
				"body.message.parts[1]": func() (int, string) {
					return d.Ask("POST", "/v1/chat", fmt.Sprintf(`{"general_session_id":%q,"message":{"id":"m2","parts":[{"type":"text","text":"Hi"},{"type":"image"%s}]}}`, d.Session, inside))
				},
				"body.images[0]": func() (int, string) {
					resp, body := doorstest.Ask(t, http.MethodPost, url+sdkapi.PromptPath, "ada", strings.NewReader(fmt.Sprintf(`{"input":"Hi","images":[%s]}`, source)))
					return resp.StatusCode, body
				},
				"body.tool_result.screenshot": func() (int, string) {
					return d.Ask("POST", "/v1/tools/result", fmt.Sprintf(`{"general_session_id":%q,"tool_result":{"id":"call-1","ok":true,"result":"x"%s}}`, d.Session, shown))
				},
			} {
				t.Run(field, func(t *testing.T) {
					if tt.how == "neither" && strings.Contains(field, "tool_result") {
						return // it need not show anything
					}
					status, body := send()
					var refused sdkapi.ErrorResponse
					if err := json.Unmarshal([]byte(body), &refused); err != nil || status != tt.status || refused.Error.Code != tt.code ||
						len(refused.Error.Details.Fields) != 1 || !strings.HasPrefix(refused.Error.Details.Fields[0].Path, field) {
						t.Errorf("%s, %s: %d %s", tt.how, field, status, body)
					}
				})
			}
		})
	}
	five := strings.Repeat(`,{"artifact_id":"a.png"}`, sdkapi.MaxPromptImages+1)[1:]
	if resp, body := doorstest.Ask(t, http.MethodPost, url+sdkapi.PromptPath, "ada", strings.NewReader(`{"input":"Hi","images":[`+five+`]}`)); resp.StatusCode != 422 || !strings.Contains(body, "body.images") {
		t.Errorf("%s %s", resp.Status, body)
	}
}

// Users see their own pictures only, by these routes too.
func TestPicturesApart(t *testing.T) {
	t.Parallel()
	ids := gatewaytest.Identity(t)
	store := gatewaytest.Store(t, true)
	cfg := doorstest.Conversing(t, store, modelstest.NewScript(), journaltest.NewMemory())
	cfg.Hosted, cfg.Identity = true, ids
	url := gatewaytest.Start(t, cfg)
	ada, _ := doorstest.Registered(t, ids)
	eve, token := doorstest.Registered(t, ids)
	const hers = "card.png"
	if _, err := store.(artifacts.PerUser).For(ada.User).Put(t.Context(), hers, "image/png", bytes.NewReader(gatewaytest.Card())); err != nil {
		t.Fatal(err)
	}
	d := doorstest.Begun(t, doorstest.AddrOf(url), "Authorization: Bearer "+token)
	for path, body := range map[string]string{
		"/v1/chat":    fmt.Sprintf(`{"general_session_id":%q,"message":{"parts":[{"type":"text","text":"Hi"},{"type":"image","artifact_id":%q}]}}`, d.Session, hers),
		"/api/prompt": fmt.Sprintf(`{"input":"Hi","images":[{"artifact_id":%q}]}`, hers),
	} {
		t.Run(path, func(t *testing.T) {
			d.Headers = []string{"Authorization: Bearer " + token, "X-User-Id: " + eve.User}
			if status, answer := d.Ask("POST", path, body); status != 404 || !strings.Contains(answer, "ARTIFACT_NOT_FOUND") {
				t.Errorf("%s: %d %s", path, status, answer)
			}
		})
	}
}
