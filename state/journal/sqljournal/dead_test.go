//go:build system

package sqljournal_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// childHold takes a lease for an hour, and holds it until it is killed.
func childHold(ctx context.Context, config database.Config, key string) {
	j := childOpen(ctx, config)
	if _, err := j.Lease(ctx, key, "a child", journal.MaxTTL); err != nil {
		panic(err)
	}
	fmt.Println("held")
	<-ctx.Done()
}

// Leases of a process that was killed end when the next one opens the journal,
// if it is the only one that takes any. Those of a process that runs stay, whoever
// comes and goes beside it.
func TestReclaim(t *testing.T) {
	t.Parallel()
	config := database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
	dead := startChild(t, "hold", config.File, "k")
	if line := <-dead.lines; line != "held" {
		t.Fatalf("the child says %q", line)
	}
	beside := openReclaiming(t, config)
	if _, err := beside.Lease(t.Context(), "k", "b", time.Hour); fault.CodeOf(err) != sdkapi.LeaseHeld {
		t.Errorf("the lease of a process that runs: %v", err)
	}
	if err := beside.Close(); err != nil {
		t.Fatal(err)
	}
	again := openReclaiming(t, config)
	if _, err := again.Lease(t.Context(), "k", "b", time.Hour); fault.CodeOf(err) != sdkapi.LeaseHeld {
		t.Errorf("the lease of a process that runs, for the second that comes: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	dead.kill()
	besideAll := openWith(t, config, sqljournal.Options{Poll: poll, Beside: true})
	if _, err := besideAll.Lease(t.Context(), "mine", "c", time.Hour); fault.CodeOf(err) != sdkapi.StateUnavailable {
		t.Errorf("a lease for who works beside: %v", err)
	}
	alone := openReclaiming(t, config)
	left, err := alone.Abandoned(t.Context(), "k")
	if err != nil || len(left) != 1 || left[0].Key != "k" {
		t.Errorf("the lease of a process that is gone is not to be taken up: %+v, %v", left, err)
	}
	if l, err := alone.Lease(t.Context(), "k", "b", time.Hour); err != nil || l.Token <= left[0].Token {
		t.Errorf("the lease of a process that is gone: %+v, %v", l, err)
	}
	released, err := alone.Lease(t.Context(), "free", "b", time.Hour)
	if err == nil {
		err = alone.Release(t.Context(), released)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := alone.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := openReclaiming(t, config).Abandoned(t.Context(), "free"); err != nil || len(left) != 0 {
		t.Errorf("a lease that was given back is to be taken up: %+v, %v", left, err)
	}
}
