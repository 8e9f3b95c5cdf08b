package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// TestSnapshotsAreConsistent changes the tools of several owners while others
// list and call them. The tools of one owner always carry the same number,
// there are always as many as it says, and revisions never go back.
func TestSnapshotsAreConsistent(t *testing.T) {
	t.Parallel()
	const owners, rounds = 4, 60
	r := agent.NewRegistry()
	var changing, reading sync.WaitGroup
	for o := range owners {
		changing.Go(func() {
			for round := range rounds {
				if err := update(r, o, round); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	for range 4 {
		reading.Go(func() {
			last := uint64(0)
			for {
				last = checkSnapshot(t, r, last)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	changing.Wait()
	close(done)
	reading.Wait()
	if got := r.Revision(); got != owners*rounds {
		t.Errorf("%d changes made revision %d", owners*rounds, got)
	}
}

// update gives owner o as many tools as the round says, 0 to 4.
func update(r *agent.Registry, o, round int) error {
	origin := agent.Origin{Kind: agent.Wasm, Owner: fmt.Sprint("p", o)}
	n := round % 5
	tools := make([]agent.Tool, n)
	for i := range tools {
		f := tool(fmt.Sprintf("p%d.t%d", o, i), origin)
		f.about.Description = fmt.Sprintf("%d of round %d", n, round)
		tools[i] = f
	}
	return r.Update(origin, tools)
}

// checkSnapshot lists the tools, calls one of each owner, and returns the
// revision seen, which must not be before last.
func checkSnapshot(t *testing.T, r *agent.Registry, last uint64) uint64 {
	atLeast := r.Revision()
	tools, revision := r.List()
	if revision < last || revision < atLeast {
		t.Errorf("revision %d after %d and %d", revision, last, atLeast)
	}
	if !slices.IsSortedFunc(tools, func(a, b agent.Descriptor) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("a list is not sorted")
	}
	count, said := map[string]int{}, map[string]string{}
	for _, d := range tools {
		owner := d.Origin.Owner
		if count[owner]++; count[owner] > 1 && said[owner] != d.Description {
			t.Errorf("%s shows tools of two rounds: %q and %q", owner, said[owner], d.Description)
		}
		said[owner] = d.Description
	}
	for owner, n := range count {
		if !strings.HasPrefix(said[owner], fmt.Sprint(n, " of")) {
			t.Errorf("%s shows %d tools: %q", owner, n, said[owner])
		}
		if _, err := r.Invoke(t.Context(), owner+".t0", agent.Call{}); err != nil && fault.CodeOf(err) != sdkapi.ToolNotFound {
			t.Errorf("calling: %v", err)
		}
	}
	return revision
}

func TestListenersHearOfChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := agent.NewRegistry()
		slow, leaveSlow := r.Subscribe()
		quick, leaveQuick := r.Subscribe()
		var heard []uint64
		go func() {
			for revision := range quick {
				heard = append(heard, revision)
			}
		}()
		for _, name := range []string{"a.a", "b.b", "c.c"} {
			wantCode(t, r.Register(tool(name, weather)), "")
			synctest.Wait()
		}
		wantCode(t, r.Register(tool("a.a", weather)), sdkapi.ValidationError)
		wantCode(t, r.Update(weather, nil), "")
		synctest.Wait()
		if !slices.Equal(heard, []uint64{1, 2, 3, 4}) {
			t.Errorf("heard of %v", heard)
		}
		if got := <-slow; got != 4 {
			t.Errorf("a slow listener heard of %d, not of the newest", got)
		}
		leaveQuick()
		leaveQuick()
		leaveSlow()
		wantCode(t, r.Register(tool("a.a", weather)), "")
		if _, open := <-slow; open {
			t.Error("heard of a change after leaving")
		}
	})
}

// Listeners come, go and read while changes happen; none of it may block.
func TestListenersComeAndGo(t *testing.T) {
	t.Parallel()
	r := agent.NewRegistry()
	var all sync.WaitGroup
	for o := range 4 {
		all.Go(func() {
			for round := range 50 {
				revisions, leave := r.Subscribe()
				if err := update(r, o, round); err != nil {
					t.Error(err)
				}
				if round%2 == 0 {
					<-revisions
				}
				leave()
			}
		})
	}
	all.Wait()
}
