package s3store_test

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// TestServerWithoutConditions uses a server that does not support If-None-Match, like Backblaze. A
// second Put with the same id must fail there too.
func TestServerWithoutConditions(t *testing.T) {
	t.Parallel()
	refused := 0
	s := open(t, config(between(t, testkit.S3(t), func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Header.Get("If-None-Match") != "" {
			refused++
			w.WriteHeader(http.StatusNotImplemented) // which some say without saying more
			return
		}
		next.ServeHTTP(w, r)
	})))
	for _, id := range []string{"a.png", "b.png"} {
		mustPut(t, s, id, []byte(id))
		_, err := s.Put(t.Context(), id, "image/png", strings.NewReader("second"))
		if fault.CodeOf(err) != sdkapi.Internal {
			t.Errorf("a second Put: %v, want %s", err, sdkapi.Internal)
		}
		if got := mustGet(t, s, id); string(got) != id {
			t.Errorf("the artifact is now %q", got)
		}
	}
	if refused != 1 {
		t.Errorf("the server was asked %d times for what it does not know", refused)
	}
}

// TestServerWithoutMetadata uses a server that drops the metadata of objects. Nobody could find an
// artifact there, so Put must fail and leave nothing.
func TestServerWithoutMetadata(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	s := open(t, config(between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(withoutMetadata{w}, r)
	})))
	for name, put := range map[string]func() error{
		"an artifact": func() error {
			_, err := s.Put(t.Context(), "a.png", "image/png", strings.NewReader("content"))
			return err
		},
		"as doctor tries": func() error { return artifacts.Try(t.Context(), s) },
	} {
		t.Run(name, func(t *testing.T) {
			err := put()
			if f := fault.From(err); f == nil || f.Code != sdkapi.StorageUnavailable || !strings.Contains(f.Message, "drops the metadata") {
				t.Errorf("%v; want %s that is about metadata", err, sdkapi.StorageUnavailable)
			}
		})
	}
	for object := range client(t, server).ListObjects(t.Context(), server.Bucket, minio.ListObjectsOptions{Recursive: true}) {
		t.Errorf("the server still has %s, %v", object.Key, object.Err)
	}
}

// withoutMetadata drops the metadata of objects from a response.
type withoutMetadata struct{ http.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w withoutMetadata) WriteHeader(status int) {
	for name := range w.Header() {
		if strings.HasPrefix(name, "X-Amz-Meta-") {
			w.Header().Del(name)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// TestPutHeaders checks the headers with which the server verifies an upload.
func TestPutHeaders(t *testing.T) {
	t.Parallel()
	var put http.Header
	s := open(t, config(fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			artifactHeader(w.Header())
			return
		}
		put = r.Header.Clone()
	})))
	info := mustPut(t, s, "a.png", []byte("content"))
	for name, want := range map[string]string{
		"If-None-Match": "*", "X-Amz-Content-Sha256": info.SHA256, "X-Amz-Meta-Sha256": info.SHA256, "Content-Length": "7",
	} {
		t.Run(name, func(t *testing.T) {
			if got := put.Get(name); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		})
	}
}

// TestRefusedUpload uses a server that refuses a large upload by its header. If the content were
// sent anyway, the reason could get lost.
func TestRefusedUpload(t *testing.T) {
	t.Parallel()
	s := open(t, config(raw(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		time.Sleep(50 * time.Millisecond) // in which a client that does not wait would begin
		_, _ = io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 40\r\nConnection: close\r\n\r\n<Error><Code>AccessDenied</Code></Error>")
		if n, _ := io.Copy(io.Discard, in); n > 0 {
			t.Errorf("after its answer the server was sent %d bytes", n)
		}
	})))
	_, err := s.Put(t.Context(), "a.png", "image/png", io.LimitReader(zeros{}, 32<<20))
	if f := fault.From(err); f == nil || f.Code != sdkapi.StorageUnavailable || !strings.Contains(f.Message, "keys") {
		t.Errorf("Put: %v; want %s that is about keys", err, sdkapi.StorageUnavailable)
	}
}

// TestIgnoredRange uses a server that returns the whole object for a range. The gateway would
// return the wrong bytes.
func TestIgnoredRange(t *testing.T) {
	t.Parallel()
	s := open(t, config(fake(t, func(w http.ResponseWriter, _ *http.Request) {
		artifactHeader(w.Header())
		_, _ = io.WriteString(w, "content")
	})))
	r, _, err := s.Get(t.Context(), "a.png", 3, 2)
	if fault.CodeOf(err) != sdkapi.StorageUnavailable {
		t.Errorf("Get: %v, want %s", err, sdkapi.StorageUnavailable)
	}
	if r != nil {
		_ = r.Close()
	}
}

// TestCutDownload uses a server that breaks the connection in the middle of an artifact. The
// content must not look complete.
func TestCutDownload(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	mustPut(t, open(t, config(server)), "a.png", bytes.Repeat([]byte("x"), 1<<20))
	s := open(t, config(between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&stalling{ResponseWriter: w, left: artifacts.PieceSize + 1000}, r)
	})))
	got, err := get(t.Context(), s, "a.png")
	if fault.CodeOf(err) != sdkapi.StorageUnavailable || len(got) != artifacts.PieceSize {
		t.Errorf("after %d bytes: %v; want %s", len(got), err, sdkapi.StorageUnavailable)
	}
}

// fake starts a server that responds with answer.
func fake(t *testing.T, answer http.HandlerFunc) testkit.S3Server {
	t.Helper()
	front := httptest.NewUnstartedServer(answer)
	front.Listener = smallBuffers{front.Listener}
	front.Start()
	t.Cleanup(front.Close)
	server := nowhere
	server.Endpoint = front.URL
	return server
}

// artifactHeader returns the headers of an object that Put has created.
func artifactHeader(h http.Header) {
	now := time.Now().UTC()
	h.Set("Last-Modified", now.Format(http.TimeFormat))
	h.Set("X-Amz-Meta-Sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") // of nothing
	h.Set("X-Amz-Meta-Created", now.Format(time.RFC3339))
}

// TestHeadWithoutLength uses a server whose responses to HEAD have no length, as behind some
// proxies. The store must use GET.
func TestHeadWithoutLength(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	s := open(t, config(between(t, server, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		answer.Header().Del("Content-Length")
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
	})))
	for id, data := range map[string][]byte{"a.png": []byte("picture"), "none.png": nil} {
		put, err := s.Put(t.Context(), id, "image/png", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Stat(t.Context(), id); err != nil || got != put {
			t.Errorf("Stat: %+v, %v; put %+v", got, err, put)
		}
		if got := mustGet(t, s, id); !bytes.Equal(got, data) {
			t.Errorf("Get: %q", got)
		}
	}
	wantMissing(t, s, "b.png")
}
