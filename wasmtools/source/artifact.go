package source

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// place holds artifacts: a repository of a registry, or an archive.
type place interface {
	// resolve returns the descriptor of a tag or a digest. An archive has one artifact and no tags.
	resolve(ctx context.Context, tag string) (ocispec.Descriptor, error)
	// open returns the unverified content of a descriptor. The caller closes it.
	open(ctx context.Context, of ocispec.Descriptor) (io.ReadCloser, error)
}

// reader reads the artifacts of a place.
type reader struct {
	place
	most int64 // maximum bytes of a module
}

const dockerManifest, dockerIndex = "application/vnd.docker.distribution.manifest.v2+json", "application/vnd.docker.distribution.manifest.list.v2+json"

// refuse returns a VALIDATION_ERROR for an artifact or a file that cannot be used. The message must
// say what to do.
func refuse(format string, args ...any) *fault.Error {
	return fault.New("source.Fetch", sdkapi.ValidationError, format, args...)
}

// read returns the content of a descriptor, of at most limit bytes, after it has checked digest and
// size.
func (r reader) read(ctx context.Context, of ocispec.Descriptor, what string, limit int64) ([]byte, error) {
	if of.Digest.Validate() != nil || of.Digest.Algorithm() != digest.SHA256 {
		return nil, refuse("%s has the digest %.100q; only sha256 is supported: publish the plugin again with another tool", what, of.Digest)
	}
	if of.Size < 0 || of.Size > limit {
		return nil, fault.New("source.Fetch", sdkapi.PayloadTooLarge, "%s has %d bytes; at most %d are allowed; publish a smaller plugin%s", what, of.Size, limit, forModules(what))
	}
	body, err := r.open(ctx, of)
	if err != nil {
		return nil, r.failed(ctx, what, err)
	}
	defer body.Close()
	raw, err := content.ReadAll(body, of)
	if errors.Is(err, content.ErrMismatchedDigest) || errors.Is(err, content.ErrTrailingData) {
		return nil, refuse("the content of %s does not match its digest %s: it was changed or damaged; try again, then ask the plugin's publisher", what, of.Digest).Because(err)
	}
	if err != nil {
		return nil, r.failed(ctx, what, err)
	}
	return raw, nil
}

// forModules returns the advice for a module that is too large. It is empty for other content.
func forModules(what string) string {
	if strings.Contains(what, "module") {
		return ", stripped of its symbols"
	}
	return ""
}

// failed explains a failed fetch.
func (r reader) failed(ctx context.Context, what string, err error) error {
	if e := fault.From(explained(ctx, err)); e.Code != sdkapi.Internal {
		return e
	}
	return refuse("fetching %s failed: %s; check the reference and your login to the registry", what, short(err)).Because(err)
}

// fetch reads the package that a reference names in the place.
func (r reader) fetch(ctx context.Context, ref Reference) (*Package, error) {
	top, err := r.resolve(ctx, cmp.Or(ref.Digest, ref.Tag))
	if err != nil {
		return nil, r.failed(ctx, "the artifact "+ref.String(), err)
	}
	if ref.Digest != "" && top.Digest.String() != ref.Digest {
		return nil, refuse("the registry has the digest %s for the pinned reference %s; if you expect the change, name the plugin without a digest", top.Digest, ref)
	}
	manifest, err := r.manifest(ctx, top)
	if err != nil {
		return nil, err
	}
	p := &Package{Annotations: manifest.Annotations, Digest: top.Digest.String()}
	return p, r.layers(ctx, p, manifest.Layers)
}

// manifest reads the manifest of an artifact. Of an index it reads the manifest for WebAssembly.
func (r reader) manifest(ctx context.Context, top ocispec.Descriptor) (*ocispec.Manifest, error) {
	raw, err := r.read(ctx, top, "the artifact's manifest", MaxArtifactBytes)
	if err != nil {
		return nil, err
	}
	if top.MediaType == ocispec.MediaTypeImageIndex || top.MediaType == dockerIndex {
		var index ocispec.Index
		if err := json.Unmarshal(raw, &index); err != nil {
			return nil, refuse("the artifact's index is not valid JSON").Because(err)
		}
		chosen, err := choose(index.Manifests)
		if err != nil {
			return nil, err
		}
		return r.manifest(ctx, chosen)
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, refuse("the artifact's manifest is not valid JSON").Because(err)
	}
	if m.MediaType != "" && top.MediaType != "" && m.MediaType != top.MediaType {
		return nil, refuse("the artifact's manifest has the type %.100q, but was published as %.100q; publish the plugin again", m.MediaType, top.MediaType)
	}
	if len(m.Layers) == 0 || len(m.Layers) > MaxLayers {
		return nil, refuse("the artifact has %d layers; expected 1 to %d", len(m.Layers), MaxLayers)
	}
	return &m, nil
}

