package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// The most that the picture tools may be, and the tokens of everything in the default list.
const (
	maxPictureTools = 8
	maxListTokens   = 3500
)

// listOf returns the tools that a gateway lists, by name.
func listOf(t *testing.T, url, version string, header []string) map[string]map[string]any {
	t.Helper()
	_, body := doorstest.MCPPost(t, url, version, "tools/list", "", header...)
	var answer struct {
		Result struct{ Tools []map[string]any }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	tools := map[string]map[string]any{}
	for _, tool := range answer.Result.Tools {
		tools[tool["name"].(string)] = tool
	}
	return tools
}

// fakes returns tools with an empty answer.
func fakes(about ...agent.Descriptor) (tools []agent.Tool) {
	for _, d := range about {
		tools = append(tools, doorstest.FakeTool{About: d, Answer: func(_ context.Context, call agent.Call) (agent.Result, error) {
			return agent.Result{Content: []agent.Part{agent.Text("ran with " + string(call.Arguments))}}, nil
		}})
	}
	return tools
}

// pictureTools returns the gateway's own tools for pictures.
func pictureTools(t *testing.T) []agent.Tool {
	t.Helper()
	return screens.BuiltinTools(new(storetest.Memory), query.New(gatewaytest.Scenes(t), nil))
}

// The default list has one tool for each question about a picture, costs little, and has schemas that every
// client and provider accepts. The omitted tools can be called all the same.
func TestMCPDefaultList(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		url := gatewaytest.Start(t, readers(t, new(storetest.Memory)))
		header := doorstest.MCPSession(t, url, version)
		tools := listOf(t, url, version, header)
		shown, all, pictures := 0, 0, 0
		for name, tool := range tools {
			whole, _ := json.Marshal(tool)
			input, _ := json.Marshal(tool["inputSchema"])
			all += tokens(string(whole))
			shown += tokens(name + fmt.Sprint(tool["description"]) + string(input))
			if name != "artifact_upload" {
				pictures++
			}
			for _, foreign := range []string{`"$ref"`, `"$defs"`, "patternDescription", `"anyOf"`, `"type":[`, `"format":`, "find-text", "see ocr.", "use ocr."} {
				if strings.Contains(string(whole), foreign) {
					t.Errorf("%s has %s: %s", name, foreign, whole)
				}
			}
			checkObjects(t, name, tool["inputSchema"])
			if tool["title"] == nil || tool["annotations"].(map[string]any)["openWorldHint"] == nil {
				t.Errorf("%s has no title or no openWorldHint", name)
			}
		}
		t.Logf("%d tools: a model reads about %d tokens, and the whole list has %d", len(tools), shown, all)
		if pictures > maxPictureTools || all > maxListTokens {
			t.Errorf("%d tools for pictures, and %d tokens", pictures, all)
		}
		if tools["vision_overlay"]["outputSchema"] != nil || tools["ocr_read"]["outputSchema"] == nil || tools["vision_locate_all"] != nil {
			t.Errorf("the list is %v", tools)
		}
		if r := doorstest.MCPCall(t, url, version, "vision_locate_all", `{"image":"`+dataURL("image/png", gatewaytest.Card())+`","description":"the button"}`, header...); r.IsError {
			t.Errorf("an omitted tool: %s", r.Text())
		}
	})
}

// checkObjects checks that each object of a schema has properties.
func checkObjects(t *testing.T, name string, schema any) {
	t.Helper()
	part, _ := schema.(map[string]any)
	if properties, _ := part["properties"].(map[string]any); part["type"] == "object" && part["properties"] == nil {
		t.Errorf("%s: an object without properties: %v", name, part)
	} else {
		for _, p := range properties {
			checkObjects(t, name, p)
		}
	}
	if part["items"] != nil {
		checkObjects(t, name, part["items"])
	}
}

