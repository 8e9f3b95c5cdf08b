//go:build system

package wasmtools_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// What hostile plugins may do to others, while this machine does nothing else.
const (
	sharePlugins = 6
	shareClients = 4 // of each
	shareWall    = 400 * time.Millisecond
	shareWait    = 100 * time.Millisecond // of a call of another plugin, at the 99th percentile
	shareLate    = 100 * time.Millisecond // of a hostile call, after its wall_ms
)

// sharers are plugins that take all that they get.
var sharers = []struct {
	name string
	body func(g *handmade) []byte
}{
	{"loop", is(w.Forever())},
	{"calls", callTree},
	{"fill", is(w.Forever(w.I32(0x8000), w.I32(7), w.I32(63<<20), w.MemoryFill()))},
	{"copy", is(w.Forever(w.I32(0x8000), w.I32(0x9000), w.I32(63<<20), w.Misc(10, w.U(0), w.U(0))))},
	{"table", func(g *handmade) []byte {
		g.Table(100_000, -1)
		return w.Forever(w.I32(0), nullRef, w.I32(100_000), w.Misc(17, w.U(0)))
	}},
	{"touch", is(w.Forever( // a byte of each page of memory
		w.Get(0), w.I32(1), w.Store(0x8000), w.Get(0), w.I32(4096), w.Add, w.I32(63<<20), w.Op(0x70), w.Set(0)))},
	{"grow", is(w.Forever(w.I32(1), w.MemoryGrow(), w.Drop))},
	{"ask", func(g *handmade) []byte {
		g.Text(0x100, "clock.now").Text(0x200, "{}")
		return w.Forever(w.I32(0x100), w.I32(9), w.I32(0x200), w.I32(2), g.try("host_call"))
	}},
	{"log", func(g *handmade) []byte {
		g.Text(0x100, strings.Repeat("x", 4000))
		return w.Forever(w.I32(2), w.I32(0x100), w.I32(4000), g.host("log"))
	}},
}

// shareModule is the plugin of one of them, with 64 MiB of memory.
func shareModule(body func(g *handmade) []byte) []byte {
	return attacker(abi.Bulk, 1024, 1024, nil, body)
}

// TestHostileShare has six plugins, with four clients each, take all that they get, while another
// plugin is called. WINDIE_HOSTILE_ROUNDS says how often each of their clients calls.
func TestHostileShare(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("WINDIE_HOSTILE_ROUNDS"))
	kinds := sharers
	if rounds == 0 { // a sample
		rounds, kinds = 1, nil
		for _, s := range sharers {
			if slices.Contains([]string{"copy", "touch"}, s.name) {
				kinds = append(kinds, s)
			}
		}
	}
	for _, s := range kinds {
		t.Run(s.name, func(t *testing.T) {
			share(t, rounds, func(int) func(*handmade) []byte { return s.body })
		})
	}
	t.Run("mixed", func(t *testing.T) {
		share(t, rounds, func(n int) func(*handmade) []byte { return sharers[n%len(sharers)].body })
	})
}

