//go:build system

package main

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// BenchmarkIdleSockets connects 10,000 clients, each with a token of its own,
// to `windie serve` in another process, and reports what a silent one takes:
// resident memory, memory that Go uses, and goroutines. By then each must have
// received a ping.
func BenchmarkIdleSockets(b *testing.B) {
	n := openFiles(b, 10_000)
	h := host(b, "serve")
	h.guests(b, 10) // what the first one takes is not the others'
	rss, before := h.resident(b), h.ask(b)
	began := time.Now()
	list := h.guests(b, n)
	b.ReportMetric(float64(n)/time.Since(began).Seconds(), "connected/s")
	for _, g := range list {
		go func() {
			for {
				if _, _, err := g.conn.ReadMessage(); err != nil {
					return
				}
			}
		}()
	}
	time.Sleep(45 * time.Second) // pings come every 30 s
	lost := 0
	for _, g := range list {
		if g.pings.Load() == 0 {
			lost++
		}
	}
	each := func(of float64, unit string) { b.ReportMetric(of/float64(n), unit) }
	after := h.ask(b)
	each((h.resident(b)-rss)/1024, "KB/socket")
	each((after.of("go_memstats_heap_inuse_bytes")-before.of("go_memstats_heap_inuse_bytes"))/1024, "heap-KB/socket")
	each((after.of("go_memstats_stack_inuse_bytes")-before.of("go_memstats_stack_inuse_bytes"))/1024, "stack-KB/socket")
	each(after.of("go_goroutines")-before.of("go_goroutines"), "goroutines/socket")
	b.ReportMetric(float64(lost), "unasked")
	b.ReportMetric(0, "ns/op")
}

// gauges are values of /metrics.
type gauges struct {
	b    *testing.B
	text []byte
}

func (h *hosted) ask(b *testing.B) gauges {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, h.url+sdkapi.MetricsPath, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+operatorToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status, string(text), err)
	}
	return gauges{b, text}
}

// of returns a figure that has no labels.
func (f gauges) of(name string) float64 {
	f.b.Helper()
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(f.text)
	if found == nil {
		f.b.Fatalf("no %s in %s", name, f.text)
	}
	value, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		f.b.Fatal(err)
	}
	return value
}
