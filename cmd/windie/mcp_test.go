package main

import (
	"bytes"
	"context"
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
