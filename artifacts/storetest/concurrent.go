package storetest

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// manyAtOnce stores and reads from many goroutines.
func manyAtOnce(t *testing.T, s artifacts.Store) {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			id, data := fmt.Sprintf("many%d.bin", i), content(50_000+i)
			put, err := s.Put(within(t), id, "image/png", bytes.NewReader(data))
			if err != nil {
				t.Errorf("Put of %s: %v", id, err)
				return
			}
			for range 3 {
				got, info, err := get(within(t), s, id, 0, -1)
				if err != nil || info != put || !bytes.Equal(got, data) {
					t.Errorf("Get of %s: %d bytes, %+v, %v; Put had returned %+v", id, len(got), info, err, put)
				}
			}
		})
	}
	wg.Wait()
}

// halfWritten looks for an artifact whose content is still on its way.
func halfWritten(t *testing.T, s artifacts.Store) {
	data := content(1_000_000)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Put(within(t), "half.bin", "image/png", r)
		_ = r.Close() // ends the writes below, should Put fail early
		done <- err
	}()
	for _, part := range [][]byte{data[:1], data[1:500_000], data[500_000:]} {
		wantMissing(t, s, "half.bin")
		if _, err := w.Write(part); err != nil {
			t.Fatalf("Put stopped reading: %v", err)
		}
	}
	wantMissing(t, s, "half.bin") // the end of the content is not yet known
	_ = w.Close()
	if err := <-done; err != nil {
		t.Fatalf("Put: %v", err)
	}
	if got, _ := mustGet(t, s, "half.bin", 0, -1); !bytes.Equal(got, data) {
		t.Errorf("Get yields %d bytes, other than those put", len(got))
	}
}

// wholeOrNothing looks for artifacts in the moment they become visible.
func wholeOrNothing(t *testing.T, s artifacts.Store) {
	data := content(300_000)
	for i := range 10 {
		id := fmt.Sprintf("whole%d.bin", i)
		stored := make(chan struct{})
		go func() {
			defer close(stored)
			if _, err := s.Put(within(t), id, "image/png", bytes.NewReader(data)); err != nil {
				t.Errorf("Put: %v", err)
			}
		}()
		for seen, last := false, false; !last; {
			select {
			case <-stored:
				last = true
			default:
			}
			info, err := s.Stat(within(t), id)
			if missing := fault.CodeOf(err) == sdkapi.ArtifactNotFound; missing && !seen && !last {
				continue
			}
			if err != nil || info.SHA256 != sum(data) {
				t.Errorf("Stat: %+v, %v", info, err)
			}
			seen = true
			got, _, err := get(within(t), s, id, 0, -1)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("Get of an artifact that Stat has seen: %d bytes, %v", len(got), err)
			}
		}
	}
}
