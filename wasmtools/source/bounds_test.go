package source_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/windieos/windie/wasmtools/source"
)

// Each file of a package may have as many bytes as its limit says, and not one more.
func TestPartsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 1 << 12 // of a module here
	p := newPlace(t, plain)
	p.cfg.ModuleBytes = most
	for name, tt := range map[string]struct {
		most int
		set  func(*source.Package, []byte)
	}{
		"module":    {most, func(p *source.Package, b []byte) { p.Module = b }},
		"manifest":  {source.MaxManifestBytes, func(p *source.Package, b []byte) { p.Manifest = b }},
		"release":   {source.MaxReleaseBytes, func(p *source.Package, b []byte) { p.Release = b }},
		"signature": {source.MaxSignatureBytes, func(p *source.Package, b []byte) { p.Signature = b }},
		"readme":    {source.MaxReadmeBytes, func(p *source.Package, b []byte) { p.Readme = b }},
		"licence":   {source.MaxLicenceBytes, func(p *source.Package, b []byte) { p.Licence = b }},
		"sbom":      {source.MaxSBOMBytes, func(p *source.Package, b []byte) { p.SBOM = b }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, over := range []int{0, 1} {
				pkg := whole()
				tt.set(pkg, bytes.Repeat([]byte("x"), tt.most+over))
				reference := fmt.Sprintf("oci://%s/%s:%d", p.host, name, over)
				if _, err := p.push(reference, pkg); err != nil {
					t.Fatal(err)
				}
				if _, err := p.fetch(reference); (err == nil) != (over == 0) || over == 1 && !strings.Contains(err.Error(), fmt.Sprintf("has %d bytes; at most %d are allowed", tt.most+1, tt.most)) {
					t.Errorf("%d over: %v", over, err)
				}
			}
		})
	}
}

// An artifact may have MaxLayers layers, and its manifest MaxArtifactBytes bytes.
func TestArtifactsAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain)
	for _, n := range []int{source.MaxLayers, source.MaxLayers + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			layers := []v1.Layer{static.NewLayer(module, "application/wasm")}
			for len(layers) < n {
				layers = append(layers, static.NewLayer([]byte(fmt.Sprint(len(layers))), "application/x-other"))
			}
			image, err := mutate.AppendLayers(empty.Image, layers...)
			if err != nil {
				t.Fatal(err)
			}
			p.write(t, fmt.Sprintf("layers%d", n), image)
			_, err = p.fetch(fmt.Sprintf("oci://%s/layers%d", p.host, n))
			if (err == nil) != (n == source.MaxLayers) || err != nil && !strings.Contains(err.Error(), "65 layers; expected 1 to 64") {
				t.Errorf("%d layers: %v", n, err)
			}
		})
	}
	for _, over := range []int{0, 1} {
		t.Run(fmt.Sprintf("manifest and %d", over), func(t *testing.T) {
			pkg := whole()
			pkg.Annotations["x"] = strings.Repeat("x", source.MaxArtifactBytes-manifestBytes(t, whole())-len(`,"x":""`)+over)
			file := filepath.Join(t.TempDir(), "x.tar")
			if err := os.WriteFile(file, pkg.Archive("1"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := p.fetch(file); (err == nil) != (over == 0) || err != nil && !strings.Contains(err.Error(), "the artifact's manifest has 1048577 bytes") {
				t.Errorf("%d over: %v", over, err)
			}
		})
	}
}

// manifestBytes is the size of the OCI manifest of p: it is the last file of its archive.
func manifestBytes(t *testing.T, p *source.Package) int {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(p.Archive("1")))
	size := 0
	for {
		header, err := r.Next()
		if err != nil {
			return size
		}
		size = int(header.Size)
	}
}

