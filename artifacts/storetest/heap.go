package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
)

// What passes through a store in memoryIsBounded, and what the heap may grow
// by meanwhile, in bytes. The garbage collector lets about 4 MB pile up.
const (
	streamSize = 64 << 20
	heapGrowth = 16 << 20
)

// memoryIsBounded sends a long stream in and out and watches the heap.
func memoryIsBounded(t *testing.T, s artifacts.Store) {
	if _, ok := s.(*Memory); ok {
		return // the one store that may hold content in memory
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

// heapGrowthDuring returns by how many bytes the heap was larger than before
// when it was largest during work.
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

func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
