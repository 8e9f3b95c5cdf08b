package wasmtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental/sysfs"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/rootfs"
)

// Config connects plugins to the gateway. With the zero value, plugins have no cache on disk, no
// stores, no secrets and no log.
type Config struct {
	// path of the folder for compiled machine code; only the gateway's user may write to the folder
	CacheDir string
	// maximum size of the files in CacheDir together, in bytes; default 1 GiB
	CacheBytes int64
	// path of the folder in which programs get their work folders; default: the system's temporary
	// folder
	TempDir string
	// maximum size of a plugin's file, in bytes; default MaxModuleBytes
	ModuleBytes int64
	// path of the file quickjs.wasm from the npm package quickjs-wasi, which runs JavaScript; if it
	// is empty or the file is missing, .js plugins are refused
	ScriptRuntime string
	// function that opens the store of a plugin with the permission kv; nil: plugins have no stores
	Store OpenStore
	// function that empties the store of a removed plugin; default: a function that does nothing
	Forget func(plugin string) error
	// function that returns the value of a secret, for the rules of requests
	Secret func(name string) (value string, ok bool)
	// function that returns an environment variable; default os.LookupEnv
	Env func(name string) (value string, ok bool)
	// resolver that finds the addresses of hosts; default: the system's resolver
	Resolver egress.Resolver
	// names of hosts that count as private, see egress.Config; default: no names
	Inside []string
	// function that stores an artifact of the calling user; nil: answers contain the bytes
	// themselves
	KeepFile func(ctx context.Context, call agent.Call, content []byte) (id string, err error)
	// function that reads an artifact; nil: no artifacts are available
	LoadFile func(ctx context.Context, call agent.Call, id string, most int64) (content []byte, err error)
	// cores for guests; a guest takes one unit while it computes; nil: no limit. The pool limits
	// the calls of one plugin and one user that wait for a core
	Cores *fair.Pool
	// memory for all guests together, in bytes; nil: no limit
	Memory *fair.Pool
	// secret key from which the gateway derives the user ids that plugins see. If it is set, users
	// are isolated from each other. Leave it empty only if all calls are from one person
	UserKey []byte
	Log     *slog.Logger

	// for tests: replaces the host of guests; default: no change
	wrap func(agent.Call, abi.Host) abi.Host
}

// OpenStore returns a plugin's store for one user. If user is empty, it returns the plugin's shared
// store. If users are not isolated from each other, user is always empty.
type OpenStore func(plugin, user string, quota Quota) abi.Store

// Engine opens plugins.
type Engine struct {
	cfg      Config
	compiler *compiler
	shared   *shared
}

