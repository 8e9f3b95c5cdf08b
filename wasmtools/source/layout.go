package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"archive/tar"
)

// layout is an OCI layout: index.json, and blobs by their digests.
type layout struct {
	name  string // for people
	index func() ([]byte, error)
	blob  func(hex string) (io.ReadCloser, error)
}

var _ place = layout{}

// errNoTag is the error for a tag that a layout does not have.
var errNoTag = errors.New("there is no such version")

// layoutAnnotation names the tag of an artifact in a layout.
const layoutAnnotation = ocispec.AnnotationRefName

func (l layout) readIndex() (index ocispec.Index, err error) {
	raw, err := l.index()
	if err == nil {
		err = json.Unmarshal(raw, &index)
	}
	if err != nil {
		return index, refuse("%s is not an OCI layout: its index.json cannot be read", l.name).Because(err)
	}
	return index, nil
}

func (l layout) resolve(ctx context.Context, tag string) (ocispec.Descriptor, error) {
	index, err := l.readIndex()
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	fits := func(d ocispec.Descriptor) bool {
		return d.Annotations[layoutAnnotation] == tag || d.Digest.String() == tag
	}
	if tag == "" && len(index.Manifests) == 1 {
		return index.Manifests[0], nil
	}
	if i := slices.IndexFunc(index.Manifests, fits); i >= 0 {
		return index.Manifests[i], nil
	}
	return ocispec.Descriptor{}, noTag(ctx, l, l.name, tag, errNoTag)
}

func (l layout) tags(context.Context) (list []string, err error) {
	index, err := l.readIndex()
	for _, d := range index.Manifests {
		if tag := d.Annotations[layoutAnnotation]; tag != "" && len(list) < MaxTags {
			list = append(list, tag)
		}
	}
	return list, err
}

func (l layout) open(_ context.Context, of ocispec.Descriptor) (io.ReadCloser, error) {
	return l.blob(of.Digest.Encoded())
}

// folderLayout is a layout in a folder. Links do not lead out of it. The caller closes the root.
func folderLayout(root *os.Root, name string) layout {
	return layout{
		name:  name,
		index: func() ([]byte, error) { return readIn(root, "index.json", MaxArtifactBytes) },
		blob:  func(hex string) (io.ReadCloser, error) { return root.Open("blobs/sha256/" + hex) },
	}
}

// readIn reads a file of a folder, of at most most bytes.
func readIn(root *os.Root, name string, most int64) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readMost(file, path.Base(name), most)
}

// archiveLayout is a layout in a tar archive. All of it is in memory.
func archiveLayout(archive []byte, name string, most int64) (layout, error) {
	files := map[string][]byte{}
	limited := &limitedReader{from: bytes.NewReader(archive), left: int64(len(archive)) + 1}
	err := eachFile(limited, most, func(name string, body func() ([]byte, error)) error {
		if _, twice := files[name]; twice {
			return refuse("the archive has two files %.200q; make it again with: windie plugin pack", name)
		}
		b, err := body()
		files[name] = b
		return err
	})
	if err != nil {
		return layout{}, err
	}
	get := func(name string) ([]byte, error) {
		if b, ok := files[name]; ok {
			return b, nil
		}
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return layout{
		name:  name,
		index: func() ([]byte, error) { return get("index.json") },
		blob: func(hex string) (io.ReadCloser, error) {
			b, err := get("blobs/sha256/" + hex)
			return io.NopCloser(bytes.NewReader(b)), err
		},
	}, nil
}

// Archive returns p as an OCI layout in a tar archive, with tag as its version. The same package and
// tag give the same bytes. It sets p.Digest.
func (p *Package) Archive(tag string) []byte {
	blobs, manifest := p.encode()
	p.Digest = manifest.Digest.String()
	head := manifest.Descriptor
	head.Annotations = map[string]string{layoutAnnotation: tag}
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	put := func(name string, content []byte) {
		err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Format: tar.FormatUSTAR})
		if err == nil {
			_, err = t.Write(content)
		}
		if err != nil {
			panic(err) // it is written to memory, and names are short
		}
	}
	put(ocispec.ImageLayoutFile, marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion}))
	put("index.json", marshal(map[string]any{"schemaVersion": 2, "mediaType": ocispec.MediaTypeImageIndex, "manifests": []ocispec.Descriptor{head}}))
	for _, b := range append(blobs, manifest) {
		put("blobs/sha256/"+b.Digest.Encoded(), b.content)
	}
	if err := t.Close(); err != nil {
		panic(err) // likewise
	}
	return out.Bytes()
}
