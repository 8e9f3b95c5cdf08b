package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// unchecked hands out files as they are, which the kernel sends.
type unchecked struct{ *dirstore.Store }

// Get implements artifacts.Store, for whole artifacts.
func (u unchecked) Get(ctx context.Context, id string, _, _ int64) (io.ReadCloser, artifacts.Info, error) {
	info, err := u.Stat(ctx, id)
	if err != nil {
		return nil, info, err
	}
	data, _ := u.Files(id)
	file, err := os.Open(data)
	return file, info, err
}

// BenchmarkDownload compares downloads of artifacts in a folder, compared with their sums, to those
// of plain files.
func BenchmarkDownload(b *testing.B) {
	store, err := dirstore.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for name, store := range map[string]artifacts.Store{"checked": store, "unchecked": unchecked{store}} {
		url := gatewaytest.Start(b, gateway.App{Store: store, Scenes: perception.NewScenes(doorstest.FullEngine{}, perception.Options{})})
		for _, size := range []int{1 << 10, 1 << 20, 25 << 20} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				id := fmt.Sprintf("%s%d.bin", name, size)
				if _, err := store.Stat(b.Context(), id); err != nil {
					if _, err = store.Put(b.Context(), id, "application/octet-stream", bytes.NewReader(make([]byte, size))); err != nil {
						b.Fatal(err)
					}
				}
				b.SetBytes(int64(size))
				for b.Loop() {
					resp, err := http.Get(url + sdkapi.ArtifactsPath + id)
					if err != nil {
						b.Fatal(err)
					}
					if n, err := io.Copy(io.Discard, resp.Body); n != int64(size) || err != nil {
						b.Fatal(n, err)
					}
					_ = resp.Body.Close()
				}
			})
		}
	}
}
