package s3store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// Stall limits for tests. A test's server exceeds the short one. A server that works keeps the longer
// one, even on a busy machine.
const (
	shortStall  = 300 * time.Millisecond
	longerStall = time.Second
)

// TestAdvice opens stores that cannot work, and checks the errors of Ready and of the other
// methods.
func TestAdvice(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	wrongKey, wrongBucket, away := server, server, nowhere
	wrongKey.SecretKey = "hush-not-the-secret-key"
	wrongBucket.Bucket = "hush-no-such-bucket"
	for _, c := range []struct {
		name   string
		server testkit.S3Server
		advice string
	}{
		{"wrong key", wrongKey, "refuses the gateway's keys"},
		{"wrong bucket", wrongBucket, "create it"},
		{"away", away, "check that it runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, config(c.server))
			var calls sync.WaitGroup
			for name, call := range callsOf(s) {
				calls.Go(func() {
					f := fault.From(call(t.Context()))
					if f == nil || f.Code != sdkapi.StorageUnavailable || !strings.Contains(f.Message, c.advice) {
						t.Errorf("%s: %v; want %s that says %q", name, f, sdkapi.StorageUnavailable, c.advice)
						return
					}
					for _, secret := range []string{"hush", "127.0.0.1", c.server.SecretKey} {
						if strings.Contains(f.Message, secret) {
							t.Errorf("%s tells the caller %q: %s", name, secret, f.Message)
						}
					}
				})
			}
			calls.Wait()
		})
	}
}

// callsOf returns a call of each method of s that talks to the server.
func callsOf(s *s3store.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Put": func(ctx context.Context) error {
			_, err := s.Put(ctx, "a.png", "image/png", strings.NewReader("x"))
			return err
		},
		"large Put": func(ctx context.Context) error {
			_, err := s.Put(ctx, "a.png", "image/png", io.LimitReader(zeros{}, 32<<20))
			return err
		},
		"Stat":   func(ctx context.Context) error { _, err := s.Stat(ctx, "a.png"); return err },
		"Get":    func(ctx context.Context) error { _, err := get(ctx, s, "a.png"); return err },
		"Delete": func(ctx context.Context) error { return s.Delete(ctx, "a.png") },
		"Ready":  s.Ready,
	}
}

// TestCreateBucket opens a store on a missing bucket, once with a server that responds, and once
// with a server that responds only later.
func TestCreateBucket(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	server.Bucket = "made-at-open"
	cfg := config(server)
	cfg.CreateBucket = true
	mustPut(t, open(t, cfg), "a.png", []byte("x"))
	mustPut(t, open(t, cfg), "b.png", []byte("x")) // the bucket is there now

	var up atomic.Bool
	late := between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !up.Load() {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
	late.Bucket = "made-when-ready"
	cfg = config(late)
	cfg.CreateBucket = true
	s := open(t, cfg)
	up.Store(true)
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("Ready, the server being back: %v", err)
	}
	mustPut(t, s, "a.png", []byte("x"))
}

// TestBrokenUploads breaks the first uploads to the server in several ways. Either a later attempt
// succeeds, or no artifact is visible.
func TestBrokenUploads(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("upload "), 300_000)
	for _, c := range []struct {
		name   string
		times  int32
		breaks http.HandlerFunc // nil: the answer is lost
		want   sdkapi.Code
	}{
		{"cut, once", 1, cutMidway, ""},
		{"cut, always", 1000, cutMidway, sdkapi.StorageUnavailable},
		{"answer lost, once", 1, nil, ""},
		{"answer lost, always", 1000, nil, ""},
		{"busy, twice", 2, busy, ""},
		{"busy, always", 1000, busy, sdkapi.StorageUnavailable},
		{"busy midway, twice", 2, busyMidway, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := testkit.S3(t)
			var puts atomic.Int32
			s := open(t, config(between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				switch broken := r.Method == http.MethodPut && puts.Add(1) <= c.times; {
				case !broken:
					next.ServeHTTP(w, r)
				case c.breaks == nil:
					next.ServeHTTP(httptest.NewRecorder(), r)
					panic(http.ErrAbortHandler)
				default:
					c.breaks(w, r)
				}
			})))
			_, err := s.Put(t.Context(), "a.png", "image/png", bytes.NewReader(data))
			if fault.CodeOf(err) != c.want {
				t.Errorf("Put, after %d attempts: %v; want %q", puts.Load(), err, c.want)
			}
			direct := open(t, config(server))
			if err != nil {
				wantMissing(t, direct, "a.png")
			} else if got := mustGet(t, direct, "a.png"); !bytes.Equal(got, data) {
				t.Errorf("Get yields %d bytes, other than those put", len(got))
			}
		})
	}
}

