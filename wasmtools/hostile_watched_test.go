//go:build system

package wasmtools_test

import (
	"fmt"
	"runtime"
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

// What attacks are held to.
const (
	otherWall   = 2000 * slowness        // wall_ms of what another limit is to end
	attackLate  = 100 * time.Millisecond // after the attack's wall_ms
	attackPause = 50 * time.Millisecond  // in which others must get on
	attackSpare = 32 << 20               // bytes of memory besides the guest's
)

// clockTells says that tests may judge by how long something takes.
const clockTells = true

// TestHostileOpening gives modules that attack before they are called.
func TestHostileOpening(t *testing.T) {
	bystander := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "bystander",
		Module: attacker(abi.Bulk, 1, 1, nil, func(*handmade) []byte { return w.Nop })})
	for _, tt := range openings() {
		t.Run(tt.name, func(t *testing.T) {
			if tt.grant.Limits.WallMS == 0 {
				tt.grant.Limits.WallMS = attackWall.Milliseconds()
			}
			memory := max(tt.grant.Limits.MemoryBytes, 64<<20)
			patiently(t, func(patience time.Duration) string {
				var err *fault.Error
				_, wrong := watched(t, bystander, ends{attackWall, memory}, patience, func() error {
					err = refused(t, wasmtools.Source{Module: tt.module}, tt.grant)
					return err
				})
				if wrong == "" && (err.Code != sdkapi.ValidationError || !strings.Contains(err.Message, tt.says)) {
					wrong = fmt.Sprintf("%q wanted, got %v", tt.says, err) // a machine that is busy can make time run out first
				}
				return wrong
			})
		})
	}
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
				contained()
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