// An image may have MaxEntries files, and hold MaxUnpacked times the largest module.
func TestImagesAreBounded(t *testing.T) {
	t.Parallel()
	const most = 1 << 20 // of a module here
	p := newPlace(t, plain)
	p.cfg.ModuleBytes = most
	many := func(n int) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := 1; i < n; i++ {
			_ = w.WriteHeader(&tar.Header{Name: fmt.Sprint(i), Typeflag: tar.TypeReg})
		}
		_ = w.WriteHeader(&tar.Header{Name: "plugin.wasm", Typeflag: tar.TypeReg, Size: int64(len(module))})
		_, _ = w.Write(module)
		_ = w.Close()
		return b.Bytes()
	}
	filled := func(n int) []byte { // an archive of n bytes
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		_ = w.WriteHeader(&tar.Header{Name: "plugin.wasm", Typeflag: tar.TypeReg, Size: int64(len(module))})
		_, _ = w.Write(module)
		_ = w.Flush()
		rest := n - b.Len() - 512 - 1024
		_ = w.WriteHeader(&tar.Header{Name: "x", Typeflag: tar.TypeReg, Size: int64(rest)})
		_, _ = w.Write(make([]byte, rest))
		_ = w.Close()
		return b.Bytes()
	}
	for _, tt := range []struct {
		name    string
		archive []byte
		want    string
	}{
		{"files", many(source.MaxEntries / 4), ""}, // each takes 512 bytes: all would be over the other limit
		{"bytes", filled(source.MaxUnpacked * most), ""},
		{"bytes too many", filled(source.MaxUnpacked*most + 1024), "the unpacked archive exceeds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			image, err := mutate.AppendLayers(empty.Image, static.NewLayer(gzipped(tt.archive), types.OCILayer))
			if err != nil {
				t.Fatal(err)
			}
			at := strings.ReplaceAll(tt.name, " ", "-")
			p.write(t, at, image)
			if _, err := p.fetch("oci://" + p.host + "/" + at); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	for _, n := range []int{source.MaxEntries, source.MaxEntries + 1} {
		t.Run(fmt.Sprintf("%d files", n), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.tar")
			if err := os.WriteFile(file, many(n), 0o600); err != nil {
				t.Fatal(err)
			}
			want := map[bool]string{true: "not an OCI layout", false: "more than 10000 files"}[n == source.MaxEntries]
			if _, err := p.fetch(file); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// Of the tags of a registry MaxTags are looked at, on however many pages it lists them.
func TestTagsAreBounded(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]int{"all": 0, "one too many": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left, pages := source.MaxTags+more, 0
			p := newPlace(t, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					pages++
					page := slices.Repeat([]string{"1.0"}, min(left, source.MaxTags*3/5))
					if left -= len(page); left > 0 {
						w.Header().Set("Link", `</v2/tools/weather/tags/list?last=1.0>; rel="next"`)
					}
					_ = json.NewEncoder(w).Encode(map[string]any{"name": "tools/weather", "tags": page})
				})
			})
			f := source.New(p.cfg)
			defer f.Close()
			ref, err := source.Parse("oci://" + p.host + "/tools/weather")
			if err != nil {
				t.Fatal(err)
			}
			list, err := f.Tags(t.Context(), ref)
			if err != nil || len(list) != source.MaxTags || pages != 2 {
				t.Errorf("%d tags of %d pages, %v", len(list), pages, err)
			}
		})
	}
}

// Where tags cannot be listed, the error says of which plugin; a file has none.
func TestTagsThatAreNotListed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(http.Handler) http.Handler { return http.NotFoundHandler() })
	f := source.New(p.cfg)
	defer f.Close()
	ref, err := source.Parse("oci://" + p.host + "/tools/weather")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tags(t.Context(), ref); err == nil || !strings.Contains(err.Error(), "fetching the list of tags of oci://"+p.host+"/tools/weather failed") {
		t.Errorf("%v", err)
	}
	if list, err := f.Tags(t.Context(), source.Reference{Path: "/weather.tar"}); err != nil || len(list) > 0 {
		t.Errorf("of a file: %q, %v", list, err)
	}
}
