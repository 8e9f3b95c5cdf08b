package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/kv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, path string) *kv.Store {
	t.Helper()
	s, err := kv.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "made", "plugins.db") }

func set(t testing.TB, b *kv.Bucket, key, value string) {
	t.Helper()
	if err := b.Set(t.Context(), key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

// holds fails the test unless the bucket holds just what is wanted, by each
// way to ask.
func holds(t testing.TB, b *kv.Bucket, want map[string]string) {
	t.Helper()
	keys, err := b.List(t.Context(), "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if sorted := slices.Sorted(maps.Keys(want)); !slices.Equal(keys, sorted) {
		t.Fatalf("the keys are %q, want %q", keys, sorted)
	}
	size := int64(0)
	for key, value := range want {
		size += int64(len(key) + len(value) + kv.EntryCost)
		got, found, err := b.Get(t.Context(), key)
		if err != nil || !found || string(got) != value {
			t.Errorf("under %q is %q, %v, %v; want %q", key, got, found, err, value)
		}
	}
	if bytes, entries, err := b.Usage(t.Context()); bytes != size || entries != len(want) || err != nil {
		t.Errorf("used are %d bytes by %d entries, %v; want %d by %d", bytes, entries, err, size, len(want))
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	path := file(t)
	s := open(t, path)
	b := s.Plugin("notes", 1<<20)
	holds(t, b, nil)
	if value, found, err := b.Get(t.Context(), "a"); value != nil || found || err != nil {
		t.Errorf("nothing is %q, %v, %v", value, found, err)
	}
	set(t, b, "a", "1")
	set(t, b, "b", "")
	set(t, b, "ä", "two")
	set(t, b, "a", "another")
	want := map[string]string{"a": "another", "b": "", "ä": "two"}
	holds(t, b, want)
	for range 2 {
		if err := b.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	delete(want, "a")
	holds(t, b, want)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, open(t, path).Plugin("notes", 0), want) // it was on the disk
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

// TestValuesAreTheCallersOwn changes what was passed in and what came out.
func TestValuesAreTheCallersOwn(t *testing.T) {
	t.Parallel()
	b := open(t, file(t)).Plugin("notes", 1<<20)
	value := bytes.Repeat([]byte("value"), 2000) // too long to lie beside other entries, which bbolt copies
	want := map[string]string{"a": string(value)}
	if err := b.Set(t.Context(), "a", value); err != nil {
		t.Fatal(err)
	}
	value[0] = 'V'
	got, _, err := b.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	got[0] = 'W' // a fault if it were the file's
	holds(t, b, want)
}

// TestPluginsSeeOnlyTheirOwn uses one key, and names that begin alike.
func TestPluginsSeeOnlyTheirOwn(t *testing.T) {
	t.Parallel()
	s := open(t, file(t))
	names := []string{"a", "b", "ab", "entries", "usage", "a/entries"}
	for _, name := range names {
		set(t, s.Plugin(name, 1000), "key", name)
	}
	for _, name := range names {
		holds(t, s.Plugin(name, 1000), map[string]string{"key": name})
	}
	if err := s.Plugin("a", 0).Delete(t.Context(), "key"); err != nil {
		t.Fatal(err)
	}
	if a, b := s.Forget("ab"), s.Forget("never was"); a != nil || b != nil {
		t.Fatal(a, b)
	}
	for _, name := range names {
		want := map[string]string{"key": name}
		if name == "a" || name == "ab" {
			want = nil
		}
		holds(t, s.Plugin(name, 1000), want)
	}
	set(t, s.Plugin("ab", 1000), "key", "new") // and it can begin again
	holds(t, s.Plugin("ab", 1000), map[string]string{"key": "new"})
}

func TestQuota(t *testing.T) {
	t.Parallel()
	s := open(t, file(t))
	b := s.Plugin("notes", 2*(1+10+kv.EntryCost))
	set(t, b, "a", "0123456789")
	set(t, b, "b", "0123456789") // to the last byte
	full := map[string]string{"a": "0123456789", "b": "0123456789"}
	for _, c := range [][2]string{{"b", "0123456789+"}, {"c", ""}} {
		err := b.Set(t.Context(), c[0], []byte(c[1]))
		if !errors.Is(err, kv.ErrQuota) || fault.CodeOf(err) != sdkapi.ToolError {
			t.Fatalf("%q: %v", c, err)
		}
		for _, words := range []string{`"notes"`, "stores 150 of the 150 bytes", "raise its quota"} {
			if !strings.Contains(fault.From(err).Message, words) {
				t.Errorf("%q: the message %q lacks %q", c, fault.From(err).Message, words)
			}
		}
		holds(t, b, full)
	}
	set(t, b, "b", "9876543210") // adds nothing
	smaller := s.Plugin("notes", 10)
	set(t, smaller, "b", "98765") // nor does this
	if err := smaller.Set(t.Context(), "b", []byte("987654")); !errors.Is(err, kv.ErrQuota) {
		t.Errorf("above a smaller quota: %v", err)
	}
	if err := smaller.Delete(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	holds(t, b, map[string]string{"b": "98765"})
	if err := s.Plugin("other", 0).Set(t.Context(), "a", nil); !errors.Is(err, kv.ErrQuota) {
		t.Errorf("with no quota: %v", err)
	}
	holds(t, s.Plugin("other", 0), nil)
	set(t, s.Plugin("third", 1+kv.EntryCost), "a", "") // each has its own
}

func TestLimits(t *testing.T) {
	t.Parallel()
	b := open(t, file(t)).Plugin("notes", 4<<20)
	key, value := strings.Repeat("k", kv.MaxKey), bytes.Repeat([]byte("v"), kv.MaxValue)
	if err := b.Set(t.Context(), key, value); err != nil {
		t.Error(err)
	}
	if got, found, err := b.Get(t.Context(), key); !bytes.Equal(got, value) || !found || err != nil {
		t.Errorf("got %d bytes, %v, %v", len(got), found, err)
	}
	for _, wrong := range []string{"", key + "k", "\xff", "a\xc3"} {
		_, _, err := b.Get(t.Context(), wrong)
		for _, err := range []error{err, b.Set(t.Context(), wrong, nil), b.Delete(t.Context(), wrong)} {
			if f := fault.From(err); f == nil || f.Code != sdkapi.ValidationError || len(f.Details.Fields) != 1 || f.Details.Fields[0].Path != "key" {
				t.Errorf("%.10q: %v", wrong, err)
			}
		}
	}
	err := b.Set(t.Context(), "a", append(value, 'v'))
	if f := fault.From(err); f == nil || f.Code != sdkapi.ValidationError || f.Details.Fields[0].Path != "value" {
		t.Errorf("a long value: %v", err)
	}
	if _, err := b.List(t.Context(), "", "", -1); fault.CodeOf(err) != sdkapi.ValidationError {
		t.Errorf("a limit below 0: %v", err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	b := open(t, file(t)).Plugin("notes", 1<<20)
	for _, key := range []string{"a", "a/1", "a/2", "a/3", "a0", "b", "\U0010ffff"} {
		set(t, b, key, "value")
	}
	for _, c := range []struct {
		prefix, after string
		limit         int
		want          []string
	}{
		{"", "", 0, []string{"a", "a/1", "a/2", "a/3", "a0", "b", "\U0010ffff"}},
		{"a/", "", 0, []string{"a/1", "a/2", "a/3"}},
		{"a/", "", 2, []string{"a/1", "a/2"}},
		{"a/", "a/2", 2, []string{"a/3"}},
		{"a/", "a/", 0, []string{"a/1", "a/2", "a/3"}},
		{"a/", "a/11", 0, []string{"a/2", "a/3"}},
		{"a/", "a", 0, []string{"a/1", "a/2", "a/3"}}, // before the prefix
		{"a/", "a/3", 0, nil},
		{"a/", "b", 0, nil}, // behind it
		{"a", "a", 1, []string{"a/1"}},
		{"c", "", 0, nil},
		{"", "b", 0, []string{"\U0010ffff"}},
		{"", "\xff", 0, nil},
		{strings.Repeat("a", 5000), "", 0, nil},
	} {
		t.Run(fmt.Sprint(c.prefix, " ", c.after), func(t *testing.T) {
			got, err := b.List(t.Context(), c.prefix, c.after, c.limit)
			if !slices.Equal(got, c.want) || err != nil {
				t.Errorf("%+v: got %q, %v", c, got, err)
			}
		})
	}
}

// TestListEndsAtItsLimit goes through more keys than List returns at once.
func TestListEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	path := file(t)
	seed(t, path, "notes", kv.MaxList+1)
	b := open(t, path).Plugin("notes", 0)
	for _, limit := range []int{0, kv.MaxList, kv.MaxList + 1, 1 << 30} {
		keys, err := b.List(t.Context(), "", "", limit)
		if len(keys) != kv.MaxList || err != nil {
			t.Fatalf("%d: %d keys, %v", limit, len(keys), err)
		}
		if rest, err := b.List(t.Context(), "", keys[len(keys)-1], limit); len(rest) != 1 || err != nil {
			t.Errorf("%d: then %d keys, %v", limit, len(rest), err)
		}
	}
}

// seed writes so many entries at once, since each Set waits for the disk.
func seed(t testing.TB, path, plugin string, n int) {
	t.Helper()
	open(t, path).Close()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte(plugin))
		if err != nil {
			return err
		}
		if b, err = b.CreateBucket([]byte("entries")); err != nil {
			return err
		}
		for i := range n {
			if err := b.Put(fmt.Appendf(nil, "key-%06d", i), []byte("value")); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestUsageAgreesWithACount does things at random, in several goroutines, and
// counts what is there.
func TestUsageAgreesWithACount(t *testing.T) {
	t.Parallel()
	s := open(t, file(t))
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 1))
			b := s.Plugin([]string{"one", "two"}[worker%2], 3000)
			for range 100 {
				key := fmt.Sprint("key-", random.IntN(10))
				var err error
				switch random.IntN(4) {
				case 0:
					err = b.Delete(t.Context(), key)
				case 1:
					_, _, err = b.Get(t.Context(), key)
				default:
					err = b.Set(t.Context(), key, make([]byte, random.IntN(600)))
				}
				if err != nil && !errors.Is(err, kv.ErrQuota) {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for _, name := range []string{"one", "two"} {
		b := s.Plugin(name, 3000)
		keys, err := b.List(t.Context(), "", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, key := range keys {
			value, _, err := b.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			want[key] = string(value)
		}
		holds(t, b, want)
		if bytes, _, _ := b.Usage(t.Context()); bytes > 3000 || len(want) == 0 {
			t.Errorf("%s uses %d bytes by %d entries", name, bytes, len(want))
		}
	}
}

// TestWaitingEnds has a call wait for another that does not end.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	s := open(t, file(t))
	b := s.Plugin("notes", 1000)
	set(t, b, "a", "1")
	release := s.Block()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for name, err := range map[string]error{"set": b.Set(ctx, "a", nil), "delete": b.Delete(ctx, "a")} {
		t.Run(name, func(t *testing.T) {
			if fault.CodeOf(err) != sdkapi.Timeout {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	holds(t, b, map[string]string{"a": "1"}) // reading does not wait
	release()
	set(t, b, "a", "2")
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	b := open(t, file(t)).Plugin("notes", 1000)
	set(t, b, "a", "1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // both a free store and an ended context are ready
		_, _, get := b.Get(ctx, "a")
		_, list := b.List(ctx, "", "", 0)
		_, _, usage := b.Usage(ctx)
		for _, err := range []error{get, list, usage, b.Set(ctx, "a", []byte("2")), b.Delete(ctx, "a")} {
			if fault.CodeOf(err) != sdkapi.Canceled {
				t.Fatal(err)
			}
		}
	}
	holds(t, b, map[string]string{"a": "1"})
}

func TestClosed(t *testing.T) {
	t.Parallel()
	s := open(t, file(t))
	b := s.Plugin("notes", 1000)
	set(t, b, "a", "1")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, get := b.Get(t.Context(), "a")
	_, list := b.List(t.Context(), "", "", 0)
	_, _, usage := b.Usage(t.Context())
	for _, err := range []error{get, list, usage, b.Set(t.Context(), "a", nil), b.Delete(t.Context(), "a"), s.Forget("notes")} {
		if fault.CodeOf(err) != sdkapi.StorageUnavailable {
			t.Error(err)
		}
	}
}

func TestOpenTwice(t *testing.T) {
	t.Parallel()
	path := file(t)
	open(t, path)
	if s, err := kv.Open(path); err == nil || !strings.Contains(err.Error(), "another gateway has "+path+" open") {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestOpenWhatIsNoStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "text")
	if err := os.WriteFile(path, bytes.Repeat([]byte("no store "), 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, filepath.Join(path, "below"), dir} {
		if s, err := kv.Open(path); err == nil {
			t.Errorf("%s: opened", path)
			_ = s.Close()
		}
	}
}
