package docs_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// The document describes every route, its errors by the envelope that is sent.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory)})
	_, body := doorstest.Get(t, url+"/openapi.json")
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Responses map[string]any
			Statuses  []int `json:"x-statuses"`
			Security  []any
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("OpenAPI %s", doc.OpenAPI)
	}
	for path, method := range map[string]string{
		sdkapi.HealthPath: "get", sdkapi.ReadyPath: "get", sdkapi.ArtifactsPath: "post", sdkapi.ArtifactsPath + "{artifact_id}": "get",
		sdkapi.OCRRunPath: "post", sdkapi.OCRInspectPath: "post", sdkapi.OCRFindTextPath: "post", sdkapi.OCRFindTextCandidatesPath: "post",
		sdkapi.OCRResolveTextPath: "post", sdkapi.OCRResolveCandidatePath: "post", sdkapi.OCROverlayPath: "post",
		sdkapi.VisionLocatePath: "post", sdkapi.VisionLocateAllPath: "post", sdkapi.VisionDescribePath: "post", sdkapi.VisionOverlayPath: "post",
		sdkapi.ScreenElementsPath: "post", sdkapi.ScreenAtPath: "post", sdkapi.ScreenDiffPath: "post",
		sdkapi.CapabilitiesPath: "get", sdkapi.ToolsPath: "get", sdkapi.ToolPath("{tool_id}"): "post",
	} {
		t.Run(path, func(t *testing.T) {
			if _, ok := doc.Paths[path][method]; !ok {
				t.Errorf("%s %s is not described", method, path)
			}
		})
	}
	for _, path := range []string{sdkapi.OCRResolveTextPath, sdkapi.VisionLocatePath} {
		if _, ok := doc.Paths[path]["post"].Responses["409"]; !ok {
			t.Errorf("%s does not document 409", path)
		}
	}
	for _, status := range []int{401, 404, 422, 500, 503} {
		if !slices.Contains(doc.Paths[sdkapi.ToolPath("{tool_id}")]["post"].Statuses, status) {
			t.Errorf("a call of a tool does not document %d", status)
		}
	}
	for _, path := range []string{sdkapi.CapabilitiesPath, sdkapi.ToolsPath} {
		if len(doc.Paths[path]["get"].Security) == 0 {
			t.Errorf("%s does not document that it asks for a user", path)
		}
	}
	for _, schema := range []string{"ErrorResponse", "Row", "ResolverPayload", "Target", "Element", "Tool", "ToolResult"} {
		if _, ok := doc.Components.Schemas[schema]; !ok {
			t.Errorf("no schema %s", schema)
		}
	}
}

// The docs page loads nothing from elsewhere, with or without Scalar.
func TestDocs(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory)})
	resp, body := doorstest.Get(t, url+"/docs")
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("got %s %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	if strings.Contains(body, "https://") || strings.Contains(body, "src=\"//") {
		t.Errorf("the page points elsewhere:\n%s", body)
	}
	if !strings.Contains(body, "docs.css") && !strings.Contains(body, "nav {") {
		t.Errorf("the links to the clients have no style:\n%s", body)
	}
	for _, asset := range []string{"/docs/docs.js", "/docs/docs.css", "/favicon.ico"} {
		if resp, _ := doorstest.Get(t, url+asset); resp.StatusCode != http.StatusOK || strings.HasSuffix(asset, ".ico") && resp.Header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("%s: %s", asset, resp.Status)
		}
	}
}
