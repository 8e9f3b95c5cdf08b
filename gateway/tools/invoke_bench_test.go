package tools_test

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/wasmtest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// How many calls of a tool a second the gateway answers, and what share that
// is of a bare Fiber handler's that sends back the same JSON. Both are asked
// in turn, over as many connections at once as a few agents have. The clients
// run on the same cores: fasthttp's costs next to nothing, net/http's is the
// one that the SDK uses.
func BenchmarkInvoke(b *testing.B) {
	const arguments = `{"city":"Rome","days":3,"note":"a window seat, if there is one"}`
	const input = `{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}}}`
	long := strings.Replace(arguments, "a window", strings.Repeat("a window ", 1100), 1)
	plugin := pluginEcho(b)
	held := make([]byte, doorstest.HeapHeld)
	defer runtime.KeepAlive(held)
	for _, bb := range []struct {
		name, arguments string
		tool            agent.Tool
		client          func(url, body string) (ask func(n int) error)
	}{
		{"plugin 100B, fasthttp", arguments, plugin, lightClient},
		{"plugin 100B, net-http", arguments, plugin, doorstest.SdkClient},
		{"plugin 10KB, fasthttp", long, plugin, lightClient},
		{"plugin 10KB, net-http", long, plugin, doorstest.SdkClient},
		{"100B, fasthttp", arguments, doorstest.EchoTool{}, lightClient},
		{"100B with a schema, fasthttp", arguments, doorstest.EchoTool{Input: input}, lightClient},
		{"10KB, fasthttp", long, doorstest.EchoTool{}, lightClient},
		{"100B, net-http", arguments, doorstest.EchoTool{}, doorstest.SdkClient},
		{"100B with a schema, net-http", arguments, doorstest.EchoTool{Input: input}, doorstest.SdkClient},
		{"10KB, net-http", long, doorstest.EchoTool{}, doorstest.SdkClient},
	} {
		b.Run(bb.name, func(b *testing.B) {
			tools := agent.NewRegistry()
			if err := tools.Register(bb.tool); err != nil {
				b.Fatal(err)
			}
			path := sdkapi.ToolPath(bb.tool.Descriptor().Name)
			invoke := bb.client(gatewaytest.Start(b, gateway.App{Tools: tools})+path, bb.arguments)
			bare := bb.client(bareEcho(b)+path, bb.arguments)
			var times doorstest.Stopwatch
			for b.Loop() {
				times.Race(b, doorstest.InParallel(bare), doorstest.InParallel(invoke))
			}
			b.ReportMetric(times.OfBare(), "of-bare")
			b.ReportMetric(times.OfBareCPU(), "of-bare-cpu")
			least, middle := times.OfBareRounds()
			b.ReportMetric(least, "of-bare-cpu-least")
			b.ReportMetric(middle, "of-bare-cpu-middle")
			b.ReportMetric(float64(b.N*doorstest.Batch)/times.Bare.Seconds(), "bare/s")
			b.ReportMetric(float64(b.N*doorstest.Batch)/times.Through.Seconds(), "invoke/s")
		})
	}
}

// What recording calls costs them: the same as BenchmarkInvoke, with and
// without, in turn. Nobody calls tools so fast; both cores are full.
func BenchmarkInvokeRecorded(b *testing.B) {
	const arguments = `{"city":"Rome","days":3,"note":"a window seat, if there is one"}`
	held := make([]byte, doorstest.HeapHeld)
	defer runtime.KeepAlive(held)
	for name, body := range map[string]string{"100B": arguments, "10KB": strings.Replace(arguments, "a window", strings.Repeat("a window ", 1100), 1)} {
		for by, client := range map[string]func(url, body string) func(n int) error{"fasthttp": lightClient, "net-http": doorstest.SdkClient} {
			b.Run(name+", "+by, func(b *testing.B) {
				var ask [2]func(n int) error
				for i, trail := range []*audit.Log{nil, gatewaytest.Audit(b)} {
					tools := agent.NewRegistry()
					if err := tools.Register(doorstest.EchoTool{}); err != nil {
						b.Fatal(err)
					}
					ask[i] = client(gatewaytest.Start(b, gateway.App{Audit: trail, Tools: tools})+sdkapi.ToolPath("test.echo"), body)
				}
				var times doorstest.Stopwatch
				for b.Loop() {
					times.Race(b, doorstest.InParallel(ask[0]), doorstest.InParallel(ask[1]))
				}
				b.ReportMetric(times.OfBare(), "of-unrecorded")
				b.ReportMetric(float64(b.N*doorstest.Batch)/times.Through.Seconds(), "recorded/s")
			})
		}
	}
}

// pluginEcho returns a tool of a plugin, which answers with what it was called
// with. Each call begins with a snapshot.
func pluginEcho(b testing.TB) agent.Tool {
	engine, err := wasmtools.NewEngine(wasmtools.Config{})
	if err != nil {
		b.Fatal(err)
	}
	plugin, err := engine.Open(b.Context(), wasmtools.Source{Name: "test", Module: wasmtest.Echo()}, wasmtools.Grant{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(plugin.Close)
	return plugin.Tools(wasmtools.Grant{})[0]
}

// bareEcho runs a Fiber handler that sends back what it is sent.
func bareEcho(b *testing.B) string {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Post("/api/tools/:toolId/invoke", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(c.Body())
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- app.Listener(ln) }()
	b.Cleanup(func() { _ = errors.Join(app.ShutdownWithTimeout(time.Second), <-ended) }) // connections that its clients keep would hold it up for ever
	return "http://" + ln.Addr().String()
}

func lightClient(url, body string) func(n int) error {
	client := new(fasthttp.Client)
	return func(n int) error {
		request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
		defer fasthttp.ReleaseRequest(request)
		defer fasthttp.ReleaseResponse(answer)
		request.SetRequestURI(url)
		request.Header.SetMethod(fasthttp.MethodPost)
		request.Header.SetContentType("application/json")
		request.Header.Set(sdkapi.UserHeader, "ada")
		request.SetBodyString(body)
		for range n {
			if err := client.Do(request, answer); err != nil {
				return err
			}
			if answer.StatusCode() != fasthttp.StatusOK {
				return fmt.Errorf("%d %s", answer.StatusCode(), answer.Body())
			}
		}
		return nil
	}
}
