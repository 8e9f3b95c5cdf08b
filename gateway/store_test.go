package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// What is refused, whatever for and however far it had come, leaves nothing
// behind: no artifact, and no temporary file.
func TestRefusedRequestsStoreNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := dirstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	url := gatewaytest.Start(t, gateway.App{Store: store, MaxArtifactBytes: 1 << 20})
	c := doorstest.Client(t, url)
	upload := func(r io.Reader) func() error {
		return func() error { _, err := c.UploadArtifact(t.Context(), "f", r); return err }
	}
	leaving, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	for name, request := range map[string]func() error{
		"too large, of unknown length": upload(io.LimitReader(zeros{}, 30<<20)),
		"one byte too large":           upload(io.LimitReader(zeros{}, 1<<20+1)),
		"empty":                        upload(strings.NewReader("")),
		"a client that leaves halfway": func() error {
			_, err := c.UploadArtifact(leaving, "f", io.MultiReader(io.LimitReader(zeros{}, 500_000), waiting{leaving}))
			return err
		},
		"a drawing of what is no image": func() error {
			_, err := c.OCR.Overlay(t.Context(), sdkapi.OCROverlayRequest{Image: sdk.Inline([]byte("text"))})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := request(); err == nil {
				t.Errorf("%s: it was accepted", name)
			}
		})
	}
	if _, err := c.UploadArtifact(t.Context(), "f", io.LimitReader(zeros{}, 1<<20)); err != nil {
		t.Errorf("exactly at the limit: %v", err)
	}
	testkit.Eventually(t, "nothing but the file at the limit and its sidecar is left", func() ([]string, bool) {
		files := filesIn(t, dir)
		return files, len(files) == 2
	})
}

// waiting reads nothing until its context ends.
type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return nil // what vanishes meanwhile is not there
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// With S3 and links allowed, a download is sent to the server, and the image
// routes still read through the gateway.
func TestPresignedDownload(t *testing.T) {
	t.Parallel()
	s3 := testkit.S3(t)
	store, err := s3store.Open(t.Context(), s3store.Config{
		Endpoint: s3.Endpoint, Region: s3.Region, Bucket: s3.Bucket, AccessKey: s3.AccessKey, SecretKey: s3.SecretKey,
		SpoolDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	url := gatewaytest.Start(t, gateway.App{Store: store, PresignTTL: time.Minute})
	c := doorstest.Client(t, url)
	stored, err := c.UploadArtifact(t.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		t.Fatal(err)
	}
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := stay.Get(stored.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if link := resp.Header.Get("Location"); resp.StatusCode != http.StatusTemporaryRedirect || !strings.HasPrefix(link, s3.Endpoint) {
		t.Errorf("%s to %s", resp.Status, link)
	}
	r, _, err := c.OpenArtifact(t.Context(), stored.ArtifactID) // follows the link
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err := io.ReadAll(r); err != nil || !bytes.Equal(data, gatewaytest.Card()) {
		t.Errorf("%d bytes through the link, %v", len(data), err)
	}
	if stat, err := c.StatArtifact(t.Context(), stored.ArtifactID); err != nil || stat.SizeBytes != stored.SizeBytes {
		t.Errorf("HEAD: %+v, %v", stat, err)
	}
}

// The memory of an upload and of a download does not grow with their size.
func TestTransfersUseLittleMemory(t *testing.T) {
	url := gatewaytest.Start(t, gateway.App{MaxArtifactBytes: 256 << 20})
	c := doorstest.Client(t, url)
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			stored, err := c.UploadArtifact(b.Context(), "f", io.LimitReader(zeros{}, 100<<20))
			if err != nil {
				b.Fatal(err)
			}
			r, _, err := c.OpenArtifact(b.Context(), stored.ArtifactID)
			if err != nil {
				b.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, r); err != nil || n != 100<<20 {
				b.Fatal(fmt.Errorf("%d bytes, %w", n, err))
			}
			r.Close()
		}
	}).AllocedBytesPerOp()
	if allocated > 16<<20 {
		t.Errorf("%d bytes allocated for 100 MiB in and out", allocated)
	}
}
