package values_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/values"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onBoth runs a test on an empty store in each kind of database.
func onBoth(t *testing.T, run func(t *testing.T, s *values.Store)) {
	t.Helper()
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) { run(t, values.Open(databasetest.Open(t, cfg))) })
}

func set(t testing.TB, b *values.Bucket, key, value string) {
	t.Helper()
	if err := b.Set(t.Context(), key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

// holds fails the test unless the bucket holds just what is wanted, by each
// way to ask.
func holds(t testing.TB, b *values.Bucket, want map[string]string) {
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
		size += int64(len(key) + len(value) + values.EntryCost)
		got, found, err := b.Get(t.Context(), key)
		if err != nil || !found || string(got) != value {
			t.Errorf("under %q is %q, %v, %v; want %q", key, got, found, err, value)
		}
	}
	if bytes, entries, err := b.Usage(t.Context()); bytes != size || entries != int64(len(want)) || err != nil {
		t.Errorf("used are %d bytes by %d entries, %v; want %d by %d", bytes, entries, err, size, len(want))
	}
}

// TestValuesAreTheCallersOwn changes what was passed in and what came out.
// TestPluginsSeeOnlyTheirOwn uses one key, and names that begin alike.
func TestPluginsSeeOnlyTheirOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *values.Store) {
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
	})
}

func TestQuota(t *testing.T) {
	onBoth(t, func(t *testing.T, s *values.Store) {
		b := s.Plugin("notes", 2*(1+10+values.EntryCost))
		set(t, b, "a", "0123456789")
		set(t, b, "b", "0123456789") // to the last byte
		full := map[string]string{"a": "0123456789", "b": "0123456789"}
		for _, c := range [][2]string{{"b", "0123456789+"}, {"c", ""}} {
			err := b.Set(t.Context(), c[0], []byte(c[1]))
			if !errors.Is(err, values.ErrQuota) || fault.CodeOf(err) != sdkapi.ToolError {
				t.Fatalf("%q: %v", c, err)
			}
			for _, words := range []string{`"notes"`, "stores 150 of its 150 bytes", "raise its quota"} {
				if !strings.Contains(fault.From(err).Message, words) {
					t.Errorf("%q: the message %q lacks %q", c, fault.From(err).Message, words)
				}
			}
			holds(t, b, full)
		}
		set(t, b, "b", "9876543210") // adds nothing
		smaller := s.Plugin("notes", 10)
		set(t, smaller, "b", "98765") // nor does this
		if err := smaller.Set(t.Context(), "b", []byte("987654")); !errors.Is(err, values.ErrQuota) {
			t.Errorf("above a smaller quota: %v", err)
		}
		if err := smaller.Delete(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		holds(t, b, map[string]string{"b": "98765"})
		if err := s.Plugin("other", 0).Set(t.Context(), "a", nil); !errors.Is(err, values.ErrQuota) {
			t.Errorf("with no quota: %v", err)
		}
		holds(t, s.Plugin("other", 0), nil)
		set(t, s.Plugin("third", 1+values.EntryCost), "a", "") // each has its own
	})
}

func TestLimits(t *testing.T) {
	onBoth(t, func(t *testing.T, s *values.Store) {
		b := s.Plugin("notes", 4<<20)
		key, value := strings.Repeat("k", values.MaxKey), bytes.Repeat([]byte("v"), values.MaxValue)
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
	})
}

func TestList(t *testing.T) {
	onBoth(t, func(t *testing.T, s *values.Store) {
		b := s.Plugin("notes", 1<<20)
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
	})
}

// TestListEndsAtItsLimit goes through more keys than List returns at once.
// seed writes so many entries at once, since each Set waits for the disk.
// TestUsageAgreesWithACount does things at random, in several goroutines, and
// counts what is there.
func TestUsageAgreesWithACount(t *testing.T) {
	onBoth(t, func(t *testing.T, s *values.Store) {
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
					if err != nil && !errors.Is(err, values.ErrQuota) {
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
	})
}

// TestWaitingEnds has a call wait for another that does not end.
func TestWaitingEnds(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		b, want := values.Open(db).Plugin("notes", 1000), map[string]string{"a": "1"}
		set(t, b, "a", "1")
		holds(t, b, want) // which opens a connection
		err := db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
			if _, err := tx.NewRaw("UPDATE plugin_totals SET bytes = bytes").Exec(ctx); err != nil {
				return err
			}
			holds(t, b, want) // reading does not wait
			for name, change := range map[string]func(ctx context.Context) error{
				"set":    func(ctx context.Context) error { return b.Set(ctx, "a", nil) },
				"delete": func(ctx context.Context) error { return b.Delete(ctx, "a") },
			} {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				if err := change(ctx); fault.CodeOf(err) != sdkapi.Timeout {
					t.Errorf("%s: %v", name, err)
				}
				cancel()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		holds(t, b, want)
	})
}

func TestClosed(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		s := values.Open(db)
		b := s.Plugin("notes", 1000)
		set(t, b, "a", "1")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		_, _, get := b.Get(t.Context(), "a")
		_, list := b.List(t.Context(), "", "", 0)
		_, _, usage := b.Usage(t.Context())
		_, erase := s.EraseUser(t.Context(), "ada")
		for _, err := range []error{get, list, usage, erase, b.Set(t.Context(), "a", nil), b.Delete(t.Context(), "a"), s.Forget("notes")} {
			if fault.CodeOf(err) != sdkapi.StorageUnavailable {
				t.Error(err)
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	notes, value := values.Open(databasetest.Open(b, databasetest.InFile(b))).User("notes", "ada", 1<<20, 1<<30), make([]byte, 1000)
	if err := notes.Set(b.Context(), "key", value); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, found, err := notes.Get(b.Context(), "key"); !found || err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSet(b *testing.B) {
	notes, value := values.Open(databasetest.Open(b, databasetest.InFile(b))).User("notes", "ada", 1<<20, 1<<30), make([]byte, 1000)
	for b.Loop() {
		if err := notes.Set(b.Context(), "key", value); err != nil {
			b.Fatal(err)
		}
	}
}