func share(t *testing.T, rounds int, body func(plugin int) func(*handmade) []byte) {
	engine := newEngine(t, wasmtools.Config{
		Cores:  fair.New(fair.Options{Name: "cores", Capacity: int64(runtime.GOMAXPROCS(0)), Waiting: 1024}),
		Memory: fair.New(fair.Options{Name: "bytes of memory", Capacity: 2 << 30}),
	})
	opened := func(name string, module []byte) *wasmtools.Plugin {
		p, err := engine.Open(t.Context(), wasmtools.Source{Name: name, Module: module}, wasmtools.Grant{
			Limits: wasmtools.Limits{WallMS: (shareWall * slowness).Milliseconds(), HostCalls: 1 << 30, Fuel: 1 << 50},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	other := opened("other", attacker(abi.Bulk, 1, 1, nil, is(w.Nop)))
	var hostile []*wasmtools.Plugin
	for n := range sharePlugins {
		hostile = append(hostile, opened(fmt.Sprintf("hostile%d", n), shareModule(body(n))))
	}
	patiently(t, func(patience time.Duration) string {
		late := busyness()
		stop, waited := measureCalls(t, other)
		latest := attackAll(t, hostile, rounds)
		close(stop)
		took := <-waited
		p99, slowest := took[len(took)*99/100], took[len(took)-1]
		t.Logf("%d calls of the other plugin: p50 %v, p99 %v, slowest %v; hostile calls ended %v late", len(took), took[len(took)/2], p99, slowest, latest)
		if most := shareWait*patience + late; p99 > most {
			return fmt.Sprintf("another plugin's calls took %v at the 99th percentile, of at most %v", p99, most)
		}
		if most := shareLate*patience + late; latest > most {
			return fmt.Sprintf("a hostile call ended %v after its time, of at most %v", latest, most)
		}
		return ""
	})
}

// moment is a point in time. A process that has its cores for itself waits no longer than the time
// for which it computes, if one of its cores is busy: so other work on the machine does not count.
type moment struct {
	wall time.Time
	own  time.Duration
}

func now() moment { return moment{time.Now(), ownTime()} }

func (m moment) since() time.Duration { return min(time.Since(m.wall), ownTime()-m.own) }

// measureCalls calls the good tool until stop is closed, and sends how long calls took, sorted.
func measureCalls(t *testing.T, p *wasmtools.Plugin) (stop chan struct{}, waited chan []time.Duration) {
	stop, waited = make(chan struct{}), make(chan []time.Duration, 1)
	go func() {
		took := []time.Duration{0}
		for {
			select {
			case <-stop:
				slices.Sort(took)
				waited <- took
				return
			case <-time.After(2 * time.Millisecond):
			}
			begun := now()
			if _, err := p.Call(context.Background(), "good", agent.Call{User: "ada"}); err != nil {
				t.Errorf("the other plugin: %v", err)
			}
			took = append(took, begun.since())
		}
	}()
	return stop, waited
}

// attackAll has the clients of all plugins call, and returns how late the latest call ended.
func attackAll(t *testing.T, hostile []*wasmtools.Plugin, rounds int) (latest time.Duration) {
	var mu sync.Mutex
	var clients sync.WaitGroup
	for _, p := range hostile {
		for range shareClients {
			clients.Go(func() {
				for range rounds {
					over := make(chan moment, 1)
					time.AfterFunc(shareWall*slowness, func() { over <- now() })
					_, err := p.Call(context.Background(), "attack", agent.Call{User: "eve"})
					late := (<-over).since()
					if fault.CodeOf(err) != sdkapi.Timeout {
						t.Errorf("the attack ended with %v", err)
					}
					mu.Lock()
					latest = max(latest, late)
					mu.Unlock()
				}
			})
		}
	}
	clients.Wait()
	return latest
}

// TestOpeningLetsOthersRun opens plugins that are large, while another plugin is called.
func TestOpeningLetsOthersRun(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 15<<20)
	for n := range noise {
		noise[n] = byte(random.Uint32())
	}
	data := newHandmade(abi.Bulk, 1024, 1024)
	data.Text(onePage, string(noise))
	code := newHandmade(abi.Bulk, 1, 1)
	for range 50 {
		code.Fn("", "i", "i", w.Repeat(8000, w.Get(0), w.I32(77), w.Add, w.Set(0)), w.Get(0))
	}
	other := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "other", Module: attacker(abi.Bulk, 1, 1, nil, is(w.Nop))})
	for name, module := range map[string][]byte{"memory and data": data.finish(nil), "code": code.finish(nil)} {
		t.Run(name, func(t *testing.T) {
			patiently(t, func(patience time.Duration) string {
				late := busyness()
				stop, waited := measureCalls(t, other)
				for range 3 {
					engine, err := wasmtools.NewEngine(wasmtools.Config{}) // which has nothing compiled
					if err != nil {
						t.Fatal(err)
					}
					p, err := engine.Open(t.Context(), wasmtools.Source{Name: "large", Module: module}, wasmtools.Grant{})
					if err != nil {
						t.Fatal(err)
					}
					p.Close()
				}
				close(stop)
				took := <-waited
				slowest := took[len(took)-1]
				t.Logf("%d calls of the other plugin: p50 %v, slowest %v", len(took), took[len(took)/2], slowest)
				if most := shareWait*patience + late; slowest > most {
					return fmt.Sprintf("another plugin's call took %v, of at most %v", slowest, most)
				}
				return ""
			})
		})
	}
}
