package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	mcproom "github.com/windieos/windie/gateway/mcp"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// readers returns a gateway's settings with the tools that read screens.
func readers(t *testing.T, store artifacts.Store) gateway.App {
	t.Helper()
	scenes := gatewaytest.Scenes(t)
	return gateway.App{Store: store, Scenes: scenes, Tools: doorstest.RegistryOf(t, screens.BuiltinTools(store, query.New(scenes, nil))...)}
}

// dataURL returns bytes as a client sends them in a text.
func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// An image is shown to clients as a text and nothing else, which every client makes a field of a form of. Nothing is
// left of the object that HTTP has, and what other schemas refer to stays.
func TestMCPShowsPicturesAsTexts(t *testing.T) {
	url := gatewaytest.Start(t, readers(t, new(storetest.Memory)))
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url + sdkapi.MCPPath}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	images := map[string][]string{"ocr_resolve_text": {"image"}, "screen_diff": {"after", "before"}}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Defs       map[string]any `json:"$defs"`
			Properties map[string]struct{ Type any }
		}
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "ImageSource") || strings.Contains(string(raw), "image_base64") {
			t.Errorf("%s shows the object: %s", tool.Name, raw)
		}
		if strings.Contains(string(raw), "#/$defs/Region") && schema.Defs["Region"] == nil {
			t.Errorf("%s refers to what is not there: %s", tool.Name, raw)
		}
		for _, name := range images[tool.Name] {
			if schema.Properties[name].Type != "string" {
				t.Errorf("%s: %s is %v", tool.Name, name, schema.Properties[name].Type)
			}
		}
		delete(images, tool.Name)
	}
	if len(images) > 0 {
		t.Errorf("not listed: %v", images)
	}
}

// Over HTTP a screen is handed over as an artifact, or with its bytes, which are
// kept once. What the gateway draws comes back as a picture.
func TestMCPTakesPictures(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		store := new(storetest.Memory)
		url := gatewaytest.Start(t, readers(t, store))
		header := doorstest.MCPSession(t, url, version)
		find := func(image string) (answer sdkapi.OCRResolveTextResult, said string) {
			r := doorstest.MCPCall(t, url, version, "ocr_resolve_text", `{"image":`+image+`,"text":"Check out","detail":true}`, header...)
			_ = json.Unmarshal(r.StructuredContent, &answer)
			return answer, r.Text()
		}
		card := dataURL("image/png", gatewaytest.Card())
		first, said := find(`"` + card + `"`)
		if first.Match.Text != "Check out" || first.Image.ArtifactID == nil {
			t.Fatalf("a data: URL: %s", said)
		}
		id := *first.Image.ArtifactID
		for name, image := range map[string]string{
			"the same again":  `"` + card + `"`,
			"artifact:":       `"artifact:` + id + `"`,
			"a resource's":    `"` + sdkapi.ArtifactURI + id + `"`,
			"its id":          `"` + id + `"`,
			"as HTTP has it":  `{"artifact_id":"` + id + `"}`,
			"bytes as object": `{"image_base64":"` + card + `"}`,
		} {
			t.Run(name, func(t *testing.T) {
				if a, said := find(image); a.Match.Center != first.Match.Center || a.Image.ArtifactID != nil && *a.Image.ArtifactID != id {
					t.Errorf("%s: %s", name, said)
				}
			})
		}
		for image, want := range map[string]string{
			`"data:image/png;base64,%%"`:                                            "must contain base64",
			`"` + dataURL("image/png", []byte("no picture")) + `"`:                  "INVALID_IMAGE",
			`"` + strings.ReplaceAll(filepath.ToSlash("/etc/hosts"), `"`, "") + `"`: "over stdio can read files",
			`"file:///etc/hosts"`:                                                   "over stdio can read files",
			`"shot.png of my desktop"`:                                              `invalid value "shot.png of my desktop": expected artifact:ID`,
			`"artifact:../etc/hosts"`:                                               "artifact_id",
			`"artifact:11111111-1111-4111-8111-111111111111.png"`:                   "ARTIFACT_NOT_FOUND",
		} {
			t.Run(image, func(t *testing.T) {
				if a, said := find(image); a.Match.Text != "" || !strings.Contains(said, want) {
					t.Errorf("%s: %s", image, said)
				}
			})
		}
		r := doorstest.MCPCall(t, url, version, "vision_overlay", `{"image":"artifact:`+id+`","points":[{"x":5,"y":5}]}`, header...)
		if len(r.Content) != 2 || !strings.HasPrefix(r.Text(), "artifact:") || !strings.HasSuffix(r.Text(), " with 1 marks") || r.StructuredContent != nil || // or Codex shows no image
			r.Content[1].Type != "image" || r.Content[1].MIMEType != "image/png" || len(r.Content[1].Data) < 100 {
			t.Errorf("of an overlay: %.300v", r)
		}
	})
}

// A picture of more than a call's arguments may hold is taken, and one that is
// over all limits is refused with what to do.
func TestMCPTakesLargePictures(t *testing.T) {
	t.Parallel()
	const version = "2025-11-25"
	store := new(storetest.Memory)
	url := gatewaytest.Start(t, readers(t, store))
	header := doorstest.MCPSession(t, url, version)
	large := append(gatewaytest.Card(), make([]byte, 2<<20)...) // what follows a PNG's end is passed over
	for _, image := range []string{`"` + dataURL("image/png", large) + `"`, `{"image_base64":"` + base64.StdEncoding.EncodeToString(large) + `"}`} {
		if r := doorstest.MCPCall(t, url, version, "ocr_resolve_text", `{"image":`+image+`,"text":"Check out"}`, header...); r.IsError || !strings.Contains(string(r.StructuredContent), "Check out") {
			t.Errorf("%.300v", r.Text())
		}
	}
	resp, body := doorstest.MCPPost(t, url, version, "tools/call", `"name":"ocr_read","arguments":{"image":"`+dataURL("image/png", make([]byte, 26<<20))+`"}`, header...)
	if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(body, sdkapi.ArtifactsPath) || !strings.Contains(body, "windie mcp") {
		t.Errorf("%s %.300s", resp.Status, body)
	}
}

