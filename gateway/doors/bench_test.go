package doors_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
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
			PathStyle: true, CreateBucket: true, SpoolDir: b.TempDir(),
		})
		if err != nil {
			b.Fatal(err)
		}
		run(b, store)
	})
}

// stopwatch adds up what the two ways of doing the same thing take.
type stopwatch struct {
	bare, through       time.Duration
	bareCPU, throughCPU time.Duration // of this process, on all cores together
	rounds              [2][]float64  // the latter, of each round
}

// race runs both ways, one after the other, so that a machine whose speed
// drifts is fair to both.
func (s *stopwatch) race(b *testing.B, bare, through func() error) {
	start, used := time.Now(), ownTime()
	if err := bare(); err != nil {
		b.Fatal(err)
	}
	middle, usedThen := time.Now(), ownTime()
	if err := through(); err != nil {
		b.Fatal(err)
	}
	s.bare += middle.Sub(start)
	s.through += time.Since(middle)
	ofBare, ofThrough := usedThen-used, ownTime()-usedThen
	s.bareCPU += ofBare
	s.throughCPU += ofThrough
	s.rounds[0], s.rounds[1] = append(s.rounds[0], ofBare.Seconds()), append(s.rounds[1], ofThrough.Seconds())
}

// ofBareRounds is ofBareCPU by the rounds that computed least, and by the middle ones.
func (s *stopwatch) ofBareRounds() (least, middle float64) {
	for i := range s.rounds {
		slices.Sort(s.rounds[i])
	}
	ratio := func(at int) float64 { return s.rounds[0][at] / max(s.rounds[1][at], 1e-9) }
	return ratio(0), ratio(len(s.rounds[0]) / 2)
}

func (s *stopwatch) ofBare() float64 { return s.bare.Seconds() / s.through.Seconds() }

// ofBareCPU is ofBare by the time that this process computed: of use where other programs keep the cores busy, and where both
// ways do. It is 0 on systems that do not say.
func (s *stopwatch) ofBareCPU() float64 {
	if s.throughCPU == 0 {
		return 0
	}
	return s.bareCPU.Seconds() / s.throughCPU.Seconds()
}

// How much of the bare store's throughput the gateway reaches with an upload
// and a download of 5 MB. A bare download is a copy in memory, for a folder,
// and one socket, for S3, where the gateway's needs a socket more.
func BenchmarkRoundTrip(b *testing.B) {
	benchStores(b, func(b *testing.B, store artifacts.Store) {
		data, buffer := fiveMB(), make([]byte, 5_000_000)
		c := benchClient(b, store)
		var up, down stopwatch
		for b.Loop() {
			id, contentType := artifacts.Sniff(data)
			up.race(b, func() error {
				_, err := store.Put(b.Context(), id, contentType, bytes.NewReader(data))
				return err
			}, func() error {
				_, err := c.UploadArtifact(b.Context(), "f", bytes.NewReader(data))
				return err
			})
			down.race(b, func() error {
				r, _, err := store.Get(b.Context(), id, 0, -1)
				return readInto(buffer, r, err)
			}, func() error {
				r, _, err := c.OpenArtifact(b.Context(), id)
				return readInto(buffer, r, err)
			})
		}
		both := stopwatch{bare: up.bare + down.bare, through: up.through + down.through}
		b.ReportMetric(both.ofBare(), "of-bare")
		b.ReportMetric(up.ofBare(), "of-bare-up")
		b.ReportMetric(down.ofBare(), "of-bare-down")
		b.ReportMetric(5*float64(b.N)/up.through.Seconds(), "MB/s-up")
		b.ReportMetric(5*float64(b.N)/down.through.Seconds(), "MB/s-down")
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
	c, err := sdk.New(gatewaytest.Start(b, gateway.Config{Store: store}))
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
	scenes := perception.NewScenes(fullEngine{}, perception.Options{})
	url := gatewaytest.Start(b, gateway.Config{Scenes: scenes})
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

// fullEngine finds as many rows as a busy screen has.
type fullEngine struct{}

func (fullEngine) Name() string                { return "full" }
func (fullEngine) Ready(context.Context) error { return nil }
func (fullEngine) Read(context.Context, perception.Screen, sdkapi.Reading) ([]perception.Row, error) {
	rows := make([]perception.Row, 120)
	for i := range rows {
		box := image.Rect(10, 20*i, 200, 20*i+16)
		rows[i] = perception.Row{Text: fmt.Sprintf("Row number %d", i), Confidence: 0.96, Box: box}
		for _, text := range strings.Fields(rows[i].Text) {
			rows[i].Words = append(rows[i].Words, perception.Word{Text: text, Confidence: 0.96, Box: box})
		}
	}
	return rows, nil
}
