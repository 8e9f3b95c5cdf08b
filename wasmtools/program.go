package wasmtools

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/command"
	"github.com/windieos/windie/wasmtools/rootfs"
)

// callProgram calls a tool that the manifest's command describes: it runs the program with a command line
// and files that it makes from the arguments.
func (p *Plugin) callProgram(ctx context.Context, name string, call agent.Call, services *services) (agent.Result, error) {
	t := p.guest.program.Tool(name)
	if t == nil {
		return agent.Result{}, fault.New("wasmtools.Call", sdkapi.ToolNotFound, "the plugin %q has no tool %.64q", p.Name, name)
	}
	run, err := t.Plan(call.Arguments, p.Limits.InputBytes, p.loader(ctx, call))
	if err != nil {
		return agent.Result{}, err
	}
	work, err := p.workFolder(t, run)
	if err != nil {
		return agent.Result{}, err
	}
	defer work.close()
	met := p.foldersMet()
	out, err := p.guest.run(ctx, job{
		began:  time.Now(),
		user:   p.userOf(call),
		export: p.guest.convention.Call,
		input:  run.Stdin,
		args:   append([]string{p.Name}, run.Args...),
		host:   p.cfg.wrap(call, services),
		config: func(config wazero.ModuleConfig) wazero.ModuleConfig {
			return withFolders(p.withVariables(config, work), append(slices.Clone(p.mounts), work.mounts...))
		},
	})
	result := agent.Result{}
	exit, ended := errors.AsType[*sys.ExitError](err)
	if err == nil || ended && !p.limited(out.usage, err) {
		o := command.Outcome{Stdout: out.output, Said: out.said, Dir: work.dir}
		if ended {
			o.Code = int(exit.ExitCode())
		}
		var answer *abi.Answer
		if answer, err = t.Answer(o, p.Limits.OutputBytes, p.keeper(ctx, call)); err == nil {
			result = resultOf(answer)
		}
	}
	if err != nil {
		err = p.overMemory(out.usage, work.over(p.overFolder(met, err)))
	}
	result.Usage = out.usage
	result.Usage.EgressBytes = services.egressBytes()
	return result, err
}

// limited reports whether a limit ended a program. err alone does not show that: the error of a program
// that was stopped or ran out of memory may be an exit code.
func (p *Plugin) limited(usage agent.Usage, err error) bool {
	_, limit := errors.AsType[*abi.LimitError](err)
	_, bound := errors.AsType[*abi.BoundError](err)
	return limit || bound || p.full(usage) || fault.CodeOf(err) != sdkapi.ToolError
}

// full reports whether a program used at least three quarters of its memory. Run-time systems allocate by
// the megabyte, so they fail before they use the last byte.
func (p *Plugin) full(usage agent.Usage) bool {
	return p.MemoryBytes.Most > 0 && usage.PeakMemory >= p.MemoryBytes.Most/4*3
}

// overMemory adds to err that a program used most of its memory when it ended.
func (p *Plugin) overMemory(usage agent.Usage, err error) error {
	if f := fault.From(err); f.Code == sdkapi.ToolError && p.full(usage) && !strings.Contains(f.Message, "memory_bytes") {
		return fault.New("wasmtools.Call", f.Code, "%s (it used %d of the %d bytes of memory that its limit memory_bytes allows)",
			f.Message, usage.PeakMemory, p.MemoryBytes.Most).Because(err)
	}
	return err
}

// withVariables adds the manifest's variables, and the variables that point to the work folder.
func (p *Plugin) withVariables(config wazero.ModuleConfig, work *work) wazero.ModuleConfig {
	config = p.variables(config)
	if work.dir != "" {
		config = config.WithEnv("PWD", command.Work)
	}
	for _, name := range slices.Sorted(maps.Keys(p.guest.program.Env)) {
		config = config.WithEnv(name, p.guest.program.Env[name])
	}
	return config
}

// work is the private folder of one call.
type work struct {
	dir    string    // empty if the call has none
	mounts []mounted // the folder, for the guest
}

// workFolder creates the folder of a call with the files of run. If the tool needs no folder, the result is
// empty. The caller closes the result.
func (p *Plugin) workFolder(t *command.Tool, run *command.Run) (*work, error) {
	if !t.Works() {
		return &work{}, nil
	}
	dir, err := os.MkdirTemp(p.cfg.TempDir, "windie-call-*")
	if err != nil {
		return nil, fault.New("wasmtools.Call", sdkapi.Internal, "the gateway cannot create the folder for the files of the call").Because(err)
	}
	w := &work{dir: dir}
	err = run.Write(dir)
	if err == nil {
		var mount *rootfs.Mount
		if mount, err = rootfs.Open(dir, rootfs.Options{Write: true, MaxBytes: p.Limits.FileBytes}); err == nil {
			w.mounts = []mounted{{mount, command.Work}}
			return w, nil
		}
	}
	w.close()
	return nil, err
}

// over adds to err the folder limit that a program exceeded, because the program sees only EIO.
func (w *work) over(err error) error {
	for _, m := range w.mounts {
		if met := m.Exceeded(); met != nil {
			f := fault.From(err)
			return fault.New("wasmtools.Call", f.Code, "%s; the call exceeded a limit of the folder %s: %s; file_bytes limits the folder's bytes", f.Message, command.Work, fault.From(met).Message).Because(err)
		}
	}
	return err
}

// close deletes the folder. A file that cannot be deleted stays on disk.
func (w *work) close() {
	for _, m := range w.mounts {
		_ = m.Close() // also closes files that the guest left open
	}
	if w.dir != "" {
		_ = os.RemoveAll(w.dir) // a leftover only takes disk space
	}
}

// loader returns the function that reads artifacts for a call, or nil if there are none.
func (p *Plugin) loader(ctx context.Context, call agent.Call) command.Load {
	if p.cfg.LoadFile == nil {
		return nil
	}
	return func(id string, most int64) ([]byte, error) { return p.cfg.LoadFile(ctx, call, id, most) }
}

// keeper returns the function that stores artifacts of a call, or nil if there is none.
func (p *Plugin) keeper(ctx context.Context, call agent.Call) command.Keep {
	if p.cfg.KeepFile == nil {
		return nil
	}
	return func(content []byte) (string, error) { return p.cfg.KeepFile(ctx, call, content) }
}