// What the operator chooses is all that clients may list, find and call.
func TestMCPChosenTools(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		app := readers(t, new(storetest.Memory))
		app.MCPTools = func(d agent.Descriptor) bool { return strings.HasPrefix(d.Name, "ocr.") }
		url := gatewaytest.Start(t, app)
		header := doorstest.MCPSession(t, url, version)
		tools := listOf(t, url, version, header)
		if len(tools) != 3 || tools["ocr_find_text"] == nil {
			t.Errorf("the list has %d tools", len(tools))
		}
		for _, call := range []string{`"name":"screen_elements","arguments":{}`, `"name":"tool_call","arguments":{"name":"screen_elements","arguments":{}}`} {
			if _, body := doorstest.MCPPost(t, url, version, "tools/call", call, header...); !strings.Contains(body, "unknown tool") && !strings.Contains(body, string(sdkapi.ToolNotFound)) {
				t.Errorf("%s: %s", call, body)
			}
		}
		if r := doorstest.MCPCall(t, url, version, "tool_search", `{"query":"screen elements"}`, header...); strings.Contains(r.Text(), "screen_elements:") {
			t.Errorf("found: %s", r.Text())
		}
	})
}

// A client gets the list that the operator chose for its name, and can call the other tools too.
func TestMCPListsByClient(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		for client, want := range map[string]int{"test": 1, "other": 9} {
			app := readers(t, new(storetest.Memory))
			app.MCPClients = map[string]agent.Filter{client: func(d agent.Descriptor) bool { return d.Name == "ocr.find_text" }}
			url := gatewaytest.Start(t, app)
			header := doorstest.MCPSession(t, url, version) // the client "test"
			if tools := listOf(t, url, version, header); len(tools) != want || (tools["ocr_find_text"] != nil) != (want == 1) {
				t.Errorf("with a list for %q: %d tools", client, len(tools))
			}
			if r := doorstest.MCPCall(t, url, version, "ocr_read", `{"image":"`+dataURL("image/png", gatewaytest.Card())+`"}`, header...); r.IsError {
				t.Error(r.Text())
			}
		}
	})
}

// With a tool that sees the screen itself, the tools for screenshots are not listed.
func TestMCPListWithTheComputer(t *testing.T) {
	t.Parallel()
	const version = "2025-11-25"
	see := agent.Func(agent.Descriptor{Name: "screen.see", Tag: "computer", Risk: agent.Safe}, func(_ context.Context, _ agent.Call, in lookInput) (look, error) { return look(in), nil })
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, append(pictureTools(t), see)...)})
	header := doorstest.MCPSession(t, url, version)
	tools := listOf(t, url, version, header)
	if len(tools) != 2 || tools["screen_see"] == nil || tools["artifact_upload"] == nil {
		t.Errorf("the list is %v", tools)
	}
	if tools["screen_see"]["outputSchema"] != nil {
		t.Error("screen_see has an output schema")
	}
	for arguments, want := range map[string][2]bool{`{"picture":true}`: {true, false}, `{"picture":false}`: {false, true}} {
		r := doorstest.MCPCall(t, url, version, "screen_see", arguments, header...)
		if got := [2]bool{r.Content[0].Type == "image", r.StructuredContent != nil}; got != want {
			t.Errorf("%s: an image and structure are %v", arguments, got)
		}
	}
}

type lookInput struct {
	Picture bool `json:"picture"`
}

// look is an answer with an image, if one is requested.
type look lookInput

// Content implements agent.Contenter.
func (l look) Content() []agent.Part {
	if l.Picture {
		return []agent.Part{agent.Image("image/png", []byte("png")), agent.Text("seen")}
	}
	return []agent.Part{agent.Text("seen")}
}

// manyTools returns n tools of plugins.
func manyTools(n int) (list []agent.Descriptor) {
	for i := range n {
		list = append(list, agent.Descriptor{Name: fmt.Sprintf("many.tool_%02d", i), Description: fmt.Sprintf("Counts sheep number %d.", i), Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)})
	}
	return list
}

