package wasmtools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// guest is a compiled plugin with its instances. run performs all calls. The guest creates instances on
// demand and keeps a few idle ones.
type guest struct {
	*admitted
	compiled *compiled
	shared   *shared
	snapshot *snapshot // nil unless the isolation is Snapshot and the guest is warm
	idle     idle
	slots    *slots
	watchdog watchdog
}

// shared is the state that all guests of an engine share.
type shared struct {
	cores *fair.Pool // nil: no limit
	room  room
	apart bool // users are isolated from each other
}

// Limits of the idle instances of one plugin. The plugin keeps as many small instances as calls may run
// at once. It keeps few large instances, because each holds memory.
const (
	keepLarge = 2       // number of idle instances that are not small
	small     = 1 << 20 // memory of the largest small instance, in bytes
)

// newGuest returns a guest that has no instance yet. The guest owns c and closes it.
func newGuest(a *admitted, c *compiled, s *shared) *guest {
	return &guest{admitted: a, compiled: c, shared: s, slots: newSlots(a.Name, a.Limits, s.apart)}
}

// close frees g. No call may run.
func (g *guest) close() {
	for _, i := range g.idle.close() {
		i.close()
	}
	g.shared.room.forget(g)
	g.snapshot.close()
	g.compiled.close()
}

// job is the input of one run.
type job struct {
	began  time.Time
	user   string // empty if users are not isolated
	export string
	input  []byte
	args   []string // command line of a program
	host   abi.Host
	config func(wazero.ModuleConfig) wazero.ModuleConfig // environment and folders; nil: none
}

// outcome is the result of a run and its usage.
type outcome struct {
	output []byte
	said   string // last part of standard error
	usage  agent.Usage
}

// run runs one job within the limits. The outcome's usage is valid also with an error.
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

// turn returns a new place in the queue for cores. Users, and the plugins of a user, take turns.
func (g *guest) turn(user string, s span, started time.Time) *turn {
	t := &turn{cores: g.shared.cores, user: g.Name, wait: patience{Context: s.caller, span: s}, since: started}
	if user != "" {
		t.user = user + "\n" + g.Name
	}
	return t
}

// keeps reports whether i can serve another call. An instance whose memory grew is not kept, because
// memory never shrinks and each later call would have to restore more. A guest that exited has no memory.
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

// instance returns an instance for a run. The run has its turn on a core afterwards.
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

// unserved explains why a run got no memory or no core. If the time of a description ended while it waited, the fault is
// OVERLOADED, because the plugin has not run yet.
func (g *guest) unserved(s span, err error) error {
	if !s.warms || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.New("wasmtools.describe", sdkapi.Overloaded, "the plugin %q could not describe itself, because it waited too long for memory or a core; try again later", g.Name).Because(err)
}

// startBytes returns the memory that a new instance takes before it runs a call.
func (g *guest) startBytes() int64 {
	if g.snapshot != nil {
		return max(g.MemoryBytes.Start, int64(g.snapshot.size))
	}
	return g.MemoryBytes.Start
}

// fresh creates an instance and starts it. It waits for memory first, and then for its turn.
func (g *guest) fresh(s span, t *turn, j job) (*instance, error) {
	memory, err := g.shared.room.take(&t.wait, g.Name, g.startBytes())
	if err != nil {
		return nil, g.unserved(s, err)
	}
	if err := t.Return(); err != nil {
		memory.Give()
		return nil, g.unserved(s, err)
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
		err = s.err() // the time ended before it got memory
	}
	if err != nil || g.snapshot != nil {
		return i, err // the snapshot contains the effects of starting
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

// warmUp starts a guest, lets it describe itself, and returns the description. With the isolation
// Snapshot, each later call begins with the state after that.
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
			"the plugin %q exited after it described its tools, so it cannot run calls; let its main function return instead of exiting, or put \"isolation\":\"fresh\" into its manifest", g.Name)
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

// runIn restores the snapshot, if there is one, and runs a job in an instance.
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

// failed is a guest's own reason for its failure.
type failed string

// Error returns the reason for the failure in the guest's own words. The text does not contain the
// name of the plugin.
func (f failed) Error() string { return string(f) }

// invoke calls one export, with the full fuel limit, until s ends.
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
	if err == nil { // the usual case
		return nil
	}
	if exit, ok := errors.AsType[*sys.ExitError](err); ok && exit.ExitCode() == 0 {
		return nil
	}
	return err
}

// enterWatched calls an export while the watchdog watches the run.
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
		return failed("it returned an error code without a reason")
	}
	return nil
}

// put keeps an idle instance for the next run. It reports whether it kept i; if not, the caller closes i.
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

