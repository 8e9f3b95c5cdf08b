package source

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"oras.land/oras-go/v2/registry"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Reference names a plugin and optionally a version of it.
type Reference struct {
	Host   string // host of the registry, with its port if it has one; empty for a file
	Path   string // path of the repository in the registry, or absolute path of the file
	Tag    string // tag in the registry; "latest" if the reference has no tag and no digest
	Digest string // digest in the registry, for example "sha256:…"; empty: any digest
}

// maxReference limits a reference, in bytes.
const maxReference = 1024

// IsDigest reports whether text is a digest of a registry, for example "sha256:…".
func IsDigest(text string) bool { return digestPattern.MatchString(text) }

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Prefixes of references. A path needs no prefix; String writes it with the second.
const registryScheme, fileScheme = "oci://", "file://"

// Parse parses a reference. A text without a scheme is the path of a file. For each reference r,
// Parse(r.String()) returns r.
func Parse(text string) (Reference, error) {
	if len(text) > maxReference {
		return Reference{}, invalid("a reference has at most %d bytes", maxReference)
	}
	r, err := parse(text)
	if err != nil {
		return Reference{}, err
	}
	if whole := r.String(); len(whole) > maxReference || !utf8.ValidString(whole) {
		return Reference{}, invalid("a reference has at most %d bytes of UTF-8; the absolute path %.200q has %d bytes: move the file to a shorter path", maxReference, whole, len(whole))
	}
	return r, nil
}

// parse does the work of Parse without the limit of the length.
func parse(text string) (Reference, error) {
	if rest, ok := strings.CutPrefix(text, registryScheme); ok {
		return parseRegistry(rest)
	}
	file := strings.TrimPrefix(text, fileScheme)
	if file == text && strings.Contains(text, "://") {
		return Reference{}, invalid("the reference %.200q is not a path and begins with neither oci:// nor file://; to add a plugin from elsewhere, download it and add the file", text)
	}
	if file == "" {
		return Reference{}, invalid("the reference is empty; expected oci://… or the path of a file")
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return Reference{}, fault.New("source.Parse", sdkapi.ValidationError, "cannot make the path %.200q absolute; use an absolute path", file).Because(err)
	}
	return Reference{Path: absolute}, nil
}

// invalid returns the error for a text that is not a reference.
func invalid(format string, args ...any) error {
	return fault.New("source.Parse", sdkapi.ValidationError, format, args...)
}

// parseRegistry parses a reference to a registry, without its scheme. With a digest, the tag may be
// empty; without both, it is "latest".
func parseRegistry(rest string) (Reference, error) {
	parsed, err := registry.ParseReference(rest)
	if err != nil {
		return Reference{}, fault.New("source.Parse", sdkapi.ValidationError,
			"invalid reference %.200q; expected one such as oci://registry.example/tools/weather:1.2, optionally with @sha256:… at its end", registryScheme+rest).Because(err)
	}
	host, err := egress.HostSpelled(parsed.Registry)
	if err != nil {
		return Reference{}, fault.New("source.Parse", sdkapi.ValidationError, "the reference %.200q: %s", registryScheme+rest, err).Because(err)
	}
	r := Reference{Host: host, Path: parsed.Repository, Tag: parsed.Reference}
	name, digest, pinned := strings.Cut(rest, "@")
	if !pinned {
		if r.Tag == "" {
			r.Tag = "latest"
		}
		return r, nil
	}
	if !IsDigest(digest) {
		return Reference{}, invalid("invalid digest %.100q; expected sha256: and 64 lower case hexadecimal digits", digest)
	}
	r.Tag, r.Digest = "", digest
	if _, tag, ok := strings.Cut(path.Base(name), ":"); ok && strings.Contains(name, "/") {
		r.Tag = tag
	}
	return r, nil
}

// IsFile reports whether the reference names a local file instead of a registry.
func (r Reference) IsFile() bool { return r.Host == "" }

// Source returns the reference without a version. A plugin's grant, values and keys belong to its
// source.
func (r Reference) Source() string {
	if r.IsFile() {
		return fileScheme + filepath.ToSlash(r.Path)
	}
	return registryScheme + r.Host + "/" + r.Path
}

// String returns the reference in the form that Parse reads.
func (r Reference) String() string {
	text := r.Source()
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	if r.Digest != "" {
		text += "@" + r.Digest
	}
	return text
}
