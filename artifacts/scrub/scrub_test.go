package scrub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/scrub"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/internal/trouble"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watched is a store that lists which artifacts were read.
type watched struct {
	*dirstore.Store
	mu   sync.Mutex
	read []string
	then func() // after each
}

// Get implements artifacts.Store.
func (w *watched) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	w.mu.Lock()
	w.read = append(w.read, id)
	w.mu.Unlock()
	if w.then != nil {
		w.then()
	}
	return w.Store.Get(ctx, id, offset, length)
}

const many = 30

// stored is a folder of artifacts, and the database that knows them.
func stored(t *testing.T, cfg database.Config) (*watched, *database.DB) {
	t.Helper()
	db := databasetest.Open(t, cfg)
	store, err := dirstore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := owned.Open(store, db, owned.Options{})
	for i := range many {
		if _, err := all.For("ada").Put(t.Context(), id(i), "text/plain", strings.NewReader(strings.Repeat("x", 1000*i))); err != nil {
			t.Fatal(err)
		}
	}
	return &watched{Store: store}, db
}

func id(i int) string { return fmt.Sprintf("%02d-artifact.txt", i) }

// onBoth runs a test on a database of each kind.
func onBoth(t *testing.T, run func(t *testing.T, store *watched, db *database.DB)) {
	t.Helper()
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		store, db := stored(t, cfg)
		run(t, store, db)
	})
}

func silent(scrub.Progress) {}

// TestRound damages some artifacts, finds them, and finds them mended.
func TestRound(t *testing.T) {
	onBoth(t, func(t *testing.T, store *watched, db *database.DB) {
		s := scrub.Open(store, db, scrub.Options{})
		data, sidecar := store.Files(id(7))
		whole, err := os.ReadFile(data)
		if err == nil {
			err = os.WriteFile(data, append(slices.Clone(whole[:len(whole)-4]), "oops"...), 0o600)
		}
		gone, goneSidecar := store.Files(id(20))
		if err = errors.Join(err, os.Remove(gone), os.Remove(goneSidecar)); err != nil {
			t.Fatal(err)
		}
		_, oldSidecar := store.Files(id(9))
		text, err := os.ReadFile(oldSidecar)
		if err != nil {
			t.Fatal(err)
		}
		without := strings.Replace(string(text), `"pieces_xxh64"`, `"ignored"`, 1)
		if err := os.WriteFile(oldSidecar, []byte(without), 0o600); err != nil || without == string(text) {
			t.Fatalf("%s, %v", text, err)
		}
		found, err := s.Round(t.Context(), silent)
		if err != nil || found.Damaged != 1 || found.Missing != 1 || found.DamagedIDs[0] != id(7) || found.MissingIDs[0] != id(20) || found.Ended.IsZero() || found.Checked != many-1 {
			t.Errorf("%+v, %v", found, err)
		}
		if text, err := os.ReadFile(oldSidecar); err != nil || !strings.Contains(string(text), "pieces_xxh64") {
			t.Errorf("an artifact without sums has none still: %s, %v", text, err)
		}
		if _, err := os.Stat(sidecar); err != nil {
			t.Error(err)
		}
		all := owned.Open(store, db, owned.Options{})
		if err := errors.Join(os.WriteFile(data, whole, 0o600), all.Delete(t.Context(), id(20))); err != nil {
			t.Fatal(err)
		}
		if found, err = s.Round(t.Context(), silent); err != nil || found.Damaged != 0 || found.Missing != 0 {
			t.Errorf("when all are mended: %+v, %v", found, err)
		}
	})
}

// badDisk is a store some of whose artifacts cannot be read, each of them as often as bad says.
type badDisk struct {
	*watched
	bad map[string]int
}

// Get implements artifacts.Store.
func (b *badDisk) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	if b.bad[id] > 0 {
		b.bad[id]--
		return nil, artifacts.Info{}, fault.New("test", sdkapi.StorageUnavailable, "an error of input or output")
	}
	return b.watched.Get(ctx, id, offset, length)
}

