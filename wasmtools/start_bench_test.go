package wasmtools_test

import (
	"fmt"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
)

// BenchmarkStart starts with fifty plugins of Go that were opened before, 4 MB
// each: until all tools are listed, and until the first of them has answered.
func BenchmarkStart(b *testing.B) {
	const plugins = 50
	dir, cache := b.TempDir(), b.TempDir()
	for i := range plugins {
		put(b, dir, fmt.Sprintf("p%d.wasm", i), module(b))
	}
	start := func() (*wasmtools.Plugins, *agent.Registry) {
		registry := agent.NewRegistry()
		p, err := wasmtools.NewPlugins(newEngine(b, wasmtools.Config{CacheDir: cache}), registry, wasmtools.Folder{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		return p, registry
	}
	p, _ := start()
	s := served{Plugins: p, t: b}
	for i := range plugins {
		s.until("a plugin", fmt.Sprintf("p%d", i), ready)
	}
	p.Close()
	b.Run("listed", func(b *testing.B) {
		for b.Loop() {
			p, registry := start()
			b.StopTimer()
			if tools, _ := registry.List(); len(tools) < plugins {
				b.Fatalf("%d tools are listed", len(tools))
			}
			p.Close()
			b.StartTimer()
		}
	})
	b.Run("answered", func(b *testing.B) {
		for b.Loop() {
			p, registry := start()
			if _, err := registry.Invoke(b.Context(), "p49.echo", agent.Call{}); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			p.Close()
			b.StartTimer()
		}
	})
}