// Files are kept by a tool, also where unknown route to upload them.
func TestMCPUploads(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		store := new(storetest.Memory)
		url := gatewaytest.Start(t, readers(t, store))
		header := doorstest.MCPSession(t, url, version)
		for _, content := range [][]byte{[]byte("a note"), make([]byte, 3<<20)} {
			r := doorstest.MCPCall(t, url, version, "artifact_upload", `{"file":"`+dataURL("text/plain", content)+`"}`, header...)
			var kept sdkapi.Artifact
			if err := json.Unmarshal(r.StructuredContent, &kept); err != nil || kept.SizeBytes != int64(len(content)) || len(r.Content) != 1 {
				t.Fatalf("%.300v %v", r, err)
			}
			if info, err := store.Stat(t.Context(), kept.ArtifactID); err != nil || info.SHA256 != kept.SHA256 {
				t.Errorf("%+v, %v", info, err)
			}
		}
		for file, want := range map[string]string{`"data:,"`: "must contain base64", `"data:;base64,"`: "empty", `"/etc/it's"`: `curl -F file=@'/etc/it'\''s' http://127.0.0.1:`, `"hosts"`: "invalid value", `7`: "VALIDATION_ERROR"} {
			t.Run(file, func(t *testing.T) {
				if r := doorstest.MCPCall(t, url, version, "artifact_upload", `{"file":`+file+`}`, header...); !r.IsError || !strings.Contains(r.Text(), want) {
					t.Errorf("%s: %s", file, r.Text())
				}
			})
		}
	})
}

// pipes connects a client of a version over pipes with a gateway of app, until the test ends.
func pipes(t *testing.T, app gateway.App, c *mcp.Client, version string, folders ...string) *mcp.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcproom.ServeStdio(context.Background(), doors.New(app), app, in, out, "ada", "http://gateway.example", folders...)
	}()
	session, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer, MaxLineLength: 64 << 20}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if err := doorstest.Receive(t, ended, "the server's end"); err != nil {
			t.Error(err)
		}
	})
	return session
}

// Over pipes a picture is named by its path, where the client shows the folder,
// or the command line names it, and nowhere else.
func TestMCPReadsFiles(t *testing.T) {
	overEachVersion(t, testReadsFiles)
}

func testReadsFiles(t *testing.T, version string) {
	shown, named, hidden := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{shown, named, hidden} {
		for _, name := range []string{"card.png", "my card.png"} {
			if err := os.WriteFile(filepath.Join(dir, name), gatewaytest.Card(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(shown, "secret.txt"), []byte("hush"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(hidden, "card.png"), filepath.Join(shown, "link.png")); err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	c.AddRoots(&mcp.Root{URI: "file://" + shown})
	session := pipes(t, readers(t, new(storetest.Memory)), c, version, named)
	find := func(image string) string {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ocr_resolve_text", Arguments: map[string]any{"image": image, "text": "Check out"}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	for image, want := range map[string]string{
		filepath.Join(shown, "card.png"):                             "Check out",
		filepath.Join(named, "card.png"):                             "Check out",
		"file://" + shown + "/my%20card.png":                         "Check out",
		filepath.Join(shown, "..", filepath.Base(shown), "card.png"): "Check out",
		filepath.Join(hidden, "card.png"):                            "is outside the client's roots",
		shown + "/../" + filepath.Base(hidden) + "/card.png":         "is outside the client's roots",
		filepath.Join(shown, "link.png"):                             "cannot be read",
		filepath.Join(shown, "none.png"):                             "cannot be read",
		shown:                                                        "cannot be read",
		filepath.Join(shown, "secret.txt"):                           "INVALID_IMAGE",
		"card.png":                                                   "ARTIFACT_NOT_FOUND",
	} {
		t.Run(image, func(t *testing.T) {
			if said := find(image); !strings.Contains(said, want) || strings.Contains(said, "hush") {
				t.Errorf("%s: %s", image, said)
			}
		})
	}
	c.AddRoots(&mcp.Root{URI: "file://" + hidden})
	if said := find(filepath.Join(shown, "card.png")); !strings.Contains(said, "Check out") {
		t.Error(said)
	}
	for until := time.Now().Add(20 * time.Second); !strings.Contains(find(filepath.Join(hidden, "card.png")), "Check out"); { // the client reports it in the background
		if time.Now().After(until) {
			t.Fatal("the new root is not known")
		}
	}
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "artifact_upload", Arguments: map[string]any{"file": filepath.Join(shown, "secret.txt")}})
	if err != nil || r.IsError || !strings.Contains(fmt.Sprint(r.StructuredContent), "size_bytes:4") {
		t.Errorf("%+v %v", r, err)
	}
}

// A client that shows no folders learns how to hand over a file.
func TestMCPWithoutRoots(t *testing.T) {
	t.Parallel()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session := pipes(t, readers(t, new(storetest.Memory)), c, "")
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ocr_read", Arguments: map[string]any{"image": filepath.Join(t.TempDir(), "card.png")}})
	if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "windie mcp --root") {
		t.Errorf("%+v %v", r, err)
	}
}
