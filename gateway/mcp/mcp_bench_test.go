package mcp_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// How long n calls of a tool take over MCP, and by POST: with a session, and
// without, as in the protocol since 2026-07-28.
// Both are asked in turn, by net/http's client. The calls are plain; one that
// the SDK gets takes three to five times as long as by POST.
func BenchmarkMCP(b *testing.B) {
	const arguments = `{"city":"Rome","days":3,"note":"a window seat, if there is one"}`
	held := make([]byte, doorstest.HeapHeld)
	defer runtime.KeepAlive(held)
	url := gatewaytest.Start(b, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(b, doorstest.EchoTool{})})
	invoke := doorstest.SdkClient(url+sdkapi.ToolPath("test.echo"), arguments)
	for _, version := range doorstest.MCPVersions {
		b.Run(version, func(b *testing.B) {
			call := mcpClient(b, url, version, "test_echo", arguments)
			var times doorstest.Stopwatch
			for b.Loop() {
				times.Race(b, doorstest.InParallel(invoke), doorstest.InParallel(call))
			}
			b.ReportMetric(times.Through.Seconds()/times.Bare.Seconds(), "of-invoke")
			b.ReportMetric(float64(b.N*doorstest.Batch)/times.Bare.Seconds(), "invoke/s")
			b.ReportMetric(float64(b.N*doorstest.Batch)/times.Through.Seconds(), "mcp/s")
		})
	}
}

// mcpClient returns what calls a tool n times, as a client of a version
// of the protocol does, in one session where it has those.
func mcpClient(b *testing.B, url, version, tool, arguments string) func(n int) error {
	header := doorstest.MCPSession(b, url, version)
	template := doorstest.MCPMessage(b, url, version, "tools/call", `"name":"`+tool+`","arguments":`+arguments, header...)
	message, err := io.ReadAll(template.Body)
	if err != nil {
		b.Fatal(err)
	}
	before, after, _ := strings.Cut(string(message), `"id":1,`)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: doorstest.Connections}}
	var ids atomic.Int64
	return func(n int) error {
		for range n {
			req, err := http.NewRequest(http.MethodPost, url+sdkapi.MCPPath, strings.NewReader(fmt.Sprintf(`%s"id":%d,%s`, before, ids.Add(1)+1, after)))
			if err != nil {
				return err
			}
			req.Header = template.Header
			resp, err := client.Do(req)
			if err != nil {
				return err
			}
			answer, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || !strings.Contains(string(answer), `"structuredContent"`) {
				return fmt.Errorf("%s %s %w", resp.Status, answer, err)
			}
		}
		return nil
	}
}