// Up to the limit of a list every tool is listed. Beyond it, a client finds the others and calls them.
func TestMCPSearchesTools(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		own := pictureTools(t)
		start := func(n int) (string, []string) {
			url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, append(slices.Clone(own), fakes(manyTools(n)...)...)...), Journal: doorstest.MemoryJournal(t), ApprovalKey: doorstest.TestKey})
			return url, doorstest.MCPSession(t, url, version)
		}
		url, header := start(51) // with the nine of the gateway
		if tools := listOf(t, url, version, header); len(tools) != 60 || tools["tool_search"] != nil {
			t.Errorf("at the limit %d tools are listed", len(tools))
		}
		url, header = start(52)
		tools := listOf(t, url, version, header)
		if len(tools) != 11 || tools["tool_search"] == nil || tools["tool_call"] == nil || tools["ocr_read"] == nil || tools["many_tool_07"] != nil {
			t.Errorf("beyond the limit %d tools are listed", len(tools))
		}
		r := doorstest.MCPCall(t, url, version, "tool_search", `{"query":"sheep tool 07"}`, header...)
		if !strings.HasPrefix(r.Text(), "many_tool_07: Counts sheep number 7.\nschema: {") || strings.Count(r.Text(), "schema: ") != 10 {
			t.Errorf("found: %s", r.Text())
		}
		if r := doorstest.MCPCall(t, url, version, "tool_search", `{"query":"zebra"}`, header...); !strings.Contains(r.Text(), "no tool matches") {
			t.Errorf("found: %s", r.Text())
		}
		for _, query := range []string{`""`, `"` + strings.Repeat("x", 501) + `"`, `7`} {
			if r := doorstest.MCPCall(t, url, version, "tool_search", `{"query":`+query+`}`, header...); !r.IsError {
				t.Errorf("the query %.20s: %s", query, r.Text())
			}
		}
		if r := doorstest.MCPCall(t, url, version, "tool_call", `{"name":"many_tool_07","arguments":{"n":1}}`, header...); r.IsError || r.Text() != `ran with {"n":1}` {
			t.Errorf("a found tool: %+v", r)
		}
		if r := doorstest.MCPCall(t, url, version, "tool_call", `{"name":"none"}`, header...); !r.IsError || !strings.Contains(r.Text(), string(sdkapi.ToolNotFound)) {
			t.Errorf("no tool: %+v", r)
		}
		if r := doorstest.MCPCall(t, url, version, "tool_call", `{"name":"many_tool_07","arguments":{"m":1}}`, header...); !r.IsError || !strings.Contains(r.Text(), "arguments.m") {
			t.Errorf("wrong arguments: %+v", r)
		}
	})
}

// A risky tool needs the same approval by whatever tool it is called, and a forbidden one stays forbidden. No
// plugin can take the names of the search.
func TestMCPSearchKeepsRules(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tools := doorstest.RegistryOf(t, fakes(agent.Descriptor{Name: "test.risky", Risk: agent.Risky}, agent.Descriptor{Name: "test.forbidden", Risk: agent.Forbidden}, agent.Descriptor{Name: "tool.call"}, agent.Descriptor{Name: "test.clients", APIOnly: true})...)
		url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools, Journal: doorstest.MemoryJournal(t), ApprovalKey: doorstest.TestKey})
		header := doorstest.MCPSession(t, url, version, sdkapi.UserHeader, "ada")
		call := func(name string) doorstest.MCPAnswer {
			return doorstest.MCPCall(t, url, version, "tool_call", `{"name":"`+name+`"}`, header...)
		}
		if r := call("test_risky"); !doorstest.Waits(r) {
			t.Errorf("a risky tool: %+v", r)
		}
		for _, name := range []string{"test_forbidden", "test_clients"} {
			if r := call(name); !r.IsError || !strings.Contains(r.Text(), string(sdkapi.ToolNotFound)) {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if r := doorstest.MCPCall(t, url, version, "tool_search", `{"query":"test"}`, header...); !strings.Contains(r.Text(), "test_risky") || strings.Contains(r.Text(), "test_forbidden") {
			t.Errorf("found: %s", r.Text())
		}
	})
}
