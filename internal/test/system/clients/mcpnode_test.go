//go:build system

package clients_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// leftOut are the cases of the conformance suite that are about what the
// gateway does not offer, and why not.
var leftOut = map[string]string{
	"completion-complete":           "tools' arguments have schemas; there is nothing to complete",
	"tools-call-with-logging":       "logging is deprecated in the protocol; the log is the operator's",
	"tools-call-sampling":           "sampling is deprecated in the protocol; models are the gateway's own",
	"tools-call-audio":              "tools answer texts, images and JSON",
	"tools-call-embedded-resource":  "likewise: what is large is an artifact, and named by its id",
	"tools-call-mixed-content":      "likewise",
	"elicitation-sep1034-defaults":  "the one question that is asked has no fields",
	"elicitation-sep1330-enums":     "likewise",
	"resources-subscribe":           "artifacts never change",
	"resources-unsubscribe":         "likewise",
	"prompts-get-simple":            "the gateway offers no prompts",
	"prompts-get-with-args":         "likewise",
	"prompts-get-embedded-resource": "likewise",
	"prompts-get-with-image":        "likewise",
}

// nodeScript returns a command that runs a script of testdata/mcp, with what
// `make deps-system` has installed for it.
func nodeScript(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		testkit.Skip(t, "node", "your system's package nodejs, 20 or newer")
	}
	modules := filepath.Join(testkit.RepoRoot(t), ".tools", "mcp", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "@modelcontextprotocol")); err != nil {
		testkit.Skip(t, "the MCP clients", "make deps-system")
	}
	dir := t.TempDir() // node looks for modules beside the script
	source, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "gateway", "testdata", "mcp", script))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, script), source, 0o600)
	}
	if err == nil {
		err = os.Symlink(modules, filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	cmd.Dir = dir
	return cmd
}

// suiteTools are the tools that the conformance suite wants.
func suiteTools(t *testing.T) *agent.Registry {
	say := func(name, text string) agent.Tool {
		return doorstest.FakeTool{About: agent.Descriptor{Name: name, Description: "Says it."}, Answer: doorstest.Always(agent.Result{Content: []agent.Part{agent.Text(text)}})}
	}
	schema := json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`)
	return doorstest.RegistryOf(t,
		say("test.simple_text", "This is a simple text response for testing."),
		doorstest.FakeTool{About: agent.Descriptor{Name: "test.image_content", Description: "Shows it."}, Answer: doorstest.Always(agent.Result{Content: []agent.Part{agent.Image("image/png", gatewaytest.Card())}})},
		doorstest.FakeTool{About: agent.Descriptor{Name: "test.error_handling", Description: "Fails."}, Answer: doorstest.Always(agent.Failf("This tool intentionally returns an error for testing").Result())},
		doorstest.FakeTool{About: agent.Descriptor{Name: "json.schema_2020_12_tool", Description: "Has a schema.", Input: schema}, Answer: doorstest.Always(agent.Result{})},
		doorstest.FakeTool{About: agent.Descriptor{Name: "test.elicitation", Description: "Asks first.", Risk: agent.Risky}, Answer: doorstest.Always(agent.Result{Content: []agent.Part{agent.Text("done")}})},
		slowTool("test.tool_with_progress", 3500*time.Millisecond),
	)
}

// slowTool is a tool that takes so long.
func slowTool(name string, takes time.Duration) agent.Tool {
	return doorstest.FakeTool{About: agent.Descriptor{Name: name, Description: "Takes its time."}, Answer: func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		select {
		case <-time.After(takes):
			return agent.Result{Content: []agent.Part{agent.Text("done")}}, nil
		case <-ctx.Done():
			return agent.Result{}, ctx.Err()
		}
	}}
}

// The suite of the protocol's makers finds nothing wrong, but for what is left
// out, which it finds missing.
func TestMCPConformance(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: suiteTools(t), Journal: doorstest.MemoryJournal(t)})
	text, err := doorstest.Client(t, url).UploadArtifact(t.Context(), "a.txt", strings.NewReader("Data for ID: 123"))
	if err != nil {
		t.Fatal(err)
	}
	var expected strings.Builder
	expected.WriteString("server:\n")
	for name, why := range leftOut {
		fmt.Fprintf(&expected, "  - %s # %s\n", name, why)
	}
	cmd := nodeScript(t, "conformance.mjs", "server", "--url", strings.Replace(url, "127.0.0.1", "localhost", 1)+sdkapi.MCPPath, "--expected-failures", "expected.yaml")
	if err := os.WriteFile(filepath.Join(cmd.Dir, "expected.yaml"), []byte(expected.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "TEXT="+text.ArtifactID, "BINARY="+doorstest.Upload(t, url))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// seen is what client.mjs prints.
type seen struct {
	Tools, Later      []string
	Echo, Slow, Risky struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Type, Text string }
	}
	Progress []float64
	Asked    []string
	Changed  int
}

// The official TypeScript SDK, by both of its packages and so by both ways of
// the protocol, lists and calls tools, hears of progress and of new tools,
// and asks its user about a risky call.
func TestMCPWithTypeScript(t *testing.T) {
	t.Parallel()
	for _, generation := range []string{"2025", "2026"} {
		t.Run(generation, func(t *testing.T) {
			t.Parallel()
			tools := doorstest.RegistryOf(t, doorstest.EchoTool{Input: `{"type":"object"}`}, slowTool("test.slow", 2500*time.Millisecond),
				doorstest.FakeTool{About: agent.Descriptor{Name: "test.risky", Risk: agent.Risky}, Answer: doorstest.Always(agent.Result{Content: []agent.Part{agent.Text("did it")}})},
				doorstest.FakeTool{About: agent.Descriptor{Name: "test.hidden", APIOnly: true}, Answer: doorstest.Always(agent.Result{})})
			url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: tools, Journal: doorstest.MemoryJournal(t)})
			cmd := nodeScript(t, "client.mjs", url+sdkapi.MCPPath, generation, "ada")
			var failures strings.Builder
			cmd.Stderr = &failures
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			lines.Buffer(nil, 1<<20)
			if !lines.Scan() || lines.Text() != "ready" {
				_ = cmd.Wait()
				t.Fatalf("%s\n%s", lines.Text(), &failures)
			}
			if err := tools.Register(doorstest.FakeTool{About: agent.Descriptor{Name: "test.new"}, Answer: doorstest.Always(agent.Result{})}); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(in)
			var saw seen
			lines.Scan()
			if err := json.Unmarshal(lines.Bytes(), &saw); err != nil {
				t.Errorf("%v\n%s", err, &failures)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, &failures)
			}
			checkSeen(t, saw)
		})
	}
}

func checkSeen(t *testing.T, saw seen) {
	t.Helper()
	if want := []string{"test_echo", "test_risky", "test_slow"}; !slices.Equal(saw.Tools, want) {
		t.Errorf("tools %q, want %q", saw.Tools, want)
	}
	if !slices.Contains(saw.Later, "test_new") || saw.Changed == 0 {
		t.Errorf("told of %d changes, and then listed %q", saw.Changed, saw.Later)
	}
	if string(saw.Echo.StructuredContent) != `{"a":1}` || len(saw.Echo.Content) != 1 || saw.Echo.Content[0].Text != `{"a":1}` {
		t.Errorf("echo: %+v", saw.Echo)
	}
	if len(saw.Progress) < 2 || !slices.IsSorted(saw.Progress) || saw.Slow.IsError {
		t.Errorf("slow: %+v, with progress %v", saw.Slow, saw.Progress)
	}
	if len(saw.Asked) != 1 || !strings.Contains(saw.Asked[0], `test_risky`) || !strings.Contains(saw.Asked[0], `{"what":"all"}`) {
		t.Errorf("asked: %q", saw.Asked)
	}
	if saw.Risky.IsError || len(saw.Risky.Content) != 1 || saw.Risky.Content[0].Text != "did it" {
		t.Errorf("risky: %+v", saw.Risky)
	}
}
