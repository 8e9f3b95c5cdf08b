// Package storetest is the test suite of artifacts.Store, and has a store in memory for other
// tests.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) artifacts.Store { return open(t) })
//	}
//
//	func BenchmarkStore(b *testing.B) {
//		storetest.Benchmark(b, func(b *testing.B) artifacts.Store { return open(b) })
//	}
package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// patience is how long a call may take before the suite considers it hung.
const patience = 30 * time.Second

// Run checks a store. It calls the function open once for each subtest. The function may return the
// same store each time, because no two subtests use the same id. It must register the cleanup of its
// store.
//
// One check measures memory, so call Run from a test that is not parallel.
func Run(t *testing.T, open func(*testing.T) artifacts.Store) {
	t.Run("MemoryIsBounded", func(t *testing.T) { memoryIsBounded(t, open(t)) })
	for _, c := range []struct {
		name string
		run  func(*testing.T, artifacts.Store)
	}{
		{"RoundTrip", roundTrip},
		{"Ready", ready},
		{"Try", try},
		{"MissingID", missingID},
		{"InvalidID", invalidID},
		{"SecondPut", secondPut},
		{"RivalPuts", rivalPuts},
		{"BrokenReader", brokenReader},
		{"FaultOfReader", faultOfReader},
		{"CanceledPut", canceledPut},
		{"CanceledCalls", canceledCalls},
		{"CanceledRead", canceledRead},
		{"Ranges", ranges},
		{"RangePastTheEnd", rangePastTheEnd},
		{"Delete", deleteTwice},
		{"ManyAtOnce", manyAtOnce},
		{"HalfWritten", halfWritten},
		{"WholeOrNothing", wholeOrNothing},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

// try runs artifacts.Try, with which a gateway tests its store at the start.
func try(t *testing.T, s artifacts.Store) {
	if err := artifacts.Try(t.Context(), s); err != nil {
		t.Error(err)
	}
}

// roundTrip checks that Stat and Get return the content and the description from Put, for several ids and sizes.
func roundTrip(t *testing.T, s artifacts.Store) {
	for _, c := range []struct {
		id, contentType string
		size            int
	}{
		{"empty.txt", "text/plain; charset=utf-8", 0},
		{"a.b", "application/octet-stream", 1}, // the shortest possible id
		{strings.Repeat("Long-_9", 14) + "xy.json", "application/json", 70_000},
		{"screen.png", "image/png", 5_000_000},
	} {
		t.Run(fmt.Sprintf("%.50q", c.id), func(t *testing.T) {
			data := content(c.size)
			began := time.Now().Truncate(time.Second)
			put := mustPut(t, s, c.id, c.contentType, data)
			want := artifacts.Info{ID: c.id, ContentType: c.contentType, Size: int64(c.size), SHA256: sum(data), CreatedAt: put.CreatedAt, ExpiresAt: put.ExpiresAt}
			if put != want {
				t.Errorf("Put of %s returned %+v, want %+v", c.id, put, want)
			}
			at := put.CreatedAt
			if at.Location() != time.UTC || at.Nanosecond() != 0 || at.Before(began) || at.After(time.Now()) {
				t.Errorf("%s was created at %v, want a whole second in UTC since %v", c.id, at, began)
			}
			if at := put.ExpiresAt; !at.IsZero() && (at.Location() != time.UTC || at.Nanosecond() != 0 || at.Before(time.Now())) {
				t.Errorf("%s expires at %v, want a whole second in UTC, and not yet", c.id, at)
			}
			if info, err := s.Stat(within(t), c.id); err != nil || info != put {
				t.Errorf("Stat of %s: %+v, %v; Put had returned %+v", c.id, info, err, put)
			}
			got, info := mustGet(t, s, c.id, 0, -1)
			if info != put || !bytes.Equal(got, data) {
				t.Errorf("Get of %s: %d bytes, %+v; Put had returned %+v", c.id, len(got), info, put)
			}
		})
	}
}

// ready checks that an open store is ready.
func ready(t *testing.T, s artifacts.Store) {
	if err := s.Ready(within(t)); err != nil {
		t.Errorf("Ready: %v", err)
	}
}

// missingID checks an id that was never stored.
func missingID(t *testing.T, s artifacts.Store) {
	wantMissing(t, s, "nothing.png")
}

// invalidID tries invalid ids. Most of them try to leave the folder of artifacts.
func invalidID(t *testing.T, s artifacts.Store) {
	for _, id := range []string{
		"", ".", "..", "/", "x", "x.", ".png", "../x.png", "../../etc/passwd", "/etc/hosts.txt", "a/b.png", `a\b.png`, `..\x.png`,
		"tmp/x.png", "a.b.png", "x.png.json", "x.PNG", "x.png\x00", "x.png\n", "x.png/", "%2e%2e%2fx.png", "é.png", "-x.png",
		strings.Repeat("a", 101) + ".png",
	} {
		info, err := s.Put(within(t), id, "image/png", strings.NewReader("x"))
		if fault.CodeOf(err) != sdkapi.Internal {
			t.Errorf("Put under %q: %+v, %v; want %s", id, info, err, sdkapi.Internal)
		}
		wantMissing(t, s, id)
		if err := s.Delete(within(t), id); err != nil {
			t.Errorf("Delete of %q: %v", id, err)
		}
	}
}

// ranges reads ranges within an artifact, at its ends and of length 0. The description is always that of the whole
// artifact.
func ranges(t *testing.T, s artifacts.Store) {
	data := content(100_000)
	put := mustPut(t, s, "ranges.bin", "application/octet-stream", data)
	for _, c := range []struct{ offset, length, end int64 }{
		{0, -1, put.Size},
		{0, put.Size, put.Size},
		{0, 1, 1}, // the first byte
		{1, 1, 2},
		{put.Size - 1, 1, put.Size}, // the last byte
		{put.Size - 1, -1, put.Size},
		{50_000, -1, put.Size},
		{32_767, 32_770, 65_537},
		{7, 0, 7},
		{put.Size, -1, put.Size},
	} {
		t.Run(fmt.Sprint(c.offset, " ", c.length), func(t *testing.T) {
			got, info := mustGet(t, s, "ranges.bin", c.offset, c.length)
			if info != put {
				t.Errorf("Get(%d, %d) describes %+v, want the whole: %+v", c.offset, c.length, info, put)
			}
			if !bytes.Equal(got, data[c.offset:c.end]) {
				t.Errorf("Get(%d, %d) yields %d bytes, want those from %d to %d", c.offset, c.length, len(got), c.offset, c.end)
			}
		})
	}
	mustPut(t, s, "empty.bin", "application/octet-stream", nil)
	for _, length := range []int64{-1, 0} {
		if got, info := mustGet(t, s, "empty.bin", 0, length); len(got) != 0 || info.Size != 0 {
			t.Errorf("Get(0, %d) of nothing: %d bytes, %+v", length, len(got), info)
		}
	}
}

// rangePastTheEnd requests ranges outside the artifact. They must be errors, because a shortened
// range must not look complete.
func rangePastTheEnd(t *testing.T, s artifacts.Store) {
	mustPut(t, s, "short.bin", "application/octet-stream", content(10))
	for _, offset := range []int64{-1, 11, 1 << 40} {
		r, _, err := s.Get(within(t), "short.bin", offset, 1)
		if fault.CodeOf(err) != sdkapi.RangeNotSatisfiable {
			t.Errorf("Get from %d of 10 bytes: %v, want %s", offset, err, sdkapi.RangeNotSatisfiable)
		}
		if r != nil {
			_ = r.Close()
		}
	}
}

// deleteTwice checks that a second Delete succeeds, that the id can be used again, and that other artifacts stay.
func deleteTwice(t *testing.T, s artifacts.Store) {
	mustPut(t, s, "stays.txt", "text/plain", []byte("stays"))
	for range 2 { // an id is free again after its artifact is deleted
		mustPut(t, s, "goes.txt", "text/plain", []byte("goes"))
		for range 2 {
			if err := s.Delete(within(t), "goes.txt"); err != nil {
				t.Fatalf("Delete: %v", err)
			}
			wantMissing(t, s, "goes.txt")
		}
	}
	if got, _ := mustGet(t, s, "stays.txt", 0, -1); string(got) != "stays" {
		t.Errorf("the other artifact is now %q", got)
	}
}

// within returns the test's context with a time limit of patience, so that a hanging call fails.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// mustPut stores an artifact, or ends the test.
func mustPut(t testing.TB, s artifacts.Store, id, contentType string, data []byte) artifacts.Info {
	t.Helper()
	info, err := s.Put(within(t), id, contentType, bytes.NewReader(data))
	if err != nil {
		t.Fatalf("Put of %s: %v", id, err)
	}
	return info
}

// mustGet reads a range of an artifact to its end, or ends the test. A length of -1 means the rest.
func mustGet(t testing.TB, s artifacts.Store, id string, offset, length int64) ([]byte, artifacts.Info) {
	t.Helper()
	data, info, err := get(within(t), s, id, offset, length)
	if err != nil {
		t.Fatalf("Get(%d, %d) of %s: %v", offset, length, id, err)
	}
	return data, info
}

// get reads a range of an artifact to its end.
func get(ctx context.Context, s artifacts.Store, id string, offset, length int64) ([]byte, artifacts.Info, error) {
	r, info, err := s.Get(ctx, id, offset, length)
	if err != nil {
		return nil, info, err
	}
	data, err := io.ReadAll(r)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	return data, info, err
}

// wantMissing fails unless both Stat and Get return ArtifactNotFound.
func wantMissing(t testing.TB, s artifacts.Store, id string) {
	t.Helper()
	if info, err := s.Stat(within(t), id); fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		t.Errorf("Stat of %q: %+v, %v; want %s", id, info, err, sdkapi.ArtifactNotFound)
	}
	r, info, err := s.Get(within(t), id, 0, -1)
	if fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		t.Errorf("Get of %q: %+v, %v; want %s", id, info, err, sdkapi.ArtifactNotFound)
	}
	if r != nil {
		_ = r.Close()
	}
}

