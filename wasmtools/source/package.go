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

// Package is a plugin as it travels. Either Module or Script is there; the rest may be empty.
type Package struct {
	Module    []byte // WebAssembly
	Script    []byte // JavaScript
	Manifest  []byte // NAME.json, as the author wrote it
	Release   []byte // what a signature is over: see the package sign
	Signature []byte // in the form of minisign
	Readme    []byte // Markdown
	Licence   []byte
	SBOM      []byte // CycloneDX, JSON

	Annotations map[string]string // of the OCI manifest, as org.opencontainers.image.version
	Digest      string            // of the OCI manifest; set by Fetch
	Compat      bool              // publish it with the config of images: some registries refuse WebAssembly's
}

// Media types of what is published. The module's is the CNCF's.
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

// Bounds of a package, besides that of the module.
const (
	MaxManifestBytes  = 256 << 10 // of the plugin's manifest
	MaxReleaseBytes   = 64 << 10
	MaxSignatureBytes = 4 << 10
	MaxReadmeBytes    = 1 << 20
	MaxLicenceBytes   = 1 << 20
	MaxSBOMBytes      = 4 << 20
	MaxArtifactBytes  = 1 << 20 // of an OCI manifest or index
	MaxLayers         = 64
	MaxUnpacked       = 4      // times the largest module: what the layers of an image may hold, unpacked
	MaxEntries        = 10_000 // files in an archive or a layer
)

// part is one file of a package: its media type, its name in a release, and where it is kept.
type part struct {
	media, name string
	most        int64
	content     *[]byte
}

// parts lists what p may hold, in the order of its layers. Most is the largest module.
func (p *Package) parts(most int64) []part {
	return []part{
		{moduleType, "module", most, &p.Module},
		{scriptType, "script", most, &p.Script},
		{manifestType, "manifest", MaxManifestBytes, &p.Manifest},
		{readmeType, "readme", MaxReadmeBytes, &p.Readme},
		{licenceType, "licence", MaxLicenceBytes, &p.Licence},
		{sbomType, "sbom", MaxSBOMBytes, &p.SBOM},
		{releaseType, "", MaxReleaseBytes, &p.Release},
		{signatureType, "", MaxSignatureBytes, &p.Signature},
	}
}

// Hashes returns the SHA-256 of each file that a release is over, by its name.
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

func newBlob(media string, content []byte) blob {
	return blob{ocispec.Descriptor{MediaType: media, Digest: digest.FromBytes(content), Size: int64(len(content))}, content}
}

// wasmConfig is the config of the CNCF's layout.
type wasmConfig struct {
	Architecture string          `json:"architecture"`
	OS           string          `json:"os"`
	LayerDigests []digest.Digest `json:"layerDigests"`
	RootFS       *ocispec.RootFS `json:"rootfs,omitempty"` // of images alone
}

// encode returns the blobs of p as an OCI artifact, and its manifest. The same package always has the
// same digest: there is no time in it.
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

// digest is what encode gives p.
func (p *Package) digest() string {
	_, manifest := p.encode()
	return manifest.Digest.String()
}

func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts and numbers have JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
