package source

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// archiveEnding is the file name extension of an archive.
const archiveEnding = ".tar"

// archive is an OCI layout in a tar archive: index.json, and blobs by digest. All of it is in
// memory.
type archive struct {
	name  string // for people
	files map[string][]byte
}

var _ place = archive{}

// openArchive reads an archive into memory. Each of its files may have at most limit bytes.
func openArchive(raw []byte, name string, limit int64) (archive, error) {
	a := archive{name, map[string][]byte{}}
	limited := &limitedReader{from: bytes.NewReader(raw), left: int64(len(raw)) + 1}
	return a, eachFile(limited, limit, func(name string, body func() ([]byte, error)) error {
		if _, twice := a.files[name]; twice {
			return refuse("the archive contains the file %.200q twice; create it again with: windie plugin pack", name)
		}
		b, err := body()
		a.files[name] = b
		return err
	})
}

// resolve returns the descriptor of the archive's only artifact: references to files have no tag.
func (a archive) resolve(context.Context, string) (ocispec.Descriptor, error) {
	var index ocispec.Index
	if err := json.Unmarshal(a.files["index.json"], &index); err != nil {
		return ocispec.Descriptor{}, refuse("%s is not an OCI layout: its index.json is missing or invalid", a.name).Because(err)
	}
	if n := len(index.Manifests); n != 1 {
		return ocispec.Descriptor{}, refuse("%s contains %d artifacts; expected 1: create an archive of only one artifact", a.name, n)
	}
	return index.Manifests[0], nil
}

// open returns the content of a file of the archive, from memory. A missing file is a VALIDATION_ERROR.
func (a archive) open(_ context.Context, of ocispec.Descriptor) (io.ReadCloser, error) {
	b, ok := a.files["blobs/sha256/"+of.Digest.Encoded()]
	if !ok {
		return nil, refuse("%s lacks the file with the digest %s; create it again with: windie plugin pack", a.name, of.Digest)
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

// Archive returns p as an OCI layout in a tar archive, and sets p.Digest. tag becomes the version
// in the layout. The same package and tag always give the same bytes.
func (p *Package) Archive(tag string) []byte {
	blobs, manifest := p.encode()
	p.Digest = manifest.Digest.String()
	head := manifest.Descriptor
	head.Annotations = map[string]string{ocispec.AnnotationRefName: tag}
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	put := func(name string, content []byte) {
		err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Format: tar.FormatUSTAR})
		if err == nil {
			_, err = t.Write(content)
		}
		if err != nil {
			panic(err) // cannot fail: it is written to memory, and names are short
		}
	}
	put(ocispec.ImageLayoutFile, marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion}))
	put("index.json", marshal(map[string]any{"schemaVersion": 2, "mediaType": ocispec.MediaTypeImageIndex, "manifests": []ocispec.Descriptor{head}}))
	written := map[digest.Digest]bool{} // parts with the same content are one file
	for _, b := range append(blobs, manifest) {
		if written[b.Digest] {
			continue
		}
		written[b.Digest] = true
		put("blobs/sha256/"+b.Digest.Encoded(), b.content)
	}
	if err := t.Close(); err != nil {
		panic(err) // cannot fail: it is written to memory
	}
	return out.Bytes()
}