// NewEngine returns an engine and creates the cache folder.
func NewEngine(cfg Config) (*Engine, error) {
	cfg.CacheBytes = cmp.Or(cfg.CacheBytes, 1<<30)
	cfg.ModuleBytes = cmp.Or(cfg.ModuleBytes, MaxModuleBytes)
	if cfg.Env == nil {
		cfg.Env = os.LookupEnv
	}
	if cfg.Secret == nil {
		cfg.Secret = noSecret
	}
	if cfg.Forget == nil {
		cfg.Forget = func(string) error { return nil }
	}
	if cfg.wrap == nil {
		cfg.wrap = func(_ agent.Call, host abi.Host) abi.Host { return host }
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	dir := ""
	if cfg.CacheDir != "" {
		dir = filepath.Join(cfg.CacheDir, "compiled")
	}
	c, err := newCompiler(dir, cfg.CacheBytes, cfg.Memory, cfg.Log)
	return &Engine{cfg: cfg, compiler: c, shared: &shared{
		cores: cfg.Cores, apart: len(cfg.UserKey) > 0,
		room: room{pool: cfg.Memory, guests: map[*guest]struct{}{}},
	}}, err
}

// Plugin is a compiled plugin that has listed its tools. Its methods are safe for concurrent use.
// They must not be called after Close.
type Plugin struct {
	Admission
	Description abi.Description // the plugin's description of itself, including its tools

	guest  *guest
	client *egress.Client
	mounts []mounted
	cfg    Config
	log    *slog.Logger

	mu      sync.Mutex
	calls   int
	closing bool
}

// mounted is a folder that the guest sees.
type mounted struct {
	*rootfs.Mount
	at string
}

// Inspect reports the properties, the granted permissions and the denied permissions of a plugin
// without running the plugin. If the plugin is refused, the error is a fault with the reason.
func (e *Engine) Inspect(src Source, grant Grant) (*Admission, error) {
	a, err := e.admit(src, grant)
	if err != nil {
		return nil, err
	}
	return &a.Admission, nil
}

// admit checks a plugin against its grant. For a script, it loads the JavaScript runtime as the
// module.
func (e *Engine) admit(src Source, grant Grant) (*admitted, error) {
	if src.Script != nil {
		module, err := ReadFile(e.cfg.ScriptRuntime, MaxModuleBytes)
		if err != nil {
			return nil, fault.New("wasmtools.admit", sdkapi.ValidationError,
				"the plugin %q is JavaScript, and its runtime is not installed; install it with: windie tool runtime add", src.Name).Because(err)
		}
		src.Module = module
	}
	return admit(src, grant, int(e.cfg.ModuleBytes))
}

// Open checks, instruments and compiles a plugin, and asks it for its tools. If the plugin is
// refused, the error is a fault with the reason. The caller closes the plugin.
func (e *Engine) Open(ctx context.Context, src Source, grant Grant) (*Plugin, error) {
	a, err := e.admit(src, grant)
	if err != nil {
		return nil, err
	}
	p := &Plugin{Admission: a.Admission, cfg: e.cfg, log: e.cfg.Log}
	if err := p.equip(); err != nil {
		p.release()
		return nil, err
	}
	c, err := e.compiler.compile(ctx, a)
	if err != nil {
		p.release()
		return nil, uncompilable(src.Name, err)
	}
	p.guest = newGuest(a, c, e.shared)
	if err := p.warmUp(ctx); err != nil {
		p.release()
		return nil, undescribed(ctx, src.Name, err)
	}
	return p, nil
}

// undescribed explains why a plugin could not describe itself. It returns err unchanged after ctx
// ends, and if the gateway was OVERLOADED, because then the plugin has no defect.
func undescribed(ctx context.Context, name string, err error) error {
	f := fault.From(err)
	if ctx.Err() != nil || f.Code == sdkapi.Overloaded {
		return err
	}
	return fault.New("wasmtools.Open", sdkapi.ValidationError,
		"the plugin %q did not describe itself: %s; its function describe must return, within %s, one JSON object that lists its tools, and must not call the host",
		name, f.Message, describeTime).Because(err)
}

// uncompilable explains a failed compilation as VALIDATION_ERROR. If the caller's context ended, it returns err
// unchanged.
func uncompilable(name string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.New("wasmtools.Open", sdkapi.ValidationError, "the plugin %q is not valid WebAssembly, or the gateway could not compile it: %s", name, plain.Short(err.Error(), maxReason)).Because(err)
}

// equip opens what the grant allows: the HTTP client and the folders.
func (p *Plugin) equip() (err error) {
	p.client, err = egress.New(egress.Config{
		Rules:    p.Permissions.HTTP,
		Secret:   p.cfg.Secret,
		Resolver: p.cfg.Resolver,
		Inside:   p.cfg.Inside,
		Limits: egress.Limits{
			Requests: int(p.Limits.HTTPRequests), SessionBytes: p.Limits.HTTPBytes,
			RequestBytes: p.Limits.HTTPBytes, ResponseBytes: p.Limits.HTTPBytes,
			Timeout: p.Limits.wall(),
		},
		Record: p.recordAttempt,
	})
	if err != nil {
		return fmt.Errorf("plugin %q: %w", p.Name, err)
	}
	if p.Permissions.KV != nil && p.cfg.Store == nil {
		return fault.New("wasmtools.Open", sdkapi.ValidationError, "the grant of the plugin %q allows a store, but this gateway has no store", p.Name)
	}
	for _, m := range p.Permissions.FS {
		mount, err := rootfs.Open(m.Path, rootfs.Options{Write: m.Write, MaxBytes: p.Limits.FileBytes})
		if err != nil {
			return fault.New("wasmtools.Open", sdkapi.ValidationError, "the gateway cannot open the folder %q for the plugin %q", m.Path, p.Name).Because(err)
		}
		p.mounts = append(p.mounts, mounted{mount, m.At})
	}
	return nil
}

// recordAttempt logs a request of the guest. It logs a refused request as a warning, with the rule that
// would allow it.
func (p *Plugin) recordAttempt(a egress.Attempt) {
	level := slog.LevelInfo
	if a.Decision != egress.Allowed {
		level = slog.LevelWarn
	}
	p.log.Log(context.Background(), level, "a plugin's request",
		slog.String("plugin", p.Name), slog.String("method", a.Method), slog.String("host", a.Host), slog.String("path", a.Path),
		slog.String("decision", string(a.Decision)), slog.Int("status", a.Status), slog.String("rule_to_allow_it", a.Hint))
}

// variables adds the granted environment variables that the gateway has. It skips the others.
func (p *Plugin) variables(config wazero.ModuleConfig) wazero.ModuleConfig {
	for _, name := range p.Permissions.Env {
		if value, ok := p.cfg.Env(name); ok {
			config = config.WithEnv(name, value)
		}
	}
	return config
}

// environment adds what a guest sees in a call: the granted variables and folders.
func (p *Plugin) environment(config wazero.ModuleConfig) wazero.ModuleConfig {
	return withFolders(p.variables(config), p.mounts)
}

// withFolders adds the mounts. Without mounts it returns config unchanged: a guest then has no file system.
func withFolders(config wazero.ModuleConfig, mounts []mounted) wazero.ModuleConfig {
	if len(mounts) == 0 {
		return config
	}
	all := wazero.NewFSConfig()
	for _, m := range mounts {
		all = all.(sysfs.FSConfig).WithSysFSMount(m.FS(), m.at) //nolint:forcetypeassert // the engine's own type has it
	}
	return config.WithFSConfig(all)
}

// Close makes new calls fail, and returns at once. When the running calls have ended, the plugin
// frees its resources.
func (p *Plugin) Close() {
	p.mu.Lock()
	last := !p.closing && p.calls == 0
	p.closing = true
	p.mu.Unlock()
	if last {
		p.release()
	}
}

// enter reports whether a call may begin. The caller then ends it with leave.
func (p *Plugin) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return false
	}
	p.calls++
	return true
}

