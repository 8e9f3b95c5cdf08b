package wasmtools

import (
	"context"
	"errors"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// guest is a compiled plugin with its instances. Calls go through run; instances are
// made when needed, and a few are kept.
type guest struct {
	*admitted
	compiled *compiled
	shared   *shared
	snapshot *snapshot // nil unless the isolation is Snapshot and the guest is warm
	idle     idle
	slots    *slots
	watchdog watchdog
}

// shared is what guests of an engine have together.
type shared struct {
	cores *fair.Pool // nil for no bound
	room  room
	apart bool // users are
}

// As many instances of a plugin are kept as may run, if they are small; of
// large ones, which hold memory, no more than a few processors use.
const (
	keepLarge = 2
	small     = 1 << 20 // bytes of memory
)

func newGuest(a *admitted, c *compiled, s *shared) *guest {
	return &guest{admitted: a, compiled: c, shared: s, slots: newSlots(a.Name, a.Limits, s.apart)}
}

// close gives back what g holds. No call may run.
func (g *guest) close() {
	for _, i := range g.idle.close() {
		i.close()
	}
	g.shared.room.forget(g)
	g.snapshot.close()
	g.compiled.close()
}

// job is one thing to run.
type job struct {
	began  time.Time
	user   string // "" where users are not apart
	export string
	input  []byte
	args   []string // of a command
	host   abi.Host
	config func(wazero.ModuleConfig) wazero.ModuleConfig // environment and folders; nil for none
}

// outcome is what a run gave and took.
type outcome struct {
	output []byte
	said   string // the end of standard error
	usage  agent.Usage
}

// run runs one job within the limits. The outcome's usage counts beside an error too.
func (g *guest) run(ctx context.Context, j job) (out outcome, err error) {
	s := span{caller: ctx, deadline: j.began.Add(g.Limits.wall())}
	t := g.turn(j.user, s, j.began)
	defer t.wait.end()
	slot, err := g.slots.take(&t.wait, g.Name, j.user)
	if err != nil {
		out.usage.WallTime = time.Since(j.began)
		return out, g.explain(s, err, nil)
	}
	defer slot.Give()
	defer t.Leave()
	i, err := g.instance(s, t, j)
	if err == nil {
		err = g.runIn(s, t, i, j)
		out.output, out.said = i.call.Output, i.call.Tail()
		out.usage = agent.Usage{Fuel: uint64(i.meter.Used()), PeakMemory: i.size(), HostCalls: int64(i.call.HostCalls)}
	}
	t.Leave()
	ended := time.Now()
	out.usage.WallTime = ended.Sub(j.began)
	if err == nil && !ended.Before(s.deadline) {
		err = g.late(s) // the watchdog looks only now and then
	}
	switch {
	case i == nil:
	case err != nil:
		g.shared.room.bury(i.close)
	case !g.keeps(i) || !g.put(i, ended):
		i.close()
	}
	return out, err
}

// turn returns the place of a run among those of all plugins. Users and their plugins take turns.
func (g *guest) turn(user string, s span, started time.Time) *turn {
	t := &turn{cores: g.shared.cores, user: g.Name, wait: patience{Context: s.caller, span: s}, since: started}
	if user != "" {
		t.user = user + "\n" + g.Name
	}
	return t
}

// keeps reports whether i is good for another call. Memory that grew does not shrink, so
// restoring it would grow it with each call. A guest that exited has no memory any more.
func (g *guest) keeps(i *instance) bool {
	if i.module.IsClosed() {
		return false
	}
	switch g.Isolation {
	case Snapshot:
		return i.size() == int64(g.snapshot.size)
	case Reuse:
		return i.size() <= max(g.MemoryBytes.Most/2, g.MemoryBytes.Start)
	}
	return false
}

// instance returns an instance for a run, which then has its turn.
func (g *guest) instance(s span, t *turn, j job) (*instance, error) {
	if g.Isolation != Fresh {
		if i := g.idle.get(); i != nil {
			if err := t.Return(); err != nil {
				i.close()
				return nil, g.explain(s, err, nil)
			}
			return i, nil
		}
	}
	i, err := g.fresh(s, t, j)
	return i, g.explain(s, err, i)
}

// startBytes returns the memory that a new instance comes to have before it runs a call.
func (g *guest) startBytes() int64 {
	if g.snapshot != nil {
		return max(g.MemoryBytes.Start, int64(g.snapshot.size))
	}
	return g.MemoryBytes.Start
}

// fresh makes an instance and starts it. It waits for memory first, and then for its turn.
func (g *guest) fresh(s span, t *turn, j job) (*instance, error) {
	memory, err := g.shared.room.take(&t.wait, g.Name, g.startBytes())
	if err != nil {
		return nil, err
	}
	if err := t.Return(); err != nil {
		memory.Give()
		return nil, err
	}
	config := wazero.NewModuleConfig()
	if j.args != nil {
		config = config.WithArgs(j.args...)
	}
	if j.config != nil {
		config = j.config(config)
	}
	call := &abi.Call{Turn: t}
	if err := call.Begin(s.caller, j.host, g.exchange(s), nil); err != nil {
		memory.Give()
		return nil, err
	}
	run := &watched{span: s, call: call}
	g.watchdog.watch(run)
	i, err := g.instantiate(s.caller, memory, call, config)
	g.watchdog.unwatch(run)
	if ended := call.End(); ended != nil {
		err = ended
	} else if err != nil && s.err() != nil {
		err = s.err() // it had no time to get its memory
	}
	if err != nil || g.snapshot != nil {
		return i, err // what starts it would do is in the snapshot
	}
	for _, name := range g.convention.Start {
		if err := g.invoke(s, t, i, j.host, name, g.script); err != nil {
			err = g.explain(s, err, i)
			i.close()
			return nil, err
		}
	}
	return i, nil
}

// warmUp starts a guest and lets it describe itself. Its state then begins each call.
func (g *guest) warmUp(ctx context.Context, j job) (output []byte, err error) {
	started := time.Now()
	s := span{caller: ctx, deadline: started.Add(g.Limits.wall()), warms: true}
	t := g.turn("", s, started)
	defer t.wait.end()
	defer t.Leave()
	i, err := g.fresh(s, t, j)
	if err != nil {
		return nil, g.explain(s, err, i)
	}
	if j.export != "" {
		err = g.runIn(s, t, i, j)
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
		if g.snapshot, err = i.take(t); err != nil {
			i.close()
			return nil, g.explain(s, err, nil)
		}
	}
	if !g.put(i, time.Now()) {
		i.close()
	}
	return i.call.Output, nil
}

func (g *guest) runIn(s span, t *turn, i *instance, j job) error {
	if g.snapshot != nil {
		if err := i.restore(g.snapshot, t); err != nil {
			return g.explain(s, err, nil)
		}
	}
	err := g.invoke(s, t, i, j.host, j.export, j.input)
	if err == nil && len(i.call.Failure) > 0 {
		err = failed(i.call.Failure)
	}
	return g.explain(s, err, i)
}

// failed is why a guest says that it failed.
type failed string

func (f failed) Error() string { return string(f) }

// invoke calls one export, with all the fuel there is, until s ends.
func (g *guest) invoke(s span, t *turn, i *instance, host abi.Host, name string, input []byte) error {
	i.call.Turn = t
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
	i.watched = watched{span: s, call: i.call, meter: i.meter}
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

// put keeps an instance from now on for the next run, and reports whether it did.
func (g *guest) put(i *instance, now time.Time) bool {
	most := int(g.Limits.ConcurrentCalls)
	if i.size() > small {
		most = min(most, keepLarge)
	}
	i.idleSince = now
	kept, first := g.idle.put(i, most)
	if first {
		g.shared.room.idles(g)
	}
	return kept
}
