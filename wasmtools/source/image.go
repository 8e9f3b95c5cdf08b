package source

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// isImage reports whether a layer belongs to a container image: a tar archive.
func isImage(media string) bool {
	return strings.HasPrefix(media, "application/vnd.oci.image.layer.v1.tar") || strings.HasPrefix(media, "application/vnd.docker.image.rootfs.")
}

// imageModule is the module's file name in images, as hyper-mcp uses it.
const imageModule = "plugin.wasm"

// images finds the module in the layers of an image: the file plugin.wasm, or else the only .wasm.
// Later layers win.
func (r reader) images(ctx context.Context, p *Package, layers []ocispec.Descriptor) error {
	left := MaxUnpacked * r.most // bytes left for all layers
	found := map[string][]byte{}
	for _, layer := range layers {
		raw, err := r.read(ctx, layer, "the layer with the module", r.most)
		if err != nil {
			return err
		}
		content, err := unpacked(raw)
		if err != nil {
			return refuse("unpacking a layer of the image failed: %s", short(err)).Because(err)
		}
		limited := &limitedReader{from: content, left: left}
		err = eachFile(limited, r.most, func(name string, body func() ([]byte, error)) error {
			if path.Ext(name) != ".wasm" {
				return nil
			}
			b, err := body()
			found[name] = b
			return err
		})
		if left = limited.left; err != nil {
			return err
		}
	}
	if module := found[imageModule]; module != nil {
		p.Module = module
		return nil
	}
	if len(found) != 1 {
		return refuse("the image contains %d .wasm files, and no %s; publish it with one .wasm file", len(found), imageModule)
	}
	for _, module := range found {
		p.Module = module
	}
	return nil
}

// unpacked decompresses a layer. It looks at the first bytes, because media types are often wrong.
func unpacked(raw []byte) (io.Reader, error) {
	switch {
	case bytes.HasPrefix(raw, []byte{0x1f, 0x8b}):
		return gzip.NewReader(bytes.NewReader(raw))
	case bytes.HasPrefix(raw, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		d, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return bytes.NewReader(raw), nil
}

// errUnpacked is the error of an archive with too many bytes.
var errUnpacked = errors.New("the archive has too many bytes")

// limitedReader fails after a number of bytes, which is in left.
type limitedReader struct {
	from io.Reader
	left int64
}

// Read reads from the inner reader. l.left is the number of bytes that may still be read. When it is
// 0, each Read fails with errUnpacked, even at the end of the data. So its first value must be
// larger than the size of a complete input.
func (l *limitedReader) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errUnpacked
	}
	n, err := l.from.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

// eachFile calls see for each plain file of a tar archive, with its clean path without a leading
// slash. It skips links, devices and names that lead out of the archive. It writes nothing to a disk. body returns
// the content, of at most limit bytes.
func eachFile(archive io.Reader, limit int64, see func(name string, body func() ([]byte, error)) error) error {
	t := tar.NewReader(archive)
	for n := 0; ; n++ {
		header, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errUnpacked):
			return tooLarge()
		case err != nil:
			return refuse("the archive is damaged or not a tar archive: %s", short(err)).Because(err)
		case n >= MaxEntries:
			return refuse("the archive has more than %d files; publish an archive with only the plugin", MaxEntries)
		case header.Typeflag != tar.TypeReg || !local(header.Name):
			continue
		}
		err = see(strings.TrimPrefix(path.Clean(header.Name), "/"), func() ([]byte, error) {
			if header.Size > limit {
				return nil, fault.New("source.Fetch", sdkapi.PayloadTooLarge, "the archive's file %.200q has %d bytes; at most %d are allowed; publish a smaller file", header.Name, header.Size, limit)
			}
			b, err := io.ReadAll(io.LimitReader(t, limit+1))
			if errors.Is(err, errUnpacked) || int64(len(b)) > limit {
				return nil, tooLarge()
			}
			if err != nil {
				return nil, refuse("the archive is damaged: %s", short(err)).Because(err)
			}
			return b, nil
		})
		if err != nil {
			return err
		}
	}
}

// tooLarge returns the error for an archive whose unpacked content exceeds its limit.
func tooLarge() error {
	return fault.New("source.Fetch", sdkapi.PayloadTooLarge, "the unpacked archive exceeds the size limit of a plugin; publish an archive with only the plugin")
}

// local reports whether a name stays inside the archive.
func local(name string) bool {
	clean := path.Clean(name)
	return clean != ".." && !strings.HasPrefix(clean, "../") && !strings.Contains(name, "\\") && !strings.Contains(name, "/../")
}
