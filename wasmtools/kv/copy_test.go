package kv_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/kv"
)

// TestCopy copies a store while a plugin writes pairs: in each copy both of a pair are the same.
func TestCopy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plugins.db")
	store, err := kv.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	bucket := store.Plugin("notes", 10<<20)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	begun := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			value := fmt.Appendf(nil, "%d", i)
			if err := bucket.Set(t.Context(), "a", value); err != nil {
				t.Error(err)
			}
			if err := bucket.Set(t.Context(), fmt.Sprintf("key %d", i%50), make([]byte, 5000)); err != nil {
				t.Error(err)
			}
			if i == 5 {
				close(begun)
			}
		}
	})
	<-begun
	for i := range 20 {
		to := filepath.Join(t.TempDir(), "copy.db")
		if err := kv.Copy(t.Context(), path, to); err != nil {
			t.Fatalf("copy %d: %v", i, err)
		}
		again, err := kv.Open(to)
		if err != nil {
			t.Fatal(err)
		}
		if value, found, err := again.Plugin("notes", 0).Get(t.Context(), "a"); !found || len(value) == 0 || err != nil {
			t.Errorf("copy %d: %q, %v", i, value, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
	stop()
	writing.Wait()
}

// TestRemovedFile changes a store whose file is gone.
func TestRemovedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plugins.db")
	store, err := kv.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := store.Plugin("notes", 1000).Set(t.Context(), "a", []byte("b")); fault.CodeOf(err) != sdkapi.StorageUnavailable {
		t.Errorf("Set: %v", err)
	}
}
