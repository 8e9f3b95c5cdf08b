package owned_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// TestJanitorRemovesExpired checks that the janitor deletes content and rows of all expired
// artifacts, in several batches, and no others.
func TestJanitorRemovesExpired(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), new(storetest.Memory)
	s := owned.Open(inner, db, owned.Options{})
	const expired = 250 // more than two batches
	for i := range expired {
		mustPut(t, s.For("ada"), fmt.Sprintf("old%d.png", i))
	}
	write(t, db, "UPDATE artifacts SET expires = 1")
	mustPut(t, s.For("ada"), "new1.png")
	done := clean(t, s)
	if done != (owned.Done{Expired: expired}) || s.Done() != done {
		t.Errorf("done: %+v, in all %+v; want %d expired", done, s.Done(), expired)
	}
	if n := rows(t, db, "TRUE"); n != 1 {
		t.Errorf("there are %d rows left, want 1", n)
	}
	wantMissing(t, inner, "old0.png")
	wantMissing(t, inner, fmt.Sprintf("old%d.png", expired-1))
	mustGet(t, s.For("ada"), "new1.png")
	if again := clean(t, s); again != (owned.Done{}) {
		t.Errorf("the next round did %+v", again)
	}
}

// TestJanitorGoesOnAfterFailures checks that an artifact that cannot be deleted does not stop the
// others, at any position, and that the janitor tries it again.
func TestJanitorGoesOnAfterFailures(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db, inner := openDatabase(t), &stubborn{}
	s := owned.Open(inner, db, owned.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for i := range 120 {
		mustPut(t, s, fmt.Sprintf("a%03d.png", i))
	}
	write(t, db, "UPDATE artifacts SET expires = 1")
	inner.keeps = map[string]bool{"a000.png": true, "a050.png": true, "a099.png": true, "a119.png": true}
	done, err := s.Clean(t.Context())
	if done != (owned.Done{Expired: 116, Failed: 4}) || fault.CodeOf(err) != sdkapi.StorageUnavailable {
		t.Errorf("done: %+v, %v; want 116 expired and 4 failed", done, err)
	}
	inner.keeps = nil
	if done := clean(t, s); done != (owned.Done{Expired: 4}) {
		t.Errorf("the next round did %+v, want the 4 that had failed", done)
	}
	if got := s.Done(); got != (owned.Done{Expired: 120, Failed: 4}) {
		t.Errorf("in all: %+v", got)
	}
}

// TestJanitorGivesUpOnABrokenStore checks that the janitor does not try thousands of artifacts in a
// store that always fails.
func TestJanitorGivesUpOnABrokenStore(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), &stubborn{}
	s := owned.Open(inner, db, owned.Options{})
	inner.keeps = map[string]bool{}
	for i := range 50 {
		id := fmt.Sprintf("a%03d.png", i)
		mustPut(t, s, id)
		inner.keeps[id] = true
	}
	write(t, db, "UPDATE artifacts SET expires = 1")
	done, err := s.Clean(t.Context())
	if done != (owned.Done{Failed: 10}) || err == nil || rows(t, db, "TRUE") != 50 {
		t.Errorf("done: %+v, %v; %d rows left", done, err, rows(t, db, "TRUE"))
	}
}

// TestJanitorNeedsTheStore checks that a store that is not ready does not count as a store without
// artifacts.
func TestJanitorNeedsTheStore(t *testing.T) {
	t.Parallel()
	db, dir := openDatabase(t), filepath.Join(t.TempDir(), "artifacts")
	s := owned.Open(files(t, dir), db, owned.Options{})
	mustPut(t, s, "kept.png")
	mustPut(t, s, "over.png")
	write(t, db, "UPDATE artifacts SET expires = 1 WHERE id = 'over.png'")
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	done, err := s.Clean(t.Context())
	if done != (owned.Done{}) || fault.CodeOf(err) != sdkapi.StorageUnavailable || rows(t, db, "missing = 0") != 2 {
		t.Errorf("done: %+v, %v; %d rows are as they were, of 2", done, err, rows(t, db, "missing = 0"))
	}
}

