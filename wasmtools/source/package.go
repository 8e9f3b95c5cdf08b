package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Package is the published form of a plugin. Either Module or Script is set. The other fields may
// be empty.
type Package struct {
	Module    []byte // WebAssembly module of the plugin
	Script    []byte // JavaScript of the plugin
	Manifest  []byte // content of NAME.json, as the author wrote it
	Release   []byte // text of the signed release; see the package sign
	Signature []byte // signature of the release, in minisign's format
	Readme    []byte // readme in Markdown
	Licence   []byte
	SBOM      []byte // list of components as JSON, in CycloneDX

	Annotations map[string]string // annotations of the OCI manifest, for example org.opencontainers.image.version
	Digest      string            // digest of the OCI manifest; set by Fetch
	// true: the config has the media type of image configs. Some registries reject the media type
	// of WebAssembly configs.
	Compat bool
}

// Media types of published packages. The module's is the CNCF's.
const (
	configType    = "application/vnd.wasm.config.v0+json"
	moduleType    = "application/wasm"
	scriptType    = "text/javascript"
	manifestType  = "application/vnd.windie.plugin.manifest.v1+json"
	releaseType   = "application/vnd.windie.plugin.release.v1+json"
	signatureType = "application/vnd.windie.plugin.signature.v1.minisig"
	readmeType    = "text/markdown"
	licenceType   = "text/plain"
	sbomType      = "application/vnd.cyclonedx+json"
)

// Limits of a package, besides that of the module.
const (
	MaxManifestBytes  = 256 << 10 // maximum size of the plugin's manifest, in bytes
	MaxReleaseBytes   = 64 << 10
	MaxSignatureBytes = 4 << 10
	MaxReadmeBytes    = 1 << 20
	MaxLicenceBytes   = 1 << 20
	MaxSBOMBytes      = 4 << 20
	MaxArtifactBytes  = 1 << 20 // maximum size of an OCI manifest or index, in bytes
	MaxLayers         = 64
	// maximum size of all unpacked layers of an image, as a multiple of the maximum size of a
	// module
	MaxUnpacked = 4
	MaxEntries  = 10_000 // maximum number of files in an archive or a layer
)

// part is one file of a package: its media type, its name in a release, and the field that holds
// it.
type part struct {
	media, name string
	most        int64
	content     *[]byte
}

// parts lists the possible parts of p, in the order of its layers. limit is the largest module in
// bytes.
func (p *Package) parts(limit int64) []part {
	return []part{
		{moduleType, "module", limit, &p.Module},
		{scriptType, "script", limit, &p.Script},
		{manifestType, "manifest", MaxManifestBytes, &p.Manifest},
		{readmeType, "readme", MaxReadmeBytes, &p.Readme},
		{licenceType, "licence", MaxLicenceBytes, &p.Licence},
		{sbomType, "sbom", MaxSBOMBytes, &p.SBOM},
		{releaseType, "", MaxReleaseBytes, &p.Release},
		{signatureType, "", MaxSignatureBytes, &p.Signature},
	}
}

// Hashes returns the SHA-256 of each file that a release signs, by the name of the file in a
// release.
func (p *Package) Hashes() map[string]string {
	hashes := map[string]string{}
	for _, part := range p.parts(0) {
		if part.name != "" && len(*part.content) > 0 {
			sum := sha256.Sum256(*part.content)
			hashes[part.name] = hex.EncodeToString(sum[:])
		}
	}
	return hashes
}

// Body returns the module or the script.
func (p *Package) Body() []byte {
	if p.Script != nil {
		return p.Script
	}
	return p.Module
}

// blob is content with its descriptor.
type blob struct {
	ocispec.Descriptor
	content []byte
}

// newBlob returns content with its media type, digest and size.
func newBlob(media string, content []byte) blob {
	return blob{ocispec.Descriptor{MediaType: media, Digest: digest.FromBytes(content), Size: int64(len(content))}, content}
}

// wasmConfig is the config of the CNCF's layout.
type wasmConfig struct {
	Architecture string          `json:"architecture"`
	OS           string          `json:"os"`
	LayerDigests []digest.Digest `json:"layerDigests"`
	RootFS       *ocispec.RootFS `json:"rootfs,omitempty"` // only for images
}

// encode returns the blobs of p as an OCI artifact, and its manifest. It contains no time, so the
// same package always has the same digest.
func (p *Package) encode() (blobs []blob, manifest blob) {
	var layers []ocispec.Descriptor
	config := wasmConfig{Architecture: "wasm", OS: "wasip1"}
	for _, part := range p.parts(0) {
		if len(*part.content) == 0 {
			continue
		}
		b := newBlob(part.media, *part.content)
		if part.name == "module" || part.name == "script" {
			config.LayerDigests = append(config.LayerDigests, b.Digest)
		}
		blobs, layers = append(blobs, b), append(layers, b.Descriptor)
	}
	media := configType
	if p.Compat {
		media, config.RootFS = ocispec.MediaTypeImageConfig, &ocispec.RootFS{Type: "layers", DiffIDs: config.LayerDigests}
	}
	head := newBlob(media, marshal(config))
	manifest = newBlob(ocispec.MediaTypeImageManifest, marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		Config: head.Descriptor, Layers: layers, Annotations: maps.Clone(p.Annotations),
	}))
	return append(blobs, head), manifest
}

// digest returns the digest of p as encode builds it.
func (p *Package) digest() string {
	_, manifest := p.encode()
	return manifest.Digest.String()
}

// marshal encodes v as JSON without HTML escapes and without a final line end, so that the same
// value always has the same digest.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // cannot fail: strings and numbers encode as JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
