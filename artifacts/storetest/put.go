package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// secondPut stores under an id that is in use. That must fail and leave the first artifact
// unchanged, even if the content is the same.
func secondPut(t *testing.T, s artifacts.Store) {
	first := mustPut(t, s, "twice.txt", "text/plain", []byte("first"))
	for _, data := range [][]byte{[]byte("first"), content(5_000_000)} {
		info, err := s.Put(within(t), "twice.txt", "text/html", bytes.NewReader(data))
		if fault.CodeOf(err) != sdkapi.Internal {
			t.Errorf("Put over an artifact: %+v, %v; want %s", info, err, sdkapi.Internal)
		}
		if got, info := mustGet(t, s, "twice.txt", 0, -1); string(got) != "first" || info != first {
			t.Errorf("after a second Put the artifact is %q, %+v; want the first: %+v", got, info, first)
		}
	}
}

// rivalPuts stores under one id from several goroutines. Exactly one must succeed.
func rivalPuts(t *testing.T, s artifacts.Store) {
	const rivals = 8
	var wg sync.WaitGroup
	infos, errs := make([]artifacts.Info, rivals), make([]error, rivals)
	for i := range rivals {
		wg.Go(func() {
			text := fmt.Sprintf("%d says: %s", i, strings.Repeat("mine ", 1000))
			infos[i], errs[i] = s.Put(within(t), "rivals.txt", fmt.Sprintf("text/x-%d", i), strings.NewReader(text))
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil:
			t.Errorf("both %d and %d won", winner, i)
		}
	}
	if winner < 0 {
		t.Fatalf("nobody won: %v", errors.Join(errs...))
	}
	got, info := mustGet(t, s, "rivals.txt", 0, -1)
	if info != infos[winner] || sum(got) != info.SHA256 {
		t.Errorf("rival %d won with %+v, but %+v is stored, with content of %s", winner, infos[winner], info, sum(got))
	}
}

// errSender is an error of a reader given to a store.
var errSender = errors.New("the sender stopped before the end")

// brokenReader fails after 0 bytes, a little and much of the content.
func brokenReader(t *testing.T, s artifacts.Store) {
	for i, size := range []int{0, 10, 2_000_000} {
		id := fmt.Sprintf("broken%d.bin", i)
		info, err := s.Put(within(t), id, "image/png", io.MultiReader(bytes.NewReader(content(size)), &failing{errSender}))
		if !errors.Is(err, errSender) {
			t.Errorf("Put of a reader that breaks off after %d bytes: %+v, %v; want the reader's error in the chain", size, info, err)
		}
		wantMissing(t, s, id)
	}
}

// faultOfReader fails with a fault in the reader. The caller must get that fault.
func faultOfReader(t *testing.T, s artifacts.Store) {
	tooLarge := fault.New("storetest", sdkapi.PayloadTooLarge, "too large")
	_, err := s.Put(within(t), "large.bin", "image/png", &failing{tooLarge})
	if fault.CodeOf(err) != sdkapi.PayloadTooLarge {
		t.Errorf("Put of a reader that fails with %s: %v", sdkapi.PayloadTooLarge, err)
	}
	wantMissing(t, s, "large.bin")
}

// canceledPut ends the context in the middle of the content, and at its end.
func canceledPut(t *testing.T, s artifacts.Store) {
	for i, rest := range []int{1_000_000, 0} {
		id := fmt.Sprintf("canceled%d.bin", i)
		ctx, cancel := context.WithCancel(within(t))
		r := io.MultiReader(bytes.NewReader(content(100_000)), &once{do: cancel}, bytes.NewReader(content(rest)))
		info, err := s.Put(ctx, id, "image/png", r)
		if !errors.Is(err, context.Canceled) || fault.CodeOf(err) != sdkapi.Canceled {
			t.Errorf("Put with %d bytes left when its context ended: %+v, %v", rest, info, err)
		}
		wantMissing(t, s, id)
	}
}

// canceledCalls calls every method with an ended context.
func canceledCalls(t *testing.T, s artifacts.Store) {
	mustPut(t, s, "there.txt", "text/plain", []byte("there"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Put":    func() error { _, err := s.Put(ctx, "new.txt", "text/plain", strings.NewReader("x")); return err },
		"Stat":   func() error { _, err := s.Stat(ctx, "there.txt"); return err },
		"Get":    func() error { _, _, err := get(ctx, s, "there.txt", 0, -1); return err },
		"Delete": func() error { return s.Delete(ctx, "there.txt") },
		"Ready":  func() error { return s.Ready(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := call(); fault.CodeOf(err) != sdkapi.Canceled {
				t.Errorf("%s with a context that has ended: %v, want %s", name, err, sdkapi.Canceled)
			}
		})
	}
	wantMissing(t, s, "new.txt")
	if got, _ := mustGet(t, s, "there.txt", 0, -1); string(got) != "there" {
		t.Errorf("the artifact is now %q", got)
	}
}

// canceledRead ends the context of a Get while its content is being read.
func canceledRead(t *testing.T, s artifacts.Store) {
	mustPut(t, s, "read.bin", "image/png", content(20_000_000)) // more than fits into buffers on the way
	ctx, cancel := context.WithCancel(within(t))
	r, _, err := s.Get(ctx, "read.bin", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	n, err := io.Copy(io.Discard, r)
	if fault.CodeOf(err) != sdkapi.Canceled {
		t.Errorf("read %d bytes after the context ended, then %v; want %s", n, err, sdkapi.Canceled)
	}
}

// failing is a reader that always fails with err.
type failing struct{ err error }

// Read returns the error err at once, without data.
func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// once is an empty reader that calls do when it is read.
type once struct{ do func() }

// Read calls the function do and then returns io.EOF.
func (o *once) Read([]byte) (int, error) {
	o.do()
	return 0, io.EOF
}

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

// halfWritten looks for an artifact whose content is still being sent.
func halfWritten(t *testing.T, s artifacts.Store) {
	data := content(1_000_000)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.Put(within(t), "half.bin", "image/png", r)
		_ = r.Close() // ends the writes below if Put fails early
		done <- err
	}()
	for _, part := range [][]byte{data[:1], data[1:500_000], data[500_000:]} {
		wantMissing(t, s, "half.bin")
		if _, err := w.Write(part); err != nil {
			t.Fatalf("Put stopped reading: %v", err)
		}
	}
	wantMissing(t, s, "half.bin") // the end of the content is not known yet
	_ = w.Close()
	if err := <-done; err != nil {
		t.Fatalf("Put: %v", err)
	}
	if got, _ := mustGet(t, s, "half.bin", 0, -1); !bytes.Equal(got, data) {
		t.Errorf("Get yields %d bytes, other than those put", len(got))
	}
}

// wholeOrNothing reads artifacts at the moment when they become visible.
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