// TestRowsWithoutBytes checks that rows without content stay for a week, even if they expire
// meanwhile, for example because the gateway runs without its disk.
func TestRowsWithoutBytes(t *testing.T) {
	t.Parallel()
	db, dir := openDatabase(t), t.TempDir()
	s := owned.Open(files(t, dir), db, owned.Options{})
	for _, id := range []string{"back1.png", "back2.png", "lost1.png", "lost2.png", "here1.png"} {
		mustPut(t, s.For("ada"), id)
	}
	write(t, db, "UPDATE artifacts SET expires = 1 WHERE id IN ('back2.png', 'lost2.png')")
	away := t.TempDir()
	move(t, dir, away, "ba", "lo")
	if done := clean(t, s); done != (owned.Done{}) || rows(t, db, "missing > 0") != 4 {
		t.Errorf("done: %+v; %d rows are noted to be without bytes, want 4", done, rows(t, db, "missing > 0"))
	}
	move(t, away, dir, "ba")
	clean(t, s) // notes that they are back
	mustGet(t, s.For("ada"), "back1.png")
	if done := clean(t, s); done != (owned.Done{Expired: 1}) || rows(t, db, "missing > 0") != 2 {
		t.Errorf("done: %+v; %d rows are without bytes; want back2.png to expire, and 2", done, rows(t, db, "missing > 0"))
	}
	week := (7*24*time.Hour - time.Minute).Microseconds()
	write(t, db, "UPDATE artifacts SET missing = missing - ? WHERE missing > 0", week)
	if done := clean(t, s); done != (owned.Done{}) {
		t.Errorf("within the week: %+v", done)
	}
	write(t, db, "UPDATE artifacts SET missing = missing - ? WHERE missing > 0", time.Minute.Microseconds())
	if done := clean(t, s); done != (owned.Done{Gone: 2}) || rows(t, db, "TRUE") != 2 {
		t.Errorf("after the week: %+v, and %d rows; want 2 gone and 2 left", done, rows(t, db, "TRUE"))
	}
}

// TestJanitorsAtOnce checks that several janitors disturb neither each other nor new artifacts.
func TestJanitorsAtOnce(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), files(t, t.TempDir())
	s := owned.Open(inner, db, owned.Options{})
	for i := range 60 {
		mustPut(t, s, fmt.Sprintf("old%02d.png", i))
	}
	write(t, db, "UPDATE artifacts SET expires = 1")
	var wg sync.WaitGroup
	for i := range 4 {
		mine := owned.Open(inner, db, owned.Options{})
		wg.Go(func() {
			if _, err := mine.Clean(t.Context()); err != nil {
				t.Errorf("a janitor: %v", err)
			}
		})
		wg.Go(func() { mustPut(t, mine, fmt.Sprintf("new%02d.png", i)) })
	}
	wg.Wait()
	clean(t, s)
	if n := rows(t, db, "missing = 0"); n != 4 || rows(t, db, "TRUE") != 4 {
		t.Errorf("%d rows are left, want the 4 new ones", n)
	}
	for i := range 4 {
		mustGet(t, s, fmt.Sprintf("new%02d.png", i))
	}
}

