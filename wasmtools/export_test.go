package wasmtools

import (
	"time"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools/abi"
)

// noMemory is what a system gives that has no more.
type noMemory struct{}

func (noMemory) Reallocate(uint64) []byte { return nil }
func (noMemory) Free()                    {}

// RunOutOfMemory has no instance get memory until it is over.
func RunOutOfMemory() (over func()) {
	was := allocator
	allocator = experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return noMemory{} })
	return func() { allocator = was }
}

// SetCompileTime has e compile a module for at most d.
func SetCompileTime(e *Engine, d time.Duration) { e.compiler.time = d }

// Wrapped returns cfg for an engine whose guests ask the host that wrap returns.
func Wrapped(cfg Config, wrap func(agent.Call, abi.Host) abi.Host) Config {
	cfg.wrap = wrap
	return cfg
}

// HoldOpening has p open no plugin until release is called.
func HoldOpening(p *Plugins) (release func()) {
	for range openAtOnce {
		p.slots <- struct{}{}
	}
	return func() {
		for range openAtOnce {
			<-p.slots
		}
	}
}

// IsOpening reports whether p is opening a new version of a plugin.
func IsOpening(p *Plugins, name string) bool { return p.isOpening(name) }