// explain returns the error of a run as a fault with the cause and the fix. i is nil if there is no
// instance.
func (g *guest) explain(s span, err error, i *instance) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*fault.Error](err); ok {
		if known.Code == sdkapi.Timeout && s.err() != nil {
			return g.late(s) // the run's time matters, not what the guest was waiting for
		}
		return known
	}
	if limit, ok := errors.AsType[*abi.LimitError](err); ok {
		return g.over(limit)
	}
	if bound, ok := errors.AsType[*abi.BoundError](err); ok {
		return fault.New("wasmtools.call", sdkapi.ToolError, "the gateway stopped the plugin %q, because it had %s", g.Name, bound).Because(bound)
	}
	reason := fuel.None
	if i != nil {
		reason = i.meter.Reason()
	}
	switch {
	case reason == fuel.OutOfFuel:
		return g.over(&abi.LimitError{Limit: "fuel", Most: g.Limits.Fuel})
	case reason == fuel.TooDeep:
		return g.over(&abi.LimitError{Limit: "stack_depth", Most: g.Limits.StackDepth})
	case s.err() != nil:
		return g.late(s)
	}
	return fault.New("wasmtools.call", sdkapi.ToolError, "the plugin %q failed: %s", g.Name, g.reason(err, i)).Because(err)
}

// over returns the fault for a run that exceeded a limit, with the limit's name and value for the operator.
func (g *guest) over(limit *abi.LimitError) error {
	return fault.New("wasmtools.call", sdkapi.ToolError,
		"the gateway stopped the plugin %q: it exceeded its limit %s of %d; the operator can raise it in its grant", g.Name, limit.Limit, limit.Most).Because(limit)
}

// late returns the fault for a run whose time ended or whose caller left.
func (g *guest) late(s span) error {
	why := s.err()
	if errors.Is(why, context.Canceled) {
		return why
	}
	if s.warms && g.Limits.wall() >= describeTime {
		return fault.New("wasmtools.describe", sdkapi.Timeout, "the plugin took longer than %s", describeTime).Because(why)
	}
	return fault.New("wasmtools.call", sdkapi.Timeout,
		"the gateway stopped the plugin %q: it exceeded its time limit, which is wall_ms (%d milliseconds) or the caller's shorter limit", g.Name, g.Limits.WallMS).Because(why)
}

// maxReason limits the reason that a caller gets, in bytes.
const maxReason = 2 << 10

// reason returns the cause of a failed run: the guest's own words if it has any, or else the way in which
// the run ended. Guests of Rust and AssemblyScript state the reason and then trap, so the stated reason
// goes before the trap.
func (g *guest) reason(err error, i *instance) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	said, itself := errors.AsType[failed](err)
	if !itself && i != nil && len(i.call.Failure) > 0 {
		said, itself = failed(i.call.Failure), true
	}
	if itself {
		text = string(said)
	} else if exit, ok := errors.AsType[*sys.ExitError](err); ok {
		text = fmt.Sprintf("it exited with code %d", exit.ExitCode())
	}
	if i != nil && !itself && i.call.Tail() != "" {
		text += ": " + i.call.Tail()
	}
	if i != nil && g.MemoryBytes.Most > 0 && i.size() >= g.MemoryBytes.Most {
		text += fmt.Sprintf(" (its memory was at the limit memory_bytes of %d)", g.MemoryBytes.Most)
	}
	return plain.Short(text, maxReason)
}

// instance is an instance of a guest. It runs one call at a time.
type instance struct {
	module  api.Module
	memory  api.Memory // nil if the guest has no memory
	meter   *fuel.Meter
	state   []api.MutableGlobal
	call    *abi.Call
	exports map[string]api.Function
	watched watched // the current run, for the watchdog
	mapped  mapping // the image mapped over the memory

	share     *fair.Share // share of the memory of all guests; nil: no limit
	idleSince time.Time
}

// instantiate creates an instance, which owns the share from then on. If it fails, it gives the share
// back. Only the module's start section runs, with startFuel.
func (g *guest) instantiate(ctx context.Context, share *fair.Share, call *abi.Call, config wazero.ModuleConfig) (*instance, error) {
	memory := &countedMemory{guest: g, share: share, call: call, bytes: max(uint64(g.startBytes()), pageBytes)}
	if allocator != nil {
		ctx = experimental.WithMemoryAllocator(ctx, memory)
	}
	m, err := g.compiled.instantiate(call.Context(ctx), call.WASI(config.WithName("").WithStartFunctions(), g.printsAnswer()))
	if err != nil && g.report.HasStart {
		err = fmt.Errorf("the start section, which may use at most %d fuel, failed: %w", startFuel, err)
	}
	if err != nil {
		g.shared.room.bury(func() {
			memory.release()
			share.Give()
		})
		return nil, err
	}
	memory.used = true
	i := &instance{module: m, memory: m.Memory(), call: call, exports: map[string]api.Function{}, share: share}
	find := func(name string) fuel.Global {
		g, _ := m.ExportedGlobal(name).(api.MutableGlobal)
		if g == nil {
			return nil
		}
		return g
	}
	if i.meter, err = fuel.NewMeter(find); err != nil {
		i.close()
		return nil, err
	}
	for _, name := range g.report.State {
		i.state = append(i.state, m.ExportedGlobal(name).(api.MutableGlobal))
	}
	return i, nil
}