// TestCrashes interrupts Put and Delete at every step. No view may show the artifact afterwards,
// and at last neither content nor a row may be left.
func TestCrashes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		crash crashing
		calls func(artifacts.Store) error
		seen  bool // the bytes were never touched: the artifact is as it was
	}{
		{"Put, before the bytes", crashing{beforePut: true}, put, false},
		{"Put, after the bytes", crashing{afterPut: true}, put, false},
		{"Delete, before the bytes", crashing{beforeDelete: true}, putAndDelete, true},
		{"Delete, after the bytes", crashing{afterDelete: true}, putAndDelete, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db, dir := openDatabase(t), t.TempDir()
			inner := c.crash
			inner.Store = files(t, dir)
			crashed := owned.Open(&inner, db, owned.Options{}).For("ada")
			if err := crashes(func() error { return c.calls(crashed) }); err != nil {
				t.Fatalf("it did not crash: %v", err)
			}
			s := owned.Open(files(t, dir), db, owned.Options{}) // the gateway starts again
			for _, owner := range []string{"", "ada"} {
				if _, err := s.For(owner).Stat(t.Context(), "crash.png"); (err == nil) != c.seen {
					t.Errorf("%q sees: %v", owner, err)
				}
			}
			if c.seen {
				return
			}
			if n := rows(t, db, "TRUE"); n != 1 {
				t.Errorf("%d rows are left to find what is left by, want 1", n)
			}
			write(t, db, "UPDATE artifacts SET expires = 1 WHERE NOT stored") // a day passes
			clean(t, s)
			write(t, db, "UPDATE artifacts SET missing = 1 WHERE missing > 0") // and a week
			clean(t, s)
			if left := listing(t, dir); rows(t, db, "TRUE") != 0 || len(left) > 0 {
				t.Errorf("in the end there are %d rows and the files %q", rows(t, db, "TRUE"), left)
			}
		})
	}
}

// TestPutInProgressIsLeftAlone checks that the janitor leaves the row of a running Put alone for a
// day.
func TestPutInProgressIsLeftAlone(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), files(t, t.TempDir())
	s := owned.Open(inner, db, owned.Options{TTL: time.Nanosecond}) // which is not what it expires by until it is stored
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := s.For("ada").Put(t.Context(), "slow1.png", "text/plain", r)
		ended <- err
	}()
	if _, err := io.WriteString(w, "half"); err != nil {
		t.Fatal(err)
	}
	if done := clean(t, s); done != (owned.Done{}) || rows(t, db, "NOT stored AND missing = 0") != 1 {
		t.Errorf("done: %+v, and %d rows are as they were", done, rows(t, db, "NOT stored AND missing = 0"))
	}
	_ = w.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestPutTakenForDead checks that a Put whose row the janitor has deleted fails. It must leave no
// content, because nobody would ever find the content.
func TestPutTakenForDead(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"its row has expired": "UPDATE artifacts SET expires = 1",
		"its row is gone":     "DELETE FROM artifacts",
	} {
		t.Run(name, func(t *testing.T) {
			db, dir := openDatabase(t), t.TempDir()
			s := owned.Open(files(t, dir), db, owned.Options{})
			content := io.MultiReader(strings.NewReader("content"), &once{func() { write(t, db, query) }})
			info, err := s.For("ada").Put(t.Context(), "late1.png", "text/plain", content)
			if err == nil {
				t.Errorf("%s: Put returned %+v", name, info)
			}
			if left := listing(t, dir); len(left) > 0 {
				t.Errorf("%s: there is %q", name, left)
			}
		})
	}
}

// TestFailedPuts checks that a failed Put leaves its row for the janitor if content may still
// arrive, and otherwise leaves nothing.
func TestFailedPuts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		left int
	}{
		{fault.New("test", sdkapi.StorageUnavailable, "away"), 1},
		{fault.New("test", sdkapi.StorageFull, "full"), 1},
		{context.DeadlineExceeded, 1},
		{&artifacts.SourceError{Err: errors.New("broken off")}, 0},
		{&artifacts.SourceError{Err: fault.New("test", sdkapi.PayloadTooLarge, "large")}, 0},
		{fault.New("test", sdkapi.Internal, "the id is in use"), 0},
	} {
		t.Run(fmt.Sprint(c.err), func(t *testing.T) {
			db := openDatabase(t)
			s := owned.Open(&refusing{err: c.err}, db, owned.Options{})
			_, err := s.Put(t.Context(), "refused.png", "text/plain", strings.NewReader("x"))
			if !errors.Is(err, c.err) {
				t.Errorf("%v became %v", c.err, err)
			}
			if n := rows(t, db, "NOT stored"); n != c.left || rows(t, db, "TRUE") != c.left {
				t.Errorf("after %v there are %d rows, want %d", c.err, n, c.left)
			}
		})
	}
}