// leave ends a call. The last call releases a closing plugin.
func (p *Plugin) leave() {
	p.mu.Lock()
	p.calls--
	last := p.closing && p.calls == 0
	p.mu.Unlock()
	if last {
		p.release()
	}
}

// release frees the guest, the connections and the folders. It runs when no call is left, or when
// opening failed.
func (p *Plugin) release() {
	if p.guest != nil {
		p.guest.close()
	}
	if p.client != nil {
		_ = p.client.Close() // closes idle connections
	}
	for _, m := range p.mounts {
		_ = m.Close() // also closes files that a guest left open
	}
}

// foldersMet returns for each folder the limit that guests last exceeded, or nil.
func (p *Plugin) foldersMet() (met []error) {
	for _, m := range p.mounts {
		met = append(met, m.Exceeded())
	}
	return met
}

// overFolder adds to err the folder limit that a call exceeded, because the guest sees only EIO. before is
// the result of foldersMet before the call.
func (p *Plugin) overFolder(before []error, err error) error {
	for i, m := range p.mounts {
		if met := m.Exceeded(); met != nil && met != before[i] { //nolint:errorlint // whether it differs from the one before
			f := fault.From(err)
			return fault.New("wasmtools.call", f.Code, "%s; the call exceeded a limit of the folder %s: %s; file_bytes limits the folder's bytes", f.Message, m.at, fault.From(met).Message).Because(err)
		}
	}
	return err
}

// describeTime limits the time in which a guest starts and describes itself. It includes the time in which
// the guest waits for memory and a core.
const describeTime = 10 * time.Second

// warmUp starts the guest and asks for its tools. The guest has its environment, but no folder and
// no permission.
func (p *Plugin) warmUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(describeTime, p.Limits.wall()))
	defer cancel()
	call := agent.Call{ID: "describe"}
	output, err := p.guest.warmUp(ctx, job{
		export: p.guest.convention.Describe,
		input:  p.guest.convention.DescribeInput(),
		args:   p.args(""),
		host:   p.cfg.wrap(call, &services{plugin: p, ctx: ctx, call: call, started: time.Now(), describing: true}),
		config: p.variables,
	})
	if err != nil {
		return err
	}
	d, err := p.describe(output)
	if err == nil {
		p.Description = *d
	}
	return err
}

// describe decodes the guest's description, or makes one from its manifest or exports.
func (p *Plugin) describe(output []byte) (*abi.Description, error) {
	d := p.guest.convention.Tools()
	if p.guest.convention.Describe != "" {
		var err error
		if d, err = abi.ParseDescription(output); err != nil {
			return nil, fault.New("wasmtools.describe", sdkapi.ValidationError, "%s", err).Because(err)
		}
	} else if len(p.guest.tools) > 0 {
		d.Tools = p.guest.tools
	}
	if len(d.Tools) > agent.MaxToolsPerOwner {
		return nil, fault.New("wasmtools.describe", sdkapi.ValidationError, "the plugin %q has %d tools; at most %d are allowed", p.Name, len(d.Tools), agent.MaxToolsPerOwner)
	}
	return d, nil
}

// args returns the command line of a guest that has one.
func (p *Plugin) args(tool string) []string {
	if !p.guest.printsAnswer() {
		return nil
	}
	return p.guest.convention.Args(p.Name, tool)
}
