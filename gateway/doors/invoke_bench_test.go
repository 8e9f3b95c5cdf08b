package doors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/audit"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/services"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/wasmtest"
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
	held := make([]byte, heapHeld)
	defer runtime.KeepAlive(held)
	for _, bb := range []struct {
		name, arguments string
		tool            agent.Tool
		client          func(url, body string) (ask func(n int) error)
	}{
		{"plugin 100B, fasthttp", arguments, plugin, lightClient},
		{"plugin 100B, net-http", arguments, plugin, sdkClient},
		{"plugin 10KB, fasthttp", long, plugin, lightClient},
		{"plugin 10KB, net-http", long, plugin, sdkClient},
		{"100B, fasthttp", arguments, echoTool{}, lightClient},
		{"100B with a schema, fasthttp", arguments, echoTool{input}, lightClient},
		{"10KB, fasthttp", long, echoTool{}, lightClient},
		{"100B, net-http", arguments, echoTool{}, sdkClient},
		{"100B with a schema, net-http", arguments, echoTool{input}, sdkClient},
		{"10KB, net-http", long, echoTool{}, sdkClient},
	} {
		b.Run(bb.name, func(b *testing.B) {
			tools := agent.NewRegistry()
			if err := tools.Register(bb.tool); err != nil {
				b.Fatal(err)
			}
			path := sdkapi.ToolPath(bb.tool.Descriptor().Name)
			invoke := bb.client(gatewaytest.Start(b, gateway.Config{Tools: tools})+path, bb.arguments)
			bare := bb.client(bareEcho(b)+path, bb.arguments)
			var times stopwatch
			for b.Loop() {
				times.race(b, inParallel(bare), inParallel(invoke))
			}
			b.ReportMetric(times.ofBare(), "of-bare")
			b.ReportMetric(times.ofBareCPU(), "of-bare-cpu")
			least, middle := times.ofBareRounds()
			b.ReportMetric(least, "of-bare-cpu-least")
			b.ReportMetric(middle, "of-bare-cpu-middle")
			b.ReportMetric(float64(b.N*batch)/times.bare.Seconds(), "bare/s")
			b.ReportMetric(float64(b.N*batch)/times.through.Seconds(), "invoke/s")
		})
	}
}

// What recording calls costs them: the same as BenchmarkInvoke, with and
// without, in turn. Nobody calls tools so fast; both cores are full.
func BenchmarkInvokeRecorded(b *testing.B) {
	const arguments = `{"city":"Rome","days":3,"note":"a window seat, if there is one"}`
	held := make([]byte, heapHeld)
	defer runtime.KeepAlive(held)
	for name, body := range map[string]string{"100B": arguments, "10KB": strings.Replace(arguments, "a window", strings.Repeat("a window ", 1100), 1)} {
		for by, client := range map[string]func(url, body string) func(n int) error{"fasthttp": lightClient, "net-http": sdkClient} {
			b.Run(name+", "+by, func(b *testing.B) {
				var ask [2]func(n int) error
				for i, trail := range []*audit.Log{nil, gatewaytest.Audit(b)} {
					tools := agent.NewRegistry()
					if err := tools.Register(echoTool{}); err != nil {
						b.Fatal(err)
					}
					ask[i] = client(gatewaytest.Start(b, gateway.Config{Services: services.Services{Audit: trail}, Tools: tools})+sdkapi.ToolPath("test.echo"), body)
				}
				var times stopwatch
				for b.Loop() {
					times.race(b, inParallel(ask[0]), inParallel(ask[1]))
				}
				b.ReportMetric(times.ofBare(), "of-unrecorded")
				b.ReportMetric(float64(b.N*batch)/times.through.Seconds(), "recorded/s")
			})
		}
	}
}

// heapHeld is what a gateway holds that has read a few screens: its network
// and what it keeps of them. In a heap of nothing the collector would run a
// hundred times a second, for either handler.
const heapHeld = 32 << 20

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

// echoTool answers with its arguments.
type echoTool struct{ input string }

func (e echoTool) Descriptor() agent.Descriptor {
	return agent.Descriptor{Name: "test.echo", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}, Input: json.RawMessage(e.input)}
}

func (echoTool) Call(_ context.Context, call agent.Call) (agent.Result, error) {
	return agent.Result{Structured: call.Arguments}, nil
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

// A batch is what one measurement sends, over so many connections.
const (
	batch       = 2000
	connections = 8
)

// inParallel returns what sends a batch.
func inParallel(ask func(n int) error) func() error {
	return func() error {
		var wg sync.WaitGroup
		errs := make([]error, connections)
		for i := range errs {
			wg.Go(func() { errs[i] = ask(batch / connections) })
		}
		wg.Wait()
		return errors.Join(errs...)
	}
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

func sdkClient(url, body string) func(n int) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	return func(n int) error {
		for range n {
			request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
			if err != nil {
				return err
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set(sdkapi.UserHeader, "ada")
			answer, err := client.Do(request)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusOK {
				return fmt.Errorf("%s %w", answer.Status, err)
			}
		}
		return nil
	}
}
