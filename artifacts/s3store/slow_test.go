//go:build system

package s3store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// TestSlowServer uses a server that needs more than the stall limit in total, but less for each
// piece.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	const pieces, piece, pause, stall = 8, 1 << 20, 150 * time.Millisecond, longerStall
	const rest = pieces * piece // more than waits in the system's buffers when the pauses are over
	sum := sha256.Sum256(make([]byte, pieces*piece+rest))
	cfg := config(fake(t, func(w http.ResponseWriter, r *http.Request) {
		pass := func(n int64) { _, _ = io.CopyN(io.Discard, r.Body, n) }
		if r.Method == http.MethodGet {
			artifactHeader(w.Header())
			w.Header().Set("X-Amz-Meta-Sha256", hex.EncodeToString(sum[:]))
			w.Header().Set("Content-Length", strconv.Itoa(pieces*piece+rest))
			pass = func(n int64) {
				_, _ = io.CopyN(w, zeros{}, n)
				_ = http.NewResponseController(w).Flush()
			}
		}
		for range pieces {
			pass(piece)
			time.Sleep(pause)
		}
		pass(rest)
	}))
	cfg.StallLimit = stall
	s := open(t, cfg)
	began := time.Now()
	mustPut(t, s, "a.png", make([]byte, pieces*piece+rest))
	if took := time.Since(began); took < stall {
		t.Errorf("Put took %v, too little to tell anything", took)
	}
	began = time.Now()
	if got := mustGet(t, s, "a.png"); len(got) != pieces*piece+rest {
		t.Errorf("Get yields %d bytes of %d", len(got), pieces*piece+rest)
	}
	if took := time.Since(began); took < stall {
		t.Errorf("Get took %v, too little to tell anything", took)
	}
}

// TestSlowReader reads an artifact more slowly than the stall limit. That must not count as a stall
// of the server.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	cfg := config(testkit.S3(t))
	cfg.StallLimit = longerStall
	s := open(t, cfg)
	mustPut(t, s, "a.png", make([]byte, 16<<20))
	r, info, err := s.Get(t.Context(), "a.png", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := io.ReadFull(r, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(longerStall * 5 / 4)
	if n, err := io.Copy(io.Discard, r); n != info.Size-1<<20 || err != nil {
		t.Errorf("read %d more bytes, then %v", n, err)
	}
}

// TestLostAnswers breaks the connection of every upload, so that the store must find the reason for
// the refusal in another way.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	mustPut(t, open(t, config(server)), "a.png", []byte("first"))
	noBucket := server
	noBucket.Bucket = "no-such-bucket"
	for _, c := range []struct {
		server testkit.S3Server
		code   sdkapi.Code
		says   string
	}{
		{server, sdkapi.Internal, "already"},
		{noBucket, sdkapi.StorageUnavailable, "does not exist"},
	} {
		t.Run(c.says, func(t *testing.T) {
			s := open(t, config(between(t, c.server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if r.Method == http.MethodPut {
					cutMidway(w, r)
				}
				next.ServeHTTP(w, r)
			})))
			_, err := s.Put(t.Context(), "a.png", "image/png", strings.NewReader("second"))
			if f := fault.From(err); f == nil || f.Code != c.code || !strings.Contains(f.Message, c.says) {
				t.Errorf("Put: %v; want %s that says %q", err, c.code, c.says)
			}
		})
	}
	if got := mustGet(t, open(t, config(server)), "a.png"); string(got) != "first" {
		t.Errorf("the artifact is now %q", got)
	}
}