// TestRun checks that Run works until its context ends, and that it sweeps the store.
func TestRun(t *testing.T) {
	t.Parallel()
	began := time.Now()
	db, inner := openDatabase(t), &sweeping{}
	var log bytes.Buffer
	s := owned.Open(inner, db, owned.Options{Every: time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))})
	mustPut(t, s, "over.png")
	write(t, db, "UPDATE artifacts SET expires = 1")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	testkit.Eventually(t, "three rounds", func() (int64, bool) { n := inner.rounds.Load(); return n, n >= 3 })
	stop()
	<-ended
	if done := s.Done(); done.Expired != 1 || done.Swept < 3 || done.Failed != 0 {
		t.Errorf("done: %+v", done)
	}
	if since := inner.before.Add(24 * time.Hour); since.Before(began) || since.After(time.Now()) {
		t.Errorf("it sweeps what is older than %v", inner.before)
	}
	if !strings.Contains(log.String(), "expired=1") {
		t.Errorf("the log does not tell:\n%s", log.String())
	}
}

func clean(t *testing.T, s *owned.Store) owned.Done {
	t.Helper()
	done, err := s.Clean(t.Context())
	if err != nil {
		t.Errorf("Clean: %v", err)
	}
	return done
}

// move moves all folders in one folder to another.
func move(t *testing.T, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// listing lists the files below dir.
func listing(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func put(s artifacts.Store) error {
	_, err := s.Put(context.Background(), "crash.png", "text/plain", strings.NewReader("content"))
	return err
}

func putAndDelete(s artifacts.Store) error {
	return errors.Join(put(s), s.Delete(context.Background(), "crash.png"))
}

// crash is the value with which a crashing store panics.
type crash struct{}

// crashes runs work, which must crash. No deferred code of the package runs after the crash.
func crashes(work func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case crash:
			err = nil
		default:
			panic(p)
		}
	}()
	return errors.Join(work(), errors.New("it came to its end"))
}

// crashing is a store that ends the process during its calls.
type crashing struct {
	artifacts.Store
	beforePut, afterPut, beforeDelete, afterDelete bool
}

// Put implements artifacts.Store.
func (c *crashing) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	crashIf(c.beforePut)
	info, err := c.Store.Put(ctx, id, contentType, r)
	crashIf(c.afterPut)
	return info, err
}

// Delete implements artifacts.Store.
func (c *crashing) Delete(ctx context.Context, id string) error {
	crashIf(c.beforeDelete)
	err := c.Store.Delete(ctx, id)
	crashIf(c.afterDelete)
	return err
}

func crashIf(now bool) {
	if now {
		panic(crash{})
	}
}

// stubborn is a store that refuses to delete some artifacts.
type stubborn struct {
	storetest.Memory
	keeps map[string]bool
}

// Delete implements artifacts.Store.
func (s *stubborn) Delete(ctx context.Context, id string) error {
	if s.keeps[id] {
		return fault.New("test", sdkapi.StorageUnavailable, "no")
	}
	return s.Memory.Delete(ctx, id)
}

// refusing is a store that refuses every Put.
type refusing struct {
	storetest.Memory
	err error
}

// Put implements artifacts.Store.
func (r *refusing) Put(context.Context, string, string, io.Reader) (artifacts.Info, error) {
	return artifacts.Info{}, r.err
}

// sweeping is a store whose Sweep always finds one leftover.
type sweeping struct {
	storetest.Memory
	rounds atomic.Int64
	before time.Time
}

// Sweep implements artifacts.Sweeper.
func (s *sweeping) Sweep(_ context.Context, before time.Time) (int, error) {
	s.before = before
	s.rounds.Add(1)
	return 1, nil
}

// once is an empty reader that calls a function when it is read.
type once struct{ do func() }

func (o *once) Read([]byte) (int, error) {
	o.do()
	return 0, io.EOF
}
