package wasmtools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/values"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// callAs calls a tool for a user.
func callAs(t *testing.T, p *wasmtools.Plugin, user, tool, arguments string) (agent.Result, error) {
	t.Helper()
	return p.Call(t.Context(), tool, agent.Call{ID: "1", User: user, Arguments: json.RawMessage(arguments)})
}

// TestUsersShareAPlugin has one user make eighty calls that do not end. Another user's call runs.
func TestUsersShareAPlugin(t *testing.T) {
	t.Parallel()
	gate := newGate()
	cfg := gate.config()
	cfg.UserKey = []byte("key")
	p := openSource(t, cfg, wasmtools.Grant{}, gate.source())
	const calls, running, waiting = 80, 3, 64
	errs := make(chan error, calls)
	for range calls {
		go func() {
			_, err := p.Call(noContext, "attack", agent.Call{User: "eve"})
			errs <- err
		}()
	}
	for range running {
		<-gate.entered
	}
	for range calls - running - waiting {
		wantCode(t, <-errs, sdkapi.Overloaded, "3 running and 64 waiting calls")
	}
	if _, err := callAs(t, p, "ada", "good", `{}`); err != nil {
		t.Errorf("another user's call: %v", err)
	}
	close(gate.open)
	for range running + waiting {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestUsersAreApart checks the ids of users that plugins see, and what they find in their stores.
func TestUsersAreApart(t *testing.T) {
	t.Parallel()
	store := values.Open(databasetest.Open(t, databasetest.InFile(t)))
	open := func(key, name string, quota wasmtools.Quota) *wasmtools.Plugin {
		return openSource(t, wasmtools.Config{UserKey: []byte(key), Store: func(plugin, user string, q wasmtools.Quota) abi.Store {
			if user == "" {
				return store.Plugin(plugin, q.Bytes)
			}
			return store.User(plugin, user, q.Bytes, q.AllUsers())
		}}, wasmtools.Grant{Permissions: wasmtools.Permissions{KV: &quota}}, wasmtools.Source{Name: name, Module: module(t)})
	}
	says := func(p *wasmtools.Plugin, user, tool, arguments string) string {
		t.Helper()
		var a answer
		result, err := callAs(t, p, user, tool, arguments)
		if err != nil || json.Unmarshal(result.Structured, &a) != nil {
			t.Fatalf("%s of %s: %v", tool, user, err)
		}
		return a.Text
	}
	one, shared, local := open("key", "one", wasmtools.Quota{Bytes: 1 << 20}), open("key", "two", wasmtools.Quota{Bytes: 1 << 20, Shared: true}), open("", "one", wasmtools.Quota{Bytes: 1 << 20})
	other := open("other", "one", wasmtools.Quota{Bytes: 1})
	seen := map[string]string{}
	see := func(what string, p *wasmtools.Plugin, user string) {
		id := says(p, user, "user", `{}`)
		if other, twice := seen[id]; twice || len(id) != 33 || strings.Contains(id, user) {
			t.Errorf("%s has the id %q, as %q", what, id, other)
		}
		seen[id] = what
	}
	see("ada", one, "ada")
	see("bob", one, "bob")
	see("ada, another plugin", shared, "ada")
	see("ada, another key", other, "ada")
	if again := says(one, "ada", "user", `{}`); seen[again] != "ada" {
		t.Errorf("ada has the id %q at the second call", again)
	}
	if setting := says(one, "ada", "config", `{"text":"windie.user"}`); seen[setting] != "ada" {
		t.Errorf("the setting says %q", setting)
	}
	if a, b := says(local, "ada", "user", `{}`), says(local, "bob", "user", `{}`); a != "local" || b != "local" {
		t.Errorf("where users are not apart they are %q and %q", a, b)
	}
	remembers := func(p *wasmtools.Plugin, user, leaves, want string) {
		t.Helper()
		if was := says(p, user, "remember", `{"text":"`+leaves+`"}`); was != want {
			t.Errorf("%s of %s finds %q; want %q", p.Name, user, was, want)
		}
	}
	remembers(local, "eve", "before,", "") // which was there before users were apart
	remembers(one, "ada", "a", "")
	remembers(one, "bob", "b", "")
	remembers(one, "ada", "c", "a")
	remembers(shared, "ada", "a", "")
	remembers(shared, "bob", "b", "a")
	remembers(local, "joe", "", "before,")
	if warnings := strings.Join(shared.Warnings, ""); !strings.Contains(warnings, "store is shared") {
		t.Errorf("the report says %q", warnings)
	}
}

// grower grows by a page as long as it can, and then does something else.
func grower(then []byte) []byte {
	return attacker(abi.Bulk, 1, -1, nil, is(w.Loop(w.I32(1), w.MemoryGrow(), w.I32(0), w.Op(0x4e), w.BrIf(0)), then)) // i32.ge_s
}

// TestMemoryIsShared has guests grow until the memory of all of them is used up.
func TestMemoryIsShared(t *testing.T) {
	t.Parallel()
	pool := fair.New(fair.Options{Name: "bytes", Capacity: 16 * onePage, Wait: time.Millisecond})
	engine := newEngine(t, wasmtools.Config{Memory: pool})
	opened := func(name string, module []byte) *wasmtools.Plugin {
		p, err := engine.Open(t.Context(), wasmtools.Source{Name: name, Module: module}, wasmtools.Grant{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	one := opened("one", grower(w.Nop))
	_, result, err := call(t.Context(), t, one, "attack", `{}`)
	if err != nil || result.Usage.PeakMemory != 16*onePage {
		t.Errorf("a guest alone had %d bytes, %v", result.Usage.PeakMemory, err)
	}
	two := opened("two", attacker(abi.Bulk, 9, 9, nil, is(w.Nop))) // for which what is idle makes room
	mustAnswer(t, two)
	_, result, err = call(t.Context(), t, one, "attack", `{}`) // likewise
	if err != nil || result.Usage.PeakMemory != 16*onePage {
		t.Errorf("beside an idle one it had %d bytes, %v", result.Usage.PeakMemory, err)
	}
	held, err := pool.Take(t.Context(), "reading", 12*onePage, fair.Long)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = call(t.Context(), t, two, "good", `{}`)
	wantCode(t, err, sdkapi.Overloaded, "needs 589824 bytes of memory to start")
	held.Give()
	mustAnswer(t, two)
	one.Close()
	two.Close()
	testkit.Eventually(t, "all memory is given back", func() (int64, bool) { n := pool.Stats().Taken; return n, n == 0 })
}

// TestIdleMemoryGoesBack waits half a minute.
func TestIdleMemoryGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fair.New(fair.Options{Name: "bytes", Capacity: 1 << 30})
		p, err := newEngine(t, wasmtools.Config{Memory: pool}).Open(t.Context(), wasmtools.Source{Name: "idle", Module: grower(w.Nop)}, wasmtools.Grant{})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		mustAnswer(t, p)
		time.Sleep(29 * time.Second)
		if taken := pool.Stats().Taken; taken != onePage {
			t.Errorf("%d bytes are taken after 29 s; want one page", taken)
		}
		time.Sleep(3 * time.Second)
		if taken := pool.Stats().Taken; taken != 0 {
			t.Errorf("%d bytes are taken after 32 s; want none", taken)
		}
		mustAnswer(t, p)
	})
}

// slowTools answers calls of tools when the gate opens.
type slowTools struct {
	abi.Host
	gate *gate
}

func (h slowTools) CallTool(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	h.gate.entered <- struct{}{}
	<-h.gate.open
	return json.RawMessage(`{}`), nil
}

// TestWaitingTakesNoCore has a call wait for something, and another run meanwhile, on one core.
func TestWaitingTakesNoCore(t *testing.T) {
	t.Parallel()
	gate := newGate()
	cfg := wasmtools.Config{Cores: fair.New(fair.Options{Name: "cores", Capacity: 1, Wait: time.Minute})}
	cfg = wasmtools.Wrapped(cfg, func(_ agent.Call, host abi.Host) abi.Host { return slowTools{host, gate} })
	p := openSource(t, cfg, wasmtools.Grant{}, wasmtools.Source{
		Name: "slow", Module: attacker(abi.Bulk, 1, 1, nil, operation("tools.call", `{"name":"a.b","arguments":{}}`)),
	})
	ended := make(chan error, 1)
	go func() {
		_, err := callAs(t, p, "ada", "attack", `{}`)
		ended <- err
	}()
	<-gate.entered
	mustAnswer(t, p)
	close(gate.open)
	if err := <-ended; err != nil || fault.CodeOf(err) != "" {
		t.Error(err)
	}
	if taken := cfg.Cores.Stats().Taken; taken != 0 {
		t.Errorf("%d cores are taken when no call runs", taken)
	}
}
