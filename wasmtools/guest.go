package wasmtools

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// guest is a compiled plugin with its instances. Calls go through run; instances are
// made when needed, and a few are kept.
type guest struct {
	*admitted
	compiled *compiled
	snapshot *snapshot // nil unless the isolation is Snapshot and the guest is warm
	idle     chan *instance
	running  chan struct{} // as many as may run at once
	queued   atomic.Int64
	watchdog watchdog
}

// As many instances of a plugin are kept as may run, if they are small; of
// large ones, which hold memory, no more than a few processors use.
const (
	keepLarge = 2
	small     = 1 << 20 // bytes of memory
)

func newGuest(a *admitted, c *compiled) *guest {
	return &guest{
		admitted: a, compiled: c,
		idle:    make(chan *instance, a.Limits.ConcurrentCalls),
		running: make(chan struct{}, a.Limits.ConcurrentCalls),
	}
}

// close gives back what g holds. No call may run.
func (g *guest) close() {
	close(g.idle)
	for i := range g.idle {
		i.close()
	}
	g.compiled.close()
}

// job is one thing to run.
type job struct {
	export string
	input  []byte
	args   []string // of a command
	host   abi.Host
	config func(wazero.ModuleConfig) wazero.ModuleConfig // environment and folders; nil for none
}

// outcome is what a run gave and took.
type outcome struct {
	output []byte
	usage  agent.Usage
}

// run runs one job within the limits. The outcome's usage counts beside an error too.
func (g *guest) run(ctx context.Context, j job) (out outcome, err error) {
	started := time.Now()
	defer func() { out.usage.WallTime = time.Since(started) }()
	s := span{ctx, started.Add(g.Limits.wall())}
	if err := g.enter(s); err != nil {
		return out, err
	}
	defer func() { <-g.running }()
	i, err := g.instance(s, j)
	if err != nil {
		return out, err
	}
	err = g.runIn(s, i, j)
	out.output = i.call.Output
	out.usage = agent.Usage{Fuel: uint64(i.meter.Used()), PeakMemory: i.size(), HostCalls: int64(i.call.HostCalls)}
	if err == nil && g.keeps(i) {
		g.put(i)
	} else {
		i.close()
	}
	return out, err
}

// keeps reports whether i is good for another call. Memory that grew does not shrink, so
// restoring it would grow it with each call. A guest that exited has no memory any more.
func (g *guest) keeps(i *instance) bool {
	if i.module.IsClosed() {
		return false
	}
	switch g.Isolation {
	case Snapshot:
		return i.size() == int64(len(g.snapshot.memory))
	case Reuse:
		return i.size() <= max(g.MemoryBytes.Most/2, g.MemoryBytes.Start)
	}
	return false
}

// enter waits until the job may run.
func (g *guest) enter(s span) error {
	select {
	case g.running <- struct{}{}:
		return nil
	default:
	}
	if g.queued.Add(1) > g.Limits.QueuedCalls {
		g.queued.Add(-1)
		return fault.New("wasmtools.call", sdkapi.Overloaded, "the plugin %q has %d calls running and %d waiting, which is what its limits concurrent_calls and queued_calls allow; try again", g.Name, g.Limits.ConcurrentCalls, g.Limits.QueuedCalls)
	}
	defer g.queued.Add(-1)
	ctx, cancel := context.WithDeadline(s.caller, s.deadline)
	defer cancel()
	select {
	case g.running <- struct{}{}:
		return nil
	case <-ctx.Done():
		return g.explain(s, ctx.Err(), nil)
	}
}

func (g *guest) instance(s span, j job) (*instance, error) {
	if g.Isolation != Fresh {
		select {
		case i := <-g.idle:
			return i, nil
		default:
		}
	}
	i, err := g.fresh(s, j)
	return i, g.explain(s, err, i)
}

