package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// apiForms are the paths of the forms of the API document.
var apiForms = []string{"/openapi.json", "/openapi.yaml", "/openapi-3.0.json", "/openapi-3.0.yaml"}

// apiOf returns the API document, each of whose references leads somewhere.
func apiOf(t *testing.T, at string) (doc map[string]any) {
	t.Helper()
	resp, body := doorstest.Get(t, at)
	if err := json.Unmarshal([]byte(body), &doc); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", at, resp.Status, err)
	}
	var walk func(node any)
	walk = func(node any) {
		switch v := node.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && doorstest.Follow(doc, ref) == nil {
				t.Errorf("%s leads nowhere", ref)
			}
			for _, value := range v {
				walk(value)
			}
		case []any:
			for _, value := range v {
				walk(value)
			}
		}
	}
	walk(doc)
	return doc
}

// Each tool has an operation with its own schemas, under its heading, for as
// long as it is there; and a route that lists the same.
func TestAPIHasTools(t *testing.T) {
	t.Parallel()
	const input = `{"type":"object","required":["to"],"properties":{"to":{"$ref":"#/$defs/place"}},"$defs":{"place":{"type":["string","null"],"exclusiveMinimum":0}}}`
	plain := doorstest.FakeTool{About: agent.Descriptor{Name: "trip.plan", Description: "Plans a trip.", Tag: "Trips", Input: json.RawMessage(input), Output: json.RawMessage(`{"type":"object","properties":{"days":{"type":"integer"}}}`)}, Answer: doorstest.Always(agent.Result{})}
	tools := doorstest.RegistryOf(t, plain)
	at := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools})
	doc := apiOf(t, at+"/openapi.json")
	op := doorstest.Field(doc, "paths", sdkapi.ToolPath("trip.plan"), "post")
	schema := func(of any) any {
		ref, _ := doorstest.Field(of, "content", "application/json", "schema", "$ref").(string)
		return doorstest.Follow(doc, ref)
	}
	if got, _ := json.Marshal(doorstest.Field(op, "tags")); string(got) != `["tools: Trips"]` || doorstest.Field(op, "description") != "Plans a trip." {
		t.Errorf("its operation is %v", op)
	}
	if got, _ := json.Marshal(schema(doorstest.Field(op, "requestBody"))); !strings.Contains(string(got), `"required":["to"]`) {
		t.Errorf("it takes %s", got)
	}
	result, _ := doorstest.Field(op, "responses", "200", "content", "application/json", "schema", "properties", "result", "$ref").(string)
	if got, _ := json.Marshal(doorstest.Follow(doc, result)); !strings.Contains(string(got), `"days"`) {
		t.Errorf("it gives %s", got)
	}
	if !strings.Contains(fmt.Sprint(doorstest.Field(op, "x-statuses")), "422") || doorstest.Field(op, "responses", "default") == nil || doorstest.Field(op, "security") == nil {
		t.Errorf("what holds for all calls is not told: %v", op)
	}
	if doorstest.Field(doc, "paths", sdkapi.ToolPath("trip.hidden")) != nil {
		t.Error("a tool that HTTP does not show is in the document")
	}
	for _, form := range apiForms {
		if resp, body := doorstest.Get(t, at+form); resp.StatusCode != http.StatusOK || !strings.Contains(body, "trip.plan/invoke") || !strings.Contains(resp.Header.Get("Content-Type"), "openapi+"+form[len(form)-4:]) {
			t.Errorf("%s: %s, %s", form, resp.Status, resp.Header.Get("Content-Type"))
		}
	}
	var told sdkapi.Tool
	resp, body := doorstest.Ask(t, http.MethodGet, at+sdkapi.ToolsPath+"/trip.plan", "ada", nil)
	if err := json.Unmarshal([]byte(body), &told); err != nil || resp.StatusCode != http.StatusOK || told.ID != "trip.plan" || !strings.Contains(string(told.Input), "$defs") || len(told.Output) == 0 {
		t.Errorf("its route tells %s, %v", body, err)
	}
	for id, want := range map[string]int{"trip.hidden": 404, "no.tool": 404} {
		t.Run(id, func(t *testing.T) {
			if resp, body := doorstest.Ask(t, http.MethodGet, at+sdkapi.ToolsPath+"/"+id, "ada", nil); resp.StatusCode != want || !strings.Contains(body, "TOOL_NOT_FOUND") {
				t.Errorf("%s: %s %s", id, resp.Status, body)
			}
		})
	}
	if err := tools.Update(plain.Descriptor().Origin, nil); err != nil {
		t.Fatal(err)
	}
	for _, form := range apiForms {
		if _, body := doorstest.Get(t, at+form); strings.Contains(body, "trip.plan") {
			t.Errorf("%s has a tool that is gone", form)
		}
	}
}

