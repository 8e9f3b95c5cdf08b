package source

import (
	"fmt"
	"net/url"
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

// Kind says where a reference leads.
type Kind string

// The kinds.
const (
	Registry Kind = "oci"   // an OCI registry
	Web      Kind = "https" // a file of a web server
	File     Kind = "file"  // a file or folder of this machine
)

// Reference names a plugin and perhaps a version of it.
type Reference struct {
	Kind   Kind
	Host   string // with its port, if it has one; empty for a file
	Path   string // the repository, the path of the URL, or the absolute path of the file
	Tag    string // of a registry; "latest" if neither it nor Digest was given
	Digest string // as "sha256:…"; empty if any will do
	scheme string // of the URL
}

// maxReference is how long a reference may be, in bytes.
const maxReference = 1024

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Parse reads a reference. One without a scheme is the path of a file. "#sha256:…" behind a URL or a
// path, and "@sha256:…" behind the name in a registry, say what its digest must be. What String makes of
// the reference is read as the same one.
func Parse(text string) (Reference, error) {
	if len(text) > maxReference {
		return Reference{}, invalid("a reference has at most %d bytes", maxReference)
	}
	r, err := parse(text)
	if err != nil {
		return Reference{}, err
	}
	if whole := r.String(); len(whole) > maxReference || !utf8.ValidString(whole) {
		return Reference{}, invalid("a reference has at most %d bytes and is UTF-8; in full this one is %.200q, with %d bytes: move the file to a shorter path", maxReference, whole, len(whole))
	}
	return r, nil
}

func parse(text string) (Reference, error) {
	scheme, rest, found := strings.Cut(text, "://")
	switch {
	case !found:
		return parseFile(text)
	case scheme == string(Registry):
		return parseRegistry(rest)
	case scheme == "https" || scheme == "http":
		return parseURL(text)
	case scheme == string(File):
		return parseFile(rest)
	}
	return Reference{}, invalid("the reference %.200q begins with neither oci://, https:// nor file://, and is no path", text)
}

func invalid(format string, args ...any) error {
	return fault.New("source.Parse", sdkapi.ValidationError, format, args...)
}

func parseRegistry(rest string) (Reference, error) {
	parsed, err := registry.ParseReference(rest)
	if err != nil {
		return Reference{}, fault.New("source.Parse", sdkapi.ValidationError,
			"the reference %.200q is not as oci://registry.example/tools/weather:1.2, perhaps with @sha256:… behind it", "oci://"+rest).Because(err)
	}
	host, err := hostOf("oci://"+rest, parsed.Registry)
	if err != nil {
		return Reference{}, err
	}
	r := Reference{Kind: Registry, Host: host, Path: parsed.Repository, Tag: parsed.Reference}
	name, digest, pinned := strings.Cut(rest, "@")
	if !pinned {
		if r.Tag == "" {
			r.Tag = "latest"
		}
		return r, nil
	}
	if !digestPattern.MatchString(digest) {
		return Reference{}, invalid("the digest %.100q is not sha256: and 64 digits of lower case hexadecimal", digest)
	}
	r.Tag, r.Digest = "", digest
	if _, tag, ok := strings.Cut(path.Base(name), ":"); ok && strings.Contains(name, "/") {
		r.Tag = tag
	}
	return r, nil
}

// hostOf returns the host of a reference in its one spelling. A port that is given stays.
func hostOf(text, host string) (string, error) {
	spelled, err := egress.HostSpelled(host)
	if err != nil {
		return "", fault.New("source.Parse", sdkapi.ValidationError, "the reference %.200q: %s", text, err).Because(err)
	}
	return spelled, nil
}

// splitDigest cuts "#sha256:…" off.
func splitDigest(text string) (rest, digest string, err error) {
	rest, digest, found := strings.Cut(text, "#")
	if found && !digestPattern.MatchString(digest) {
		return "", "", invalid("behind the # of %.200q follows a digest, as sha256: and 64 digits of lower case hexadecimal", text)
	}
	return rest, digest, nil
}

func parseURL(text string) (Reference, error) {
	text, digest, err := splitDigest(text)
	if err != nil {
		return Reference{}, err
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || path.Clean("/"+u.Path) != u.Path {
		return Reference{}, invalid("the reference %.200q is not a URL as https://plugins.example/weather.wasm, without a user, a query or ..", text)
	}
	if !isPlugin(u.Path) {
		return Reference{}, invalid("the URL %.200q must end in .wasm, .js or .tar", text)
	}
	host, err := hostOf(text, u.Host)
	if err != nil {
		return Reference{}, err
	}
	return Reference{Kind: Web, Host: host, Path: u.Path, Digest: digest, scheme: u.Scheme}, nil
}

// isPlugin reports whether a file's name is that of a module, a script or an archive.
func isPlugin(name string) bool {
	switch path.Ext(name) {
	case ".wasm", ".js", archiveEnding:
		return true
	}
	return false
}

// archiveEnding ends the name of an OCI layout in a tar archive.
const archiveEnding = ".tar"

func parseFile(text string) (Reference, error) {
	at := len(text)
	if mark := strings.LastIndex(text, "#sha256:"); mark >= 0 { // another # is of the path
		at = mark
	}
	_, digest, err := splitDigest(text[at:])
	if err != nil {
		return Reference{}, err
	}
	if text = text[:at]; text == "" {
		return Reference{}, invalid("the reference is empty; expected oci://…, https://… or the path of a file")
	}
	absolute, err := filepath.Abs(text)
	if err != nil {
		return Reference{}, fault.New("source.Parse", sdkapi.ValidationError, "the path %.200q cannot be made absolute", text).Because(err)
	}
	return Reference{Kind: File, Path: absolute, Digest: digest}, nil
}

// Source returns the reference without a version: what a plugin's grant, values and keys belong to.
func (r Reference) Source() string {
	switch r.Kind {
	case Registry:
		return "oci://" + r.Host + "/" + r.Path
	case Web:
		return r.scheme + "://" + r.Host + escaped(r.Path)
	}
	return "file://" + filepath.ToSlash(r.Path)
}

// escaped escapes what would not be read as part of the path of a URL. All else stays as it is: grants,
// keys and rules go by sources.
func escaped(path string) string {
	var text strings.Builder
	for len(path) > 0 {
		r, n := utf8.DecodeRuneInString(path)
		if strings.ContainsRune("%#?\x7f", r) || r < ' ' || r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&text, "%%%02X", path[0])
		} else {
			text.WriteString(path[:n])
		}
		path = path[n:]
	}
	return text.String()
}

// String returns the reference so that Parse reads it.
func (r Reference) String() string {
	text := r.Source()
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	switch {
	case r.Digest == "":
	case r.Kind == Registry:
		text += "@" + r.Digest
	default:
		text += "#" + r.Digest
	}
	return text
}

// At returns the reference pinned to a digest.
func (r Reference) At(digest string) Reference {
	r.Digest = digest
	return r
}
