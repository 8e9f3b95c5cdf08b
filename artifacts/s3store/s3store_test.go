package s3store_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"go.uber.org/goleak"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// TestMain lets more tests run at once than there are processors, because they mostly wait. A
// -parallel on the command line overrides this number.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "6")
	goleak.VerifyTestMain(m)
}

// TestStore is not parallel, because the suite measures the memory in use.
func TestStore(t *testing.T) {
	server := testkit.S3(t)
	storetest.Run(t, func(t *testing.T) artifacts.Store {
		cfg := config(server)
		cfg.Prefix = strings.ToLower(t.Name())
		cfg.SpoolDir = t.TempDir()
		return open(t, cfg)
	})
}

func BenchmarkStore(b *testing.B) {
	server := testkit.S3(b)
	storetest.Benchmark(b, func(b *testing.B) artifacts.Store { return open(b, config(server)) })
}

// TestObject reads an object of a Put with another client.
func TestObject(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	cfg := config(server)
	cfg.Prefix = "some/folder"
	put := mustPut(t, open(t, cfg), "a.png", []byte("content"))
	object, err := client(t, server).StatObject(t.Context(), server.Bucket, "some/folder/a.png", minio.StatObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if object.ContentType != "image/png" || object.Size != 7 || object.UserMetadata["Sha256"] != put.SHA256 {
		t.Errorf("the object is %+v, want what Put returned: %+v", object, put)
	}
}

// TestForeignObject checks that an object that no Put has created is not an artifact, because it
// has no SHA-256.
func TestForeignObject(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	if _, err := client(t, server).PutObject(t.Context(), server.Bucket, "foreign.txt", strings.NewReader("x"), 1, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	s := open(t, config(server))
	wantMissing(t, s, "foreign.txt")
	if _, err := s.Put(t.Context(), "foreign.txt", "image/png", strings.NewReader("mine")); fault.CodeOf(err) != sdkapi.Internal {
		t.Errorf("Put over a foreign object: %v", err)
	}
}

// TestSpoolDir checks that Puts leave no files in the spool folder.
func TestSpoolDir(t *testing.T) {
	t.Parallel()
	server := testkit.S3(t)
	cfg := config(server)
	cfg.SpoolDir = t.TempDir() + "/made/if/need/be"
	s := open(t, cfg)
	mustPut(t, s, "good.png", []byte("good"))
	_, _ = s.Put(t.Context(), "good.png", "image/png", strings.NewReader("second"))
	_, _ = s.Put(t.Context(), "bad.png", "image/png", io.MultiReader(strings.NewReader("bad"), brokenReader{}))
	if left, err := os.ReadDir(cfg.SpoolDir); err != nil || len(left) > 0 {
		t.Errorf("in the spool folder there is %v, %v", left, err)
	}
	if err := os.Remove(cfg.SpoolDir); err != nil {
		t.Fatal(err)
	}
	_, err := s.Put(t.Context(), "late.png", "image/png", strings.NewReader("late"))
	if fault.CodeOf(err) != sdkapi.StorageUnavailable {
		t.Errorf("Put without a spool folder: %v", err)
	}
}

// TestPresign downloads the content of a link, like a browser.
func TestPresign(t *testing.T) {
	t.Parallel()
	s := open(t, config(testkit.S3(t)))
	data := bytes.Repeat([]byte("linked "), 10_000)
	mustPut(t, s, "linked.png", data)
	link, err := s.Presign(t.Context(), "linked.png", `attachment; filename="my screen.png"`, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	resp, got := fetch(t, link)
	if resp.StatusCode != http.StatusOK || !bytes.Equal(got, data) {
		t.Errorf("the link is answered with %s and %d bytes", resp.Status, len(got))
	}
	if got := resp.Header.Get("Content-Disposition"); got != `attachment; filename="my screen.png"` {
		t.Errorf("Content-Disposition: %s", got)
	}
	if got := resp.Header.Get("Content-Type"); got != "image/png" {
		t.Errorf("Content-Type: %s", got)
	}
	if resp, _ := fetch(t, strings.Replace(link, "linked.png", "other.png", 1)); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a link changed by hand is answered with %s", resp.Status)
	}
}

// TestRegionIsAskedFor opens a store without a region. Links must request the region from the
// server too.
func TestRegionIsAskedFor(t *testing.T) {
	t.Parallel()
	cfg := config(testkit.S3(t))
	cfg.Region = ""
	mustPut(t, open(t, cfg), "a.png", []byte("content"))
	link, err := open(t, cfg).Presign(t.Context(), "a.png", "inline", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if resp, got := fetch(t, link); string(got) != "content" {
		t.Errorf("the link is answered with %s and %q", resp.Status, got)
	}
}

func TestPresignRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, config(nowhere))
	for _, c := range []struct {
		id   string
		ttl  time.Duration
		want sdkapi.Code
	}{
		{"a.png", time.Second, ""},
		{"a.png", 7 * 24 * time.Hour, ""},
		{"a.png", time.Second - 1, sdkapi.Internal},
		{"a.png", 7*24*time.Hour + 1, sdkapi.Internal},
		{"../a.png", time.Minute, sdkapi.ArtifactNotFound},
	} {
		t.Run(fmt.Sprint(c.ttl), func(t *testing.T) {
			link, err := s.Presign(t.Context(), c.id, "inline", c.ttl)
			if fault.CodeOf(err) != c.want || (link == "") != (c.want != "") {
				t.Errorf("Presign(%q, %v) = %q, %v; want %q", c.id, c.ttl, link, err, c.want)
			}
		})
	}
}

// nowhere is the address of a server that does not exist.
var nowhere = testkit.S3Server{Endpoint: "http://127.0.0.1:1", Region: "us-east-1", Bucket: "windie-test", AccessKey: "some-access", SecretKey: "some-secret"}

// config returns the Config of a store on server.
func config(server testkit.S3Server) s3store.Config {
	return s3store.Config{
		Endpoint: server.Endpoint, Region: server.Region, Bucket: server.Bucket,
		AccessKey: server.AccessKey, SecretKey: server.SecretKey,
	}
}

func open(t testing.TB, cfg s3store.Config) *s3store.Store {
	t.Helper()
	s, err := s3store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// client returns an S3 client that knows nothing about artifacts.
func client(t *testing.T, server testkit.S3Server) *minio.Client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	c, err := minio.New(strings.TrimPrefix(server.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, ""), Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustPut(t *testing.T, s artifacts.Store, id string, data []byte) artifacts.Info {
	t.Helper()
	info, err := s.Put(t.Context(), id, "image/png", bytes.NewReader(data))
	if err != nil {
		t.Fatalf("Put of %s: %v", id, err)
	}
	return info
}

func mustGet(t *testing.T, s artifacts.Store, id string) []byte {
	t.Helper()
	data, err := get(t.Context(), s, id)
	if err != nil {
		t.Fatalf("Get of %s: %v", id, err)
	}
	return data
}

func get(ctx context.Context, s artifacts.Store, id string) ([]byte, error) {
	r, _, err := s.Get(ctx, id, 0, -1)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(r)
}

// wantMissing fails unless the artifact is missing.
func wantMissing(t *testing.T, s artifacts.Store, id string) {
	t.Helper()
	if info, err := s.Stat(t.Context(), id); fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		t.Errorf("Stat of %s: %+v, %v; want %s", id, info, err, sdkapi.ArtifactNotFound)
	}
	if data, err := get(t.Context(), s, id); fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		t.Errorf("Get of %s: %d bytes, %v; want %s", id, len(data), err, sdkapi.ArtifactNotFound)
	}
}

func fetch(t *testing.T, link string) (*http.Response, []byte) {
	t.Helper()
	browser := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := browser.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, data
}

// brokenReader is a reader that fails after its first bytes.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestDamage uses a server that returns a wrong byte of an artifact, once with piece checksums and
// once without.
func TestDamage(t *testing.T) {
	t.Parallel()
	const size, at = 1_000_000, 600_000
	server := testkit.S3(t)
	text := bytes.Repeat([]byte("0123456789"), size/10)
	wrong := bytes.Clone(text)
	wrong[at] ^= 1
	put := mustPut(t, open(t, config(server)), "a.png", text)
	object, err := client(t, server).StatObject(t.Context(), server.Bucket, "a.png", minio.StatObjectOptions{})
	if err != nil || object.UserMetadata["Pieces"] == "" {
		t.Fatalf("%v, %v", object.UserMetadata, err)
	}
	for name, sums := range map[string]bool{"with-sums.png": true, "without.png": false} {
		t.Run(name, func(t *testing.T) {
			meta := map[string]string{"Sha256": put.SHA256, "Created": object.UserMetadata["Created"]}
			if sums {
				meta["Pieces"] = object.UserMetadata["Pieces"]
			}
			_, err := client(t, server).PutObject(t.Context(), server.Bucket, name, bytes.NewReader(wrong), size, minio.PutObjectOptions{UserMetadata: meta})
			if err != nil {
				t.Fatal(err)
			}
			s := open(t, config(server))
			for _, part := range []struct {
				offset, length int64
				fine           bool
			}{{0, -1, false}, {at, 4, false}, {0, 1000, sums}, {artifacts.PieceSize + 1, 7, sums}, {size - 1000, -1, sums}} {
				t.Run(fmt.Sprint(part.offset, " ", part.length), func(t *testing.T) {
					r, _, err := s.Get(t.Context(), name, part.offset, part.length)
					var got []byte
					if err == nil {
						got, err = io.ReadAll(r)
						_ = r.Close()
					}
					if (err == nil) != part.fine || err != nil && fault.CodeOf(err) != sdkapi.ArtifactDamaged {
						t.Errorf("Get: %v", err)
					}
					// Without sums only the last piece is withheld.
					if sums && !bytes.HasPrefix(text[part.offset:], got) || len(got) == size {
						t.Error("wrong bytes were handed out")
					}
				})
			}
		})
	}
}