// TestUnreadable has some artifacts that cannot be read, which count as damaged and keep a round from
// none behind them, and one that cannot be read once. Where none can be read, the round ends.
func TestUnreadable(t *testing.T) {
	onBoth(t, func(t *testing.T, store *watched, db *database.DB) {
		const always = 100
		disk := &badDisk{store, map[string]int{id(7): always, id(8): 1, id(11): always}}
		data, _ := store.Files(id(20))
		if err := os.WriteFile(data, []byte("oops"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := scrub.Open(disk, db, scrub.Options{})
		found, err := s.Round(t.Context(), silent)
		if err != nil || !slices.Equal(found.DamagedIDs, []string{id(7), id(11), id(20)}) || found.Checked != many {
			t.Errorf("%+v, %v", found, err)
		}
		for i := range many {
			disk.bad[id(i)] = always
		}
		if _, err := s.Round(t.Context(), silent); fault.CodeOf(err) != sdkapi.StorageUnavailable {
			t.Errorf("a store of which nothing can be read: %v", err)
		}
		if found, err := scrub.Look(t.Context(), db); err != nil || found.Damaged > trouble.InARow+3 {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

// TestResume breaks a round off, and has another scrubber go on where it was.
func TestResume(t *testing.T) {
	onBoth(t, func(t *testing.T, store *watched, db *database.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		store.then = func() {
			if len(store.read) == 10 {
				cancel()
			}
		}
		first := scrub.Open(store, db, scrub.Options{})
		if _, err := first.Round(ctx, silent); fault.CodeOf(err) != sdkapi.Canceled {
			t.Fatalf("it was not broken off: %v", err)
		}
		store.then = nil
		second := scrub.Open(store, db, scrub.Options{Rate: 100 << 20})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); second.Run(ctx) }()
		testkit.Eventually(t, "the round ends", func() (scrub.Found, bool) {
			found, err := scrub.Look(t.Context(), db)
			return found, err == nil && !found.Ended.IsZero()
		})
		stop()
		<-ended
		if slices.Sort(store.read); len(store.read) != many+1 || len(slices.Compact(store.read)) != many {
			t.Errorf("%d artifacts were read, want each once, and the one in the middle again", len(store.read))
		}
		if stats := second.Stats(); stats.Checked < many-10 || stats.Checked > many-8 {
			t.Errorf("the second one read %+v", stats)
		}
	})
}

// TestOneAtATime has a scrubber leave the work to another one that is at it, and give it up to one
// that a person began.
func TestOneAtATime(t *testing.T) {
	onBoth(t, func(t *testing.T, store *watched, db *database.DB) {
		begun, on := make(chan struct{}), make(chan struct{})
		var first atomic.Bool
		store.then = func() {
			if first.CompareAndSwap(false, true) {
				close(begun)
				<-on
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var both sync.WaitGroup
		defer both.Wait()
		both.Go(func() { scrub.Open(store, db, scrub.Options{Rate: 1 << 30}).Run(ctx) })
		<-begun
		idle := scrub.Open(store, db, scrub.Options{Rate: 1 << 30})
		both.Go(func() { idle.Run(ctx) })
		testkit.Eventually(t, "the second one has looked", func() (scrub.Stats, bool) { s := idle.Stats(); return s, !s.Found.Began.IsZero() })
		found, err := scrub.Open(store, db, scrub.Options{}).Round(t.Context(), silent)
		if err != nil || found.Checked != many {
			t.Errorf("a person's: %+v, %v", found, err)
		}
		close(on)
		stop()
		both.Wait()
		if n := idle.Stats().Checked; n != 0 {
			t.Errorf("the idle one has looked at %d artifacts", n)
		}
		if again, err := scrub.Look(t.Context(), db); err != nil || again.Checked != many || !again.Ended.Equal(found.Ended) {
			t.Errorf("the one that was overtaken has written: %+v, %v", again, err)
		}
	})
}
