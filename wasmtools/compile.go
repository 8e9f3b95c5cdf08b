package wasmtools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// engineVersion is part of the keys of the files on disk. Change it when instrumentation or the
// engine generates other machine code, or when the messages of describe change.
const engineVersion = "2"

// features are the WebAssembly features that guests may use.
const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst

// compileWorkers is the number of goroutines that compile one module. With one goroutine, the engine
// would ignore the end of the context.
const compileWorkers = 2

// compiler compiles modules, each in a separate runtime, because guests do not trust each other.
// Its folder holds machine code and must not be writable by others.
type compiler struct {
	dir    string        // empty: no cache on disk
	most   int64         // maximum bytes in dir
	busy   chan struct{} // limits how many modules compile at once
	memory *fair.Pool    // memory for compiling, in bytes; nil: no limit
	time   time.Duration // compileTime, or shorter in tests
	log    *slog.Logger
}

// Limits of compiling one module.
const (
	compileTime  = 2 * time.Minute // waiting for memory included
	compileBytes = 16              // memory for each byte of a module
	compileSmall = 1 << 20         // bytes of a module up to which its memory is not counted
)

// errSlow is the error of a module that took too long to compile.
var errSlow = fmt.Errorf("compiling the plugin took longer than %s", compileTime)

// knowVersion initialises the engine's version variable once; otherwise runtimes would race for it.
var knowVersion = sync.OnceFunc(func() {
	ctx := context.Background()
	_ = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler()).Close(ctx) // an empty runtime
})

// newCompiler creates the folder with access only for its owner.
func newCompiler(dir string, limit int64, memory *fair.Pool, log *slog.Logger) (*compiler, error) {
	knowVersion()
	c := &compiler{dir: dir, most: limit, busy: make(chan struct{}, runtime.GOMAXPROCS(0)), memory: memory, time: compileTime, log: log}
	if dir == "" {
		return c, nil
	}
	if err := newfile.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("cannot use the folder for compiled plugins: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder, which its owner alone may enter
		return nil, fmt.Errorf("the folder for compiled plugins must be private to the gateway's user, because it contains machine code: %w", err)
	}
	return c, nil
}

// compiled is a compiled module in a separate runtime.
type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	cache   wazero.CompilationCache
}

// compile compiles code, or loads it from the folder, and adds the host functions. It takes at most
// compileTime.
func (c *compiler) compile(ctx context.Context, a *admitted) (*compiled, error) {
	limited, cancel := context.WithTimeoutCause(ctx, c.time, errSlow)
	defer cancel()
	out, err := c.build(limited, a)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = errSlow
	}
	return out, err
}

// build waits for a free slot of c.busy and compiles a module. If that fails with the cache on disk,
// build deletes the module's entry and compiles without the cache.
func (c *compiler) build(ctx context.Context, a *admitted) (*compiled, error) {
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out, err := c.try(ctx, a, c.dir)
	if err == nil || c.dir == "" || ctx.Err() != nil {
		return out, err
	}
	// The file may be damaged or the disk full. Machine code can be made again.
	_ = os.RemoveAll(filepath.Join(c.dir, key(a.code))) // the next trim tries again
	out, again := c.try(ctx, a, "")
	if again != nil {
		return nil, again
	}
	c.log.Warn("the gateway could not cache a compiled plugin, or its cache was damaged; the gateway compiled the plugin again", slog.String("plugin", a.Name), slog.Any("err", err))
	return out, nil
}

// try compiles a module, or loads it from dir. An empty dir means no cache on disk.
func (c *compiler) try(ctx context.Context, a *admitted, dir string) (*compiled, error) {
	share, err := c.room(ctx, a, dir)
	if err != nil {
		return nil, err
	}
	defer share.Give()
	cache, err := open(dir, a.code)
	if err != nil {
		return nil, err
	}
	config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).WithCompilationCache(cache).
		WithDebugInfoEnabled(false).WithMemoryLimitPages(a.Limits.pass(0).MemoryPages)
	out := &compiled{runtime: wazero.NewRuntimeWithConfig(ctx, config), cache: cache}
	compiling := experimental.WithFunctionListenerFactory(experimental.WithCompilationWorkers(ctx, compileWorkers), abi.Visits(a.report.Visit))
	if out.module, err = out.runtime.CompileModule(compiling, a.code); err == nil {
		err = abi.Instantiate(ctx, out.runtime, a.report.Imports, a.hasFiles())
	}
	if err == nil && dir != "" {
		err = newfile.InheritAll(filepath.Join(dir, key(a.code)))
	}
	if err != nil {
		out.close()
		return nil, err
	}
	c.trim()
	return out, nil
}

// room waits for the memory that compiling takes. It returns nil if memory is not limited, if the
// module is small, or if dir has the compiled code, because loading the code takes little memory.
func (c *compiler) room(ctx context.Context, a *admitted, dir string) (*fair.Share, error) {
	if c.memory == nil || len(a.code) <= compileSmall || dir != "" && exists(filepath.Join(dir, key(a.code))) {
		return nil, nil
	}
	bytes := min(int64(len(a.code))*compileBytes, c.memory.Most())
	for {
		share, err := c.memory.Take(ctx, "compiling", bytes, fair.Long)
		if err == nil || ctx.Err() != nil || fault.CodeOf(err) != sdkapi.Overloaded {
			return share, err
		}
	}
}

// close frees the runtime of c. No instance may be in use.
func (c *compiled) close() {
	ctx := context.Background()
	_ = c.runtime.Close(ctx) // cannot fail: the instances are in memory
	_ = c.cache.Close(ctx)
}

// key returns the name of a cache entry: engineVersion and the digest of parts.
func key(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d\n", len(part))
		digest(h, part)
	}
	return engineVersion + "-" + hex.EncodeToString(h.Sum(nil))
}

// open opens the cache of a module, in its own folder below dir, or in memory if dir is empty.
func open(dir string, code []byte) (wazero.CompilationCache, error) {
	if dir == "" {
		return wazero.NewCompilationCache(), nil
	}
	dir = filepath.Join(dir, key(code))
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot use the folder for compiled plugins: %w", err)
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // marks the last use, for trim
	return cache, nil
}

// trim removes the least recently used modules until the rest fits the limit. The newest module always
// stays. Modules in use continue to work, because the engine has loaded them.
func (c *compiler) trim() {
	entries, err := os.ReadDir(c.dir)
	if c.dir == "" || err != nil {
		return
	}
	type kept struct {
		path  string
		bytes int64
		used  time.Time
	}
	var all []kept
	var sum int64
	for _, entry := range entries {
		path := filepath.Join(c.dir, entry.Name())
		if info, err := entry.Info(); err == nil {
			k := kept{path, sizeOf(path), info.ModTime()}
			all, sum = append(all, k), sum+k.bytes
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range all[:max(0, len(all)-1)] {
		if sum <= c.most {
			return
		}
		_ = os.RemoveAll(k.path) // the next trim tries again
		sum -= k.bytes
	}
}

// sizeOf returns the bytes of all files below path.
func sizeOf(path string) (sum int64) {
	// entries that disappear meanwhile count as 0
	_ = filepath.WalkDir(path, func(_ string, entry os.DirEntry, _ error) error {
		if entry == nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