// choose returns the manifest in an index that is for WebAssembly, or else for any machine. It
// skips manifests whose architecture is "unknown": they describe other manifests.
func choose(list []ocispec.Descriptor) (ocispec.Descriptor, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(d ocispec.Descriptor) bool {
		known := d.MediaType == ocispec.MediaTypeImageManifest || d.MediaType == dockerManifest
		return !known || d.Platform != nil && d.Platform.Architecture == "unknown"
	})
	if len(list) == 0 {
		return ocispec.Descriptor{}, refuse("the artifact's index lists no manifest that can hold a plugin; name another tag")
	}
	for _, architecture := range []string{"wasm", "amd64"} {
		for _, d := range list {
			if d.Platform != nil && d.Platform.Architecture == architecture {
				return d, nil
			}
		}
	}
	return list[0], nil
}

// layers reads the layers of an artifact into p.
func (r reader) layers(ctx context.Context, p *Package, layers []ocispec.Descriptor) error {
	var images []ocispec.Descriptor
	for _, layer := range layers {
		if isImage(layer.MediaType) {
			images = append(images, layer)
			continue
		}
		if err := r.layer(ctx, p, layer); err != nil {
			return err
		}
	}
	if p.Body() == nil && len(images) > 0 {
		return r.images(ctx, p, images)
	}
	if p.Body() == nil {
		return refuse("the artifact contains no module; expected a layer %s, or an image with plugin.wasm", moduleType)
	}
	if p.Module != nil && p.Script != nil {
		return refuse("the artifact contains a module and a script; publish only one of them")
	}
	return nil
}

// moduleTypes are the media types that tools use for modules.
var moduleTypes = []string{moduleType, "application/vnd.wasm.content.layer.v1+wasm", "application/vnd.module.wasm.content.layer.v1+wasm"}

// layer reads a layer that is one file.
func (r reader) layer(ctx context.Context, p *Package, layer ocispec.Descriptor) error {
	media, _, _ := strings.Cut(layer.MediaType, ";")
	if slices.Contains(moduleTypes, media) || media == "application/javascript" {
		media = map[bool]string{true: scriptType, false: moduleType}[media == "application/javascript"]
	}
	for _, part := range p.parts(r.most) {
		if part.media != media {
			continue
		}
		if *part.content != nil {
			return refuse("the artifact has two layers %.100q; publish it with only one", media)
		}
		raw, err := r.read(ctx, layer, "the "+partName(part), part.most)
		*part.content = raw
		return err
	}
	return r.unknown(ctx, p, layer)
}

// partName returns the name of a part for error messages.
func partName(p part) string {
	switch {
	case p.name == "manifest":
		return "plugin's manifest"
	case p.name != "":
		return p.name
	case p.media == releaseType:
		return "release"
	}
	return "signature"
}

// unknown accepts a layer of an unknown type as the module, if it is one: some tools publish
// modules as plain bytes.
func (r reader) unknown(ctx context.Context, p *Package, layer ocispec.Descriptor) error {
	if layer.MediaType != "application/octet-stream" && !strings.Contains(layer.MediaType, "wasm") {
		return nil
	}
	raw, err := r.read(ctx, layer, "the module", r.most)
	if err != nil || !isModule(raw) {
		return err
	}
	if p.Module != nil {
		return refuse("the artifact has two modules; publish an artifact with one module")
	}
	p.Module = raw
	return nil
}

// isModule reports whether b begins like WebAssembly.
func isModule(b []byte) bool { return bytes.HasPrefix(b, []byte("\x00asm")) }

// short returns err in one line.
func short(err error) string { return fmt.Sprintf("%.300s", err) }