// fresh makes an instance and starts it.
func (g *guest) fresh(s span, j job) (*instance, error) {
	config := wazero.NewModuleConfig()
	if j.args != nil {
		config = config.WithArgs(j.args...)
	}
	if j.config != nil {
		config = j.config(config)
	}
	call := &abi.Call{}
	if err := call.Begin(s.caller, j.host, g.exchange(s), nil); err != nil {
		return nil, err
	}
	run := &watched{span: s, call: call}
	g.watchdog.watch(run)
	i, err := instantiate(s.caller, g.compiled, g.admitted, call, config)
	g.watchdog.unwatch(run)
	if ended := call.End(); ended != nil {
		err = ended
	}
	if err != nil || g.snapshot != nil {
		return i, err // what starts it would do is in the snapshot
	}
	for _, name := range g.convention.Start {
		if err := g.invoke(s, i, j.host, name, g.script); err != nil {
			err = g.explain(s, err, i)
			i.close()
			return nil, err
		}
	}
	return i, nil
}

// warmUp starts a guest and lets it describe itself. Its state then begins each call.
func (g *guest) warmUp(ctx context.Context, j job) (output []byte, err error) {
	s := span{ctx, time.Now().Add(g.Limits.wall())}
	i, err := g.fresh(s, j)
	if err != nil {
		return nil, g.explain(s, err, i)
	}
	if j.export != "" {
		err = g.runIn(s, i, j)
	}
	if err == nil && g.Isolation != Fresh && i.module.IsClosed() {
		err = fault.New("wasmtools.describe", sdkapi.ToolError,
			"the plugin %q exited when it had described itself; let it return, or put \"isolation\":\"fresh\" into its manifest", g.Name)
	}
	if err != nil || g.Isolation == Fresh {
		i.close()
		return i.call.Output, err
	}
	if g.Isolation == Snapshot {
		g.snapshot = i.take()
	}
	g.put(i)
	return i.call.Output, nil
}

func (g *guest) runIn(s span, i *instance, j job) error {
	if g.snapshot != nil {
		if err := i.restore(g.snapshot); err != nil {
			return err
		}
	}
	err := g.invoke(s, i, j.host, j.export, j.input)
	if err == nil && len(i.call.Failure) > 0 {
		err = failed(i.call.Failure)
	}
	return g.explain(s, err, i)
}

// failed is why a guest says that it failed.
type failed string

func (f failed) Error() string { return string(f) }

// invoke calls one export, with all the fuel there is, until s ends.
func (g *guest) invoke(s span, i *instance, host abi.Host, name string, input []byte) error {
	if err := i.call.Begin(s.caller, host, g.exchange(s), input); err != nil {
		return err
	}
	i.meter.Start(g.Limits.Fuel)
	err := g.enterWatched(s, i, name)
	if ended := i.call.End(); ended != nil {
		return ended
	}
	if err == nil { // as is most often
		return nil
	}
	if exit, ok := errors.AsType[*sys.ExitError](err); ok && exit.ExitCode() == 0 {
		return nil
	}
	return err
}

func (g *guest) enterWatched(s span, i *instance, name string) error {
	i.watched = watched{s, i.call, i.meter}
	g.watchdog.watch(&i.watched)
	defer g.watchdog.unwatch(&i.watched)
	return g.enterGuest(i.call.Context(s.caller), i, name)
}

// enterGuest lets the guest run until it returns or is stopped.
func (g *guest) enterGuest(ctx context.Context, i *instance, name string) error {
	f := i.export(name)
	if f == nil && g.ABI == abi.Script {
		return abi.RunScript(ctx, i.module, name)
	}
	if f == nil {
		return failed("the module does not export " + name)
	}
	stack := [2]uint64{}
	if err := f.CallWithStack(ctx, stack[:]); err != nil {
		return err
	}
	if len(f.Definition().ResultTypes()) == 1 && api.DecodeI32(stack[0]) != 0 && len(i.call.Failure) == 0 {
		return failed("it returned a code that is not 0, and no reason")
	}
	return nil
}

func (g *guest) put(i *instance) {
	if i.size() > small && len(g.idle) >= keepLarge {
		i.close()
		return
	}
	select {
	case g.idle <- i:
	default:
		i.close()
	}
}
