package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A desktop client starts the program beside a gateway, sees what is there, and
// ends it by closing its input. Nothing but the protocol is on its output.
func TestMCPBesideAGateway(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	data := "WINDIE_DATA_DIR=" + t.TempDir()
	gateway, err := sdk.New(serveForTest(t, data))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := gateway.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	var complaint output
	ended := make(chan int, 1)
	go func() {
		ended <- run(context.Background(), []string{"mcp"}, []string{data}, in, out, &complaint)
		_ = out.Close() // as the system does
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "ocr_resolve_text" }) {
		t.Errorf("%+v %v", list, err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ocr_resolve_text", Arguments: sdkapi.OCRTextRequest{Image: sdk.Stored(stored.ArtifactID), Text: "Check out"}})
	if err != nil || result.IsError {
		t.Errorf("%+v %v", result, err)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: sdkapi.ArtifactURI + stored.ArtifactID})
	if err != nil || !bytes.Equal(read.Contents[0].Blob, gatewaytest.Card()) {
		t.Errorf("the artifact: %v", err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != 0 || strings.Contains(complaint.String(), "WARN") {
		t.Errorf("the program ended with %d:\n%s", code, complaint.String())
	}
}

// Where users are kept apart, somebody has to say who asks.
func TestMCPAsksForAUser(t *testing.T) {
	t.Parallel()
	if code, _, complaint := windie(t, nil, "mcp", "--mode", "hosted"); code != exitUsage || !strings.Contains(complaint, "--user") {
		t.Errorf("%d %s", code, complaint)
	}
}

// listOver returns the tools that windie mcp lists with these settings.
func listOver(t *testing.T, environ ...string) []*mcp.Tool {
	t.Helper()
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	var complaint output
	ended := make(chan int, 1)
	go func() {
		ended <- run(context.Background(), []string{"mcp"}, append(environ, "WINDIE_DATA_DIR="+t.TempDir()), in, out, &complaint)
		_ = out.Close()
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != 0 {
		t.Errorf("%d: %s", code, complaint.String())
	}
	return list.Tools
}

// The settings choose the tools of a list. By default it costs a model at most 3,500 tokens.
func TestMCPToolsOfSettings(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]int{
		"": 12, "WINDIE_MCP_TOOLS=all": 14, "WINDIE_MCP_TOOLS=ocr_*,vision.locate": 4, "WINDIE_MCP_TOOLS=none": 0,
		"WINDIE_MCP_CLIENTS=test=ocr.*,test=screen_at": 4, "WINDIE_MCP_CLIENTS=other=ocr.*": 12,
	} {
		t.Run(settings, func(t *testing.T) {
			t.Parallel()
			tools := listOver(t, settings)
			if len(tools) != want {
				t.Errorf("%d tools, not %d", len(tools), want)
			}
			if settings != "" {
				return
			}
			size := 0
			for _, tool := range tools {
				schemas, err := json.Marshal([]any{tool.InputSchema, tool.OutputSchema})
				if err != nil {
					t.Fatal(err)
				}
				size += len(tool.Name + tool.Description + string(schemas))
			}
			if t.Logf("%d characters, about %d tokens", size, size/4); size/4 > 3500 {
				t.Errorf("the list costs %d tokens", size/4)
			}
		})
	}
	for _, wrong := range []string{"WINDIE_MCP_TOOLS=[", "WINDIE_MCP_CLIENTS=ocr_*", "WINDIE_MCP_CLIENTS=codex=["} {
		name, _, _ := strings.Cut(wrong, "=")
		refused(t, name, "serve", wrong)
	}
}
