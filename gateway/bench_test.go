package gateway_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// fiveMB is an artifact's content that does not compress.
func fiveMB() []byte {
	data := make([]byte, 5_000_000)
	source := rand.NewChaCha8([32]byte{})
	_, _ = source.Read(data) // it cannot fail
	return data
}

func benchStores(b *testing.B, run func(*testing.B, artifacts.Store)) {
	b.Run("dir", func(b *testing.B) {
		store, err := dirstore.Open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		run(b, store)
	})
	b.Run("s3", func(b *testing.B) {
		s3 := testkit.S3(b)
		store, err := s3store.Open(b.Context(), s3store.Config{
			Endpoint: s3.Endpoint, Bucket: s3.Bucket, AccessKey: s3.AccessKey, SecretKey: s3.SecretKey,
			CreateBucket: true, SpoolDir: b.TempDir(),
		})
		if err != nil {
			b.Fatal(err)
		}
		run(b, store)
	})
}

// How much of the bare store's throughput the gateway reaches with an upload
// and a download of 5 MB. A bare download is a copy in memory, for a folder,
// and one socket, for S3, where the gateway's needs a socket more.
func BenchmarkRoundTrip(b *testing.B) {
	benchStores(b, func(b *testing.B, store artifacts.Store) {
		data, buffer := fiveMB(), make([]byte, 5_000_000)
		c := benchClient(b, store)
		var up, down doorstest.Stopwatch
		for b.Loop() {
			id, contentType := artifacts.Sniff(data)
			up.Race(b, func() error {
				_, err := store.Put(b.Context(), id, contentType, bytes.NewReader(data))
				return err
			}, func() error {
				_, err := c.UploadArtifact(b.Context(), "f", bytes.NewReader(data))
				return err
			})
			down.Race(b, func() error {
				r, _, err := store.Get(b.Context(), id, 0, -1)
				return readInto(buffer, r, err)
			}, func() error {
				r, _, err := c.OpenArtifact(b.Context(), id)
				return readInto(buffer, r, err)
			})
		}
		both := doorstest.Stopwatch{Bare: up.Bare + down.Bare, Through: up.Through + down.Through}
		b.ReportMetric(both.OfBare(), "of-bare")
		b.ReportMetric(up.OfBare(), "of-bare-up")
		b.ReportMetric(down.OfBare(), "of-bare-down")
		b.ReportMetric(5*float64(b.N)/up.Through.Seconds(), "MB/s-up")
		b.ReportMetric(5*float64(b.N)/down.Through.Seconds(), "MB/s-down")
	})
}

func readInto(buffer []byte, r io.ReadCloser, err error) error {
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.ReadFull(r, buffer)
	return err
}

func benchClient(b *testing.B, store artifacts.Store) *sdk.Client {
	c, err := sdk.New(gatewaytest.Start(b, gateway.App{Store: store}))
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// How long ocr/run of a screen that is known takes, and how much of that is
// added to looking into the cache: the request, the store's word that the
// artifact is there, and 120 rows of JSON. What a client makes of them is its
// own affair.
func BenchmarkCachedRun(b *testing.B) {
	scenes := perception.NewScenes(doorstest.FullEngine{}, perception.Options{})
	url := gatewaytest.Start(b, gateway.App{Scenes: scenes})
	c, err := sdk.New(url)
	if err != nil {
		b.Fatal(err)
	}
	stored, err := c.UploadArtifact(b.Context(), "card.png", bytes.NewReader(gatewaytest.Card()))
	if err != nil {
		b.Fatal(err)
	}
	ask := func() error {
		resp, err := http.Post(url+sdkapi.OCRRunPath, "application/json", strings.NewReader(`{"image":{"artifact_id":"`+stored.ArtifactID+`"}}`))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	src := perception.SourceOf(gatewaytest.Card())
	var cache, request time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := scenes.Scene(b.Context(), src); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if err := ask(); err != nil {
			b.Fatal(err)
		}
		cache += middle.Sub(start)
		request += time.Since(middle)
	}
	b.ReportMetric((request-cache).Seconds()*1e3/float64(b.N), "ms-added")
}