// TestCutMidwayAtTheServer breaks an upload after the server has received its beginning.
func TestCutMidwayAtTheServer(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	s := open(t, config(between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut {
			r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, 1<<20), brokenReader{}))
		}
		next.ServeHTTP(w, r)
	})))
	_, err := s.Put(t.Context(), "a.png", "image/png", bytes.NewReader(make([]byte, 3<<20)))
	if fault.CodeOf(err) != sdkapi.StorageUnavailable {
		t.Errorf("Put: %v", err)
	}
	wantMissing(t, open(t, config(server)), "a.png")
}

// TestBusyReads uses a server that refuses each request once, because it is busy.
func TestBusyReads(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	mustPut(t, open(t, config(server)), "a.png", []byte("content"))
	var requests atomic.Int32
	s := open(t, config(between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if requests.Add(1)%2 != 0 {
			busy(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})))
	if got := mustGet(t, s, "a.png"); string(got) != "content" {
		t.Errorf("Get yields %q", got)
	}
	if _, err := s.Stat(t.Context(), "a.png"); err != nil {
		t.Errorf("Stat: %v", err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("Ready: %v", err)
	}
	if err := s.Delete(t.Context(), "a.png"); err != nil {
		t.Errorf("Delete: %v", err)
	}
}

// TestSilentServer calls every method with a server that accepts requests and never responds.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	cfg := config(silent(t))
	cfg.StallLimit = shortStall
	cfg.CreateBucket = true
	s := open(t, cfg)
	for name, call := range callsOf(s) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			err := call(t.Context())
			if took := time.Since(began); fault.CodeOf(err) != sdkapi.StorageUnavailable || took < shortStall {
				t.Errorf("after %v: %v; want %s after %v", took, err, sdkapi.StorageUnavailable, shortStall)
			}
		})
	}
}

// TestStalledDownload uses a server that stops sending in the middle of an artifact.
func TestStalledDownload(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	mustPut(t, open(t, config(server)), "a.png", make([]byte, 1<<20))
	cfg := config(between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&stalling{ResponseWriter: w, left: artifacts.PieceSize + 1000, until: r.Context()}, r)
	}))
	cfg.StallLimit = longerStall
	got, err := get(t.Context(), open(t, cfg), "a.png")
	if fault.CodeOf(err) != sdkapi.StorageUnavailable || len(got) != artifacts.PieceSize {
		t.Errorf("after %d bytes: %v", len(got), err)
	}
}

// TestCanceledUpload ends the caller's context during an upload. The result of Put must be true,
// also a moment later.
func TestCanceledUpload(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		size  int64
		serve func(t *testing.T, cancel func(), r *http.Request, next func()) error
	}{
		{"in the middle", 64 << 20, cancelMidway},
		{"before the answer", 100, cancelBeforeAnswer},
		{"the answer is lost", 100, cancelAndLoseAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := testkit.S3(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var uploads sync.WaitGroup
			s := open(t, config(between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if r.Method != http.MethodPut {
					next.ServeHTTP(w, r)
					return
				}
				uploads.Add(1)
				defer uploads.Done()
				// The server does its work even if the other side has left.
				onward, answer := r.WithContext(context.WithoutCancel(r.Context())), httptest.NewRecorder()
				if c.serve(t, cancel, onward, func() { next.ServeHTTP(answer, onward) }) != nil {
					panic(http.ErrAbortHandler)
				}
				w.WriteHeader(answer.Code)
			})))
			_, err := s.Put(ctx, "a.png", "image/png", io.LimitReader(zeros{}, c.size))
			uploads.Wait()
			wantAsTold(t, open(t, config(server)), err)
		})
	}
}

// wantAsTold fails unless the artifact exists after a Put without an error, and is missing after a
// Put that was canceled.
func wantAsTold(t *testing.T, s *s3store.Store, putErr error) {
	t.Helper()
	switch {
	case putErr == nil:
		mustGet(t, s, "a.png")
	case fault.CodeOf(putErr) != sdkapi.Canceled:
		t.Errorf("Put: %v, want %s", putErr, sdkapi.Canceled)
	default:
		wantMissing(t, s, "a.png")
	}
}

// errNoAnswer makes a proxy break the connection instead of responding.
var errNoAnswer = errors.New("no answer")

func cancelMidway(t *testing.T, cancel func(), r *http.Request, _ func()) error {
	_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
	cancel()
	if n, err := io.Copy(io.Discard, r.Body); err == nil {
		t.Errorf("all %d bytes left came in", n)
	}
	return errNoAnswer
}

func cancelBeforeAnswer(t *testing.T, cancel func(), r *http.Request, next func()) error {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("the content did not come in: %v", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	cancel()
	time.Sleep(shortStall) // as a server takes that has much to do
	next()
	return nil
}

func cancelAndLoseAnswer(_ *testing.T, cancel func(), _ *http.Request, next func()) error {
	next()
	cancel()
	return errNoAnswer
}