// A gateway with users shows its document to anyone, and its tools to them.
func TestAPIOfUsersHidesTools(t *testing.T) {
	t.Parallel()
	tools := doorstest.RegistryOf(t, doorstest.FakeTool{About: agent.Descriptor{Name: "trip.plan"}, Answer: doorstest.Always(agent.Result{})})
	at := gatewaytest.Start(t, gateway.App{Hosted: true, Identity: gatewaytest.Identity(t), Store: gatewaytest.Store(t, true), Tools: tools})
	for _, form := range apiForms {
		if _, body := doorstest.Get(t, at+form); strings.Contains(body, "trip.plan") {
			t.Errorf("%s has the tools", form)
		}
	}
}

var linksOf = regexp.MustCompile(`(?:href|src)="([^"]+)"|url: '([^']+)'`)

// The document and its page lead to what is below the path that they were asked
// for at.
func TestAPIBelowAPrefix(t *testing.T) {
	t.Parallel()
	at := gatewaytest.Start(t, gateway.App{PathPrefix: "/windie/eu"})
	for prefix, want := range map[string]string{"": `[{"url":"` + at + `"}]`, "/windie/eu": `[{"url":"` + at + `/windie/eu"}]`} {
		t.Run(prefix, func(t *testing.T) {
			if got, _ := json.Marshal(apiOf(t, at+prefix+"/openapi.json")["servers"]); string(got) != want {
				t.Errorf("asked for below %q, its servers are %s", prefix, got)
			}
			for _, page := range []string{"/docs", "/docs/"} {
				resp, body := doorstest.Get(t, at+prefix+page)
				_, script := doorstest.Get(t, at+prefix+"/docs/docs.js")
				links := linksOf.FindAllStringSubmatch(body+script, -1)
				if resp.StatusCode != http.StatusOK || len(links) < 2 {
					t.Errorf("%s%s: %s, %d links", prefix, page, resp.Status, len(links))
				}
				for _, link := range links {
					to, err := url.Parse(link[1] + link[2])
					if err != nil {
						t.Fatal(err)
					}
					found := resp.Request.URL.ResolveReference(to)
					if resp, _ := doorstest.Get(t, found.String()); resp.StatusCode != http.StatusOK || !strings.HasPrefix(found.Path, prefix+"/") {
						t.Errorf("%s%s leads to %s: %s", prefix, page, found.Path, resp.Status)
					}
				}
			}
		})
	}
	public := gatewaytest.Start(t, gateway.App{PublicURL: "https://windie.example/gateway"})
	if got, _ := json.Marshal(apiOf(t, public+"/openapi.json")["servers"]); string(got) != `[{"url":"https://windie.example/gateway"}]` {
		t.Errorf("of a gateway with a public URL they are %s", got)
	}
}

// The gateway's own tools, too, are described so that their references hold.
func TestAPIHasBuiltinTools(t *testing.T) {
	t.Parallel()
	store := new(storetest.Memory)
	doc := apiOf(t, gatewaytest.Start(t, gateway.App{Store: store, Tools: doorstest.DialogueTools(t, store, gatewaytest.Scenes(t))})+"/openapi.json")
	paths, _ := doc["paths"].(map[string]any)
	if !slices.Contains(slices.Collect(maps.Keys(paths)), sdkapi.ToolPath("ocr.find_text")) {
		t.Error("ocr.find_text is not in the document")
	}
}