// content returns size pseudo-random bytes, the same for each call.
func content(size int) []byte {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data) // Read never fails
	return data
}

// sum returns the SHA-256 of data in hex, as in artifacts.Info.
func sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// benchSize is the size of a large screenshot, in bytes.
const benchSize = 5_000_000

// Benchmark measures the speed of a store, in MB/s of content. It calls the function open once for
// each sub-benchmark. The function must register the cleanup of its store.
func Benchmark(b *testing.B, open func(*testing.B) artifacts.Store) {
	b.Run("Put", func(b *testing.B) { benchmarkPut(b, open(b)) })
	b.Run("Get", func(b *testing.B) { benchmarkGet(b, open(b)) })
}

// benchmarkPut deletes each stored artifact, so that the disk does not limit the number of rounds.
func benchmarkPut(b *testing.B, s artifacts.Store) {
	data := content(benchSize)
	b.SetBytes(benchSize)
	for n := 0; b.Loop(); n++ {
		id := fmt.Sprintf("bench%d.png", n)
		if _, err := s.Put(b.Context(), id, "image/png", bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Delete(b.Context(), id); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// benchmarkGet reads the same artifact again and again, so the system may have it in memory.
func benchmarkGet(b *testing.B, s artifacts.Store) {
	mustPut(b, s, "bench.png", "image/png", content(benchSize))
	b.SetBytes(benchSize)
	for b.Loop() {
		r, _, err := s.Get(b.Context(), "bench.png", 0, -1)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, r); n != benchSize || err != nil {
			b.Fatalf("read %d bytes, then %v", n, err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// Bytes that memoryIsBounded sends through a store, and bytes by which the heap may grow meanwhile.
// About 4 MB of that is garbage that is not collected yet.
const (
	streamSize = 64 << 20
	heapGrowth = 16 << 20
)

// memoryIsBounded stores and reads a long stream, and watches the heap.
func memoryIsBounded(t *testing.T, s artifacts.Store) {
	if _, ok := s.(*Memory); ok {
		return // the only store that may hold content in memory
	}
	var put artifacts.Info
	grown := heapGrowthDuring(func() {
		var err error
		stream := io.LimitReader(rand.NewChaCha8([32]byte{}), streamSize)
		if put, err = s.Put(within(t), "stream.bin", "application/octet-stream", stream); err != nil {
			t.Fatalf("Put: %v", err)
		}
	})
	if put.Size != streamSize || grown > heapGrowth {
		t.Errorf("Put stored %d of %d bytes, and the heap grew by %d; want %d at most", put.Size, streamSize, grown, heapGrowth)
	}
	hash := sha256.New()
	grown = heapGrowthDuring(func() {
		r, _, err := s.Get(within(t), "stream.bin", 0, -1)
		if err != nil {
			t.Fatalf("Get: %v", err)
		}
		defer func() { _ = r.Close() }()
		if _, err := io.Copy(hash, r); err != nil {
			t.Fatalf("Get: %v", err)
		}
	})
	if grown > heapGrowth {
		t.Errorf("while Get yielded %d bytes the heap grew by %d; want %d at most", streamSize, grown, heapGrowth)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != put.SHA256 {
		t.Errorf("Get yields content of SHA-256 %s; Put had returned %s", got, put.SHA256)
	}
}

// heapGrowthDuring returns the maximum growth of the heap during work, in bytes.
func heapGrowthDuring(work func()) uint64 {
	runtime.GC()
	before := heapInUse()
	stop, largest := make(chan struct{}), make(chan uint64)
	go func() {
		most := before
		for ticker := time.NewTicker(time.Millisecond); ; {
			select {
			case <-ticker.C:
				most = max(most, heapInUse())
			case <-stop:
				ticker.Stop()
				largest <- most
				return
			}
		}
	}()
	var most uint64
	func() {
		defer func() {
			close(stop)
			most = <-largest
		}()
		work()
	}()
	return most - before
}

// heapInUse returns the bytes of all objects on the heap, including garbage that is not collected yet.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
