package wasmtools_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// The tests in hostile_*_test.go give plugins that want to harm: an attack
// ends in time and with a reason, takes no more memory than it may, and
// meanwhile all others go on.

var noContext = context.Background()

// What attacks are held to.
const (
	attackWall  = 300 * time.Millisecond // wall_ms, unless the attack sets another
	attackLate  = 100 * time.Millisecond // after it
	attackPause = 50 * time.Millisecond  // in which others must get on
	attackSpare = 32 << 20               // bytes of memory besides the guest's
)

// attack is something that a plugin does, and what must become of it.
type attack struct {
	name    string
	kind    abi.Kind // default windie
	pages   int      // of memory at the start; default 1
	imports []string // besides those of the kind
	body    func(g *handmade) []byte
	grant   wasmtools.Grant
	cfg     wasmtools.Config
	input   string // default {}
	code    sdkapi.Code
	says    string // in the fault's message
}

// A limit of zero means the default, and memory is 16 MiB to begin with.
func (a attack) withDefaults() attack {
	if a.kind == "" {
		a.kind = abi.Bulk
	}
	if a.input == "" {
		a.input = `{}`
	}
	a.pages = max(a.pages, 1)
	l := &a.grant.Limits
	if l.WallMS == 0 && a.code != sdkapi.Timeout {
		l.WallMS = 2000 * slowness // another limit is to end it
	}
	if l.WallMS == 0 {
		l.WallMS = attackWall.Milliseconds()
	}
	if l.MemoryBytes == 0 {
		l.MemoryBytes = 16 << 20
	}
	return a
}

// survive runs attacks one after the other, alone.
func survive(t *testing.T, attacks []attack) {
	t.Helper()
	bystander := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "bystander",
		Module: attacker(abi.Bulk, 1, 1, nil, func(*handmade) []byte { return w.Nop })})
	road := newRoad(t)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			a = a.withDefaults()
			module := attacker(a.kind, a.pages, -1, a.imports, a.body)
			src, grant := road.arrive(t, module, a.grant)
			p := openSource(t, a.cfg, grant, src)
			mustAnswer(t, p)
			patiently(t, func(patience time.Duration) string {
				var result agent.Result
				var err error
				took, wrong := watched(t, bystander, limitsOf(a.grant.Limits), patience, func() error {
					_, result, err = call(t.Context(), t, p, "attack", a.input)
					return err
				})
				if u := result.Usage; u.PeakMemory > a.grant.Limits.MemoryBytes || u.WallTime <= 0 || u.WallTime > took {
					t.Errorf("usage %+v", u)
				}
				mustAnswer(t, p)
				if wrong != "" && fault.CodeOf(err) == sdkapi.Timeout {
					return wrong // so slow that it may not have come to what it was stopped for
				}
				wantCode(t, err, a.code, a.says)
				return wrong
			})
			if !t.Failed() {
				arrivals.contained.Add(1)
			}
		})
	}
}

// patiently tries something again if other work on this machine may be why it
// went wrong. Its patience grows from 1, and stays below what freezes others.
func patiently(t *testing.T, try func(patience time.Duration) (wrong string)) {
	t.Helper()
	var wrong string
	for _, patience := range []time.Duration{1, 1, 2, 3, 4} {
		if wrong = try(patience * slowness); wrong == "" {
			return
		}
		t.Log(wrong)
		time.Sleep(100 * time.Millisecond)
	}
	t.Error(wrong)
}

// ends are the bounds that something is held to.
type ends struct {
	wall   time.Duration
	memory int64
}

func limitsOf(l wasmtools.Limits) ends {
	return ends{time.Duration(l.WallMS) * time.Millisecond, l.MemoryBytes}
}

// watched does something, and says how it went over its bounds.
func watched(t *testing.T, bystander *wasmtools.Plugin, e ends, patience time.Duration, do func() error) (took time.Duration, wrong string) {
	t.Helper()
	late, slow := busyness(), beside(t, bystander)
	before, begun := residentNow(), time.Now()
	err := do()
	took = time.Since(begun)
	paused, more := slow(), residentPeak()-before
	t.Logf("%v, others waited %v, %d KiB more: %.200v", took.Round(time.Millisecond), paused.Round(time.Millisecond), more>>10, err)
	late = max(late, busyness())
	var all []string
	if most := e.wall + attackLate*patience + late; took > most {
		all = append(all, fmt.Sprintf("it took %v, of at most %v", took, most))
	}
	if most := attackPause*patience + late; paused > most {
		all = append(all, fmt.Sprintf("others waited %v, of at most %v", paused, most))
	}
	if most := e.memory + attackSpare; memoryTells && more > most {
		all = append(all, fmt.Sprintf("memory rose by %d, of at most %d", more, most))
	}
	return took, strings.Join(all, "; ")
}

// beside calls a plugin again and again until its result is called, which
// reports the longest that it, or a goroutine that only sleeps, had to wait.
func beside(t *testing.T, p *wasmtools.Plugin) (longest func() time.Duration) {
	t.Helper()
	var stop atomic.Bool
	var most atomic.Int64
	var all sync.WaitGroup
	watch := func(pause time.Duration, work func() error) {
		all.Go(func() {
			for last := time.Now(); !stop.Load(); last = time.Now() {
				if err := work(); err != nil {
					t.Errorf("beside it: %v", err)
					return
				}
				time.Sleep(pause)
				for waited := int64(time.Since(last) - pause); ; {
					if was := most.Load(); waited <= was || most.CompareAndSwap(was, waited) {
						break
					}
				}
			}
		})
	}
	watch(5*time.Millisecond, func() error { return nil })
	watch(2*time.Millisecond, func() error {
		_, err := p.Call(noContext, "good", agent.Call{})
		return err
	})
	longest = func() time.Duration { stop.Store(true); all.Wait(); return time.Duration(most.Load()) }
	t.Cleanup(func() { longest() })
	return longest
}

// busyness returns how late this machine is by itself: for how long a goroutine
// waits beside one that computes.
func busyness() time.Duration {
	var worst time.Duration
	computing := make(chan struct{})
	go func() {
		defer close(computing)
		for begun := time.Now(); time.Since(begun) < 20*time.Millisecond; {
			runtime.Gosched()
		}
	}()
	for {
		begun := time.Now()
		time.Sleep(time.Millisecond)
		worst = max(worst, time.Since(begun)-time.Millisecond)
		select {
		case <-computing:
			return worst
		default:
		}
	}
}

// residentNow gives unused memory back, and returns the bytes of memory in use
// after making that the peak.
func residentNow() int64 {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where there is none, the peak is 0
	return statusOf("VmRSS")
}

// residentPeak returns the most bytes in use since residentNow, 0 on a system
// that does not count it.
func residentPeak() int64 { return statusOf("VmHWM") }

func statusOf(name string) int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), name+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10
}

// refused opens a plugin that must not open, and returns the fault.
func refused(t *testing.T, src wasmtools.Source, grant wasmtools.Grant) *fault.Error {
	t.Helper()
	src.Name = "hostile"
	p, err := newEngine(t, wasmtools.Config{}).Open(t.Context(), src, grant)
	if err == nil {
		p.Close()
		t.Fatal("it opened")
	}
	return fault.From(err)
}