// instantiate turns the engine's panic for lack of memory into a fault.
func (c *compiled) instantiate(ctx context.Context, config wazero.ModuleConfig) (m api.Module, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New("wasmtools.instantiate", sdkapi.Overloaded, "the gateway's machine has too little free memory for another instance of a plugin; try again later").Because(fmt.Errorf("%v", p))
		}
	}()
	return c.runtime.InstantiateModule(ctx, c.module, config)
}

// close frees i. The guest must not run.
func (i *instance) close() {
	_ = i.module.Close(context.Background())
	i.share.Give()
}

// countedMemory is the memory of one instance. It takes its bytes from the memory of all guests. It
// cannot grow when the memory of all guests is used up.
type countedMemory struct {
	experimental.LinearMemory // nil before Allocate

	guest   *guest
	call    *abi.Call   // the call that waits for its turn while memory is touched
	share   *fair.Share // nil: no limit
	bytes   uint64      // bytes in share
	touched int         // bytes that the system has already cleared, or that are few
	used    bool        // an instance uses it and frees it
}

// Allocate implements experimental.MemoryAllocator.
func (m *countedMemory) Allocate(capacity, limit uint64) experimental.LinearMemory {
	m.LinearMemory = allocator.Allocate(capacity, limit)
	return m
}

// Free frees the memory of an instance. If the creation of the instance failed, Free does nothing.
// In that case, a background goroutine frees the memory, so that the caller does not wait.
func (m *countedMemory) Free() {
	if m.used {
		m.release()
	}
}

// release frees the memory. The share of the bytes stays taken: the instance, or instantiate, gives it back.
func (m *countedMemory) release() {
	if m.LinearMemory != nil {
		m.LinearMemory.Free()
	}
}

// Reallocate grows the memory to size bytes. If the memory of all guests is used up, or if the run
// must end, Reallocate returns nil. The instruction memory.grow of the guest then fails.
func (m *countedMemory) Reallocate(size uint64) []byte {
	more := int64(size) - int64(m.bytes)
	if more > 0 && !m.guest.shared.room.grow(m.share, more) {
		return nil
	}
	b := m.LinearMemory.Reallocate(size)
	switch {
	case b == nil && more > 0 && m.share != nil:
		m.share.Shrink(more)
	case b != nil:
		m.bytes = max(m.bytes, size)
		if m.touch(b) != nil {
			return nil
		}
	}
	return b
}

// touch writes to each new page of b, so that the system clears the page. Clearing takes 2 µs per page. The
// host cannot stop a guest that touches thousands of pages; touch gives other runs their turn meanwhile.
func (m *countedMemory) touch(b []byte) error {
	m.touched = max(m.touched, untouched)
	for n := 0; m.touched < len(b); n++ {
		b[m.touched] = 0 // writes the value that is there
		m.touched += blockBytes
		if n%visitBlocks < visitBlocks-1 {
			continue
		}
		if err := m.call.Turn.Visit(); err != nil {
			return err // the run's next visit returns the error again
		}
	}
	return nil
}

// size returns the bytes of the memory. Memory never shrinks, so size is also the peak.
func (i *instance) size() int64 {
	if i.memory == nil {
		return 0
	}
	return int64(i.memory.Size())
}

// export returns the exported function called name, or nil if the module lacks it. It caches both results.
func (i *instance) export(name string) api.Function {
	f, ok := i.exports[name]
	if !ok {
		f = i.module.ExportedFunction(name)
		i.exports[name] = f
	}
	return f
}

// take returns a snapshot of i. Other runs may get their turn meanwhile.
func (i *instance) take(t *turn) (*snapshot, error) {
	s := &snapshot{}
	if i.memory != nil {
		view, _ := i.memory.Read(0, i.memory.Size())
		s.size = len(view)
		var err error
		if s.image = newImage(s.size); s.image != nil {
			err = s.image.fill(view, t)
		} else {
			err = s.copyBlocks(view, t)
		}
		if err != nil {
			s.close()
			return nil, err
		}
	}
	for _, g := range i.state {
		s.state = append(s.state, g.Get())
	}
	return s, nil
}

// restore sets i to the state in s. The memory of i may be smaller than in s, for example in a new
// instance. It must not be larger.
func (i *instance) restore(s *snapshot, t *turn) error {
	if i.memory != nil {
		if missing := s.size - int(i.memory.Size()); missing > 0 {
			if _, ok := i.memory.Grow(uint32(missing / pageBytes)); !ok {
				return fmt.Errorf("the memory of a new instance cannot grow by %d bytes", missing)
			}
		}
		view, _ := i.memory.Read(0, i.memory.Size())
		if err := s.putBack(i, view, t); err != nil {
			return err
		}
	}
	for n, g := range i.state {
		g.Set(s.state[n])
	}
	return nil
}

// exchange returns the limits of a run's exchange with the host, which ends at the deadline of s.
func (g *guest) exchange(s span) abi.Limits {
	limits := g.Limits.exchange()
	limits.Deadline = s.deadline
	return limits
}
