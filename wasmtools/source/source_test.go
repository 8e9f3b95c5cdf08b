package source_test

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const digest = "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"

var module = []byte("\x00asm\x01\x00\x00\x00")

func TestParse(t *testing.T) {
	t.Parallel()
	here, _ := filepath.Abs("x.wasm")
	for _, tt := range []struct{ text, source, again string }{
		{"oci://ghcr.io/acme/weather", "oci://ghcr.io/acme/weather", "oci://ghcr.io/acme/weather:latest"},
		{"oci://ghcr.io/acme/weather:1.2", "oci://ghcr.io/acme/weather", "oci://ghcr.io/acme/weather:1.2"},
		{"oci://ghcr.io:5000/weather@" + digest, "oci://ghcr.io:5000/weather", "oci://ghcr.io:5000/weather@" + digest},
		{"oci://ghcr.io/weather:1@" + digest, "oci://ghcr.io/weather", "oci://ghcr.io/weather:1@" + digest},
		{"https://example.com/a/b.wasm", "https://example.com/a/b.wasm", "https://example.com/a/b.wasm"},
		{"https://example.com/b.tar#" + digest, "https://example.com/b.tar", "https://example.com/b.tar#" + digest},
		{"x.wasm", "file://" + here, "file://" + here},
		{"file://" + here, "file://" + here, "file://" + here},
		{"https://example.com/100%25.wasm", "https://example.com/100%25.wasm", "https://example.com/100%25.wasm"},
		{"https://example.com/%2541.wasm", "https://example.com/%2541.wasm", "https://example.com/%2541.wasm"},
		{"https://example.com/%23%3F.tar#" + digest, "https://example.com/%23%3F.tar", "https://example.com/%23%3F.tar#" + digest},
		{"https://example.com/%0a%7f%ff.wasm", "https://example.com/%0A%7F%FF.wasm", "https://example.com/%0A%7F%FF.wasm"},
		{"https://example.com/%61%20%c3%a4.wasm", "https://example.com/a ä.wasm", "https://example.com/a ä.wasm"},
		{here + "#a/y%25.wasm", "file://" + here + "#a/y%25.wasm", "file://" + here + "#a/y%25.wasm"},
		{here + "#a/y.wasm#" + digest, "file://" + here + "#a/y.wasm", "file://" + here + "#a/y.wasm#" + digest},
		{here + "#sha256:12", "", "follows a digest"},
		{"/" + strings.Repeat("a", 1023-len("file://")), "file:///" + strings.Repeat("a", 1023-len("file://")), "file:///" + strings.Repeat("a", 1023-len("file://"))},
		{"/" + strings.Repeat("a", 1024-len("file://")), "", "move the file to a shorter path"},
		{"\xff.wasm", "", "is UTF-8"},
		{"oci://GHCR.io/Upper", "", "is not as oci://"},
		{"oci://ghcr.io", "", "is not as oci://"},
		{"oci://ghcr.io/a@sha256:12", "", "is not as oci://"},
		{"oci://ghcr.io/a/../b", "", "is not as oci://"},
		{"https://example.com/a", "", "must end in .wasm"},
		{"https://user:secret@example.com/a.wasm", "", "without a user"},
		{"https://example.com/../a.wasm", "", "without a user"},
		{"https://example.com/a.wasm?token=x", "", "without a user"},
		{"https://example.com/a.wasm#md5:12", "", "follows a digest"},
		{"ftp://example.com/a.wasm", "", "begins with neither"},
		{"", "", "the reference is empty"},
		{"oci://ghcr.io/" + strings.Repeat("a", 1024), "", "at most 1024 bytes"},
	} {
		t.Run(tt.text[:min(len(tt.text), 60)], func(t *testing.T) {
			t.Parallel()
			ref, err := source.Parse(tt.text)
			if tt.source == "" {
				if err == nil || !strings.Contains(fault.From(err).Message, tt.again) {
					t.Errorf("it is %v, %v; want %q", ref, err, tt.again)
				}
				return
			}
			if err != nil || ref.Source() != tt.source || ref.String() != tt.again {
				t.Errorf("%v: source %q, as %q", err, ref.Source(), ref)
			}
			if again, err := source.Parse(ref.String()); err != nil || again != ref {
				t.Errorf("read again it is %+v, %v; want %+v", again, err, ref)
			}
		})
	}
}

// place is a real registry over TLS, and a fetcher that may use it.
type place struct {
	t    *testing.T
	host string
	http *http.Client
	cfg  source.Config
}

func newPlace(t *testing.T, wrap func(http.Handler) http.Handler) *place {
	t.Helper()
	server := httptest.NewTLSServer(wrap(registry.New(registry.Logger(log.New(io.Discard, "", 0)))))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	host := strings.TrimPrefix(server.URL, "https://")
	return &place{t, host, server.Client(), source.Config{Roots: roots, Private: []string{host}}}
}

func plain(h http.Handler) http.Handler { return h }

func (p *place) fetch(reference string) (*source.Package, error) {
	p.t.Helper()
	ref, err := source.Parse(reference)
	if err != nil {
		p.t.Fatal(err)
	}
	f := source.New(p.cfg)
	defer f.Close()
	return f.Fetch(p.t.Context(), ref)
}

func (p *place) push(reference string, pkg *source.Package) (string, error) {
	p.t.Helper()
	ref, err := source.Parse(reference)
	if err != nil {
		p.t.Fatal(err)
	}
	f := source.New(p.cfg)
	defer f.Close()
	return f.Push(p.t.Context(), pkg, ref)
}

// archive is a tar archive with a file.
func archive(file string, content []byte) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	_ = w.WriteHeader(&tar.Header{Name: file, Typeflag: tar.TypeReg, Size: int64(len(content)), Mode: 0o644})
	_, _ = w.Write(content)
	_ = w.Close()
	return b.Bytes()
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

func zstded(b []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	return w.EncodeAll(b, nil)
}

// What other tools publish is read: the layouts of the CNCF, of wasm-to-oci, of plain bytes, and the
// images that hyper-mcp's plugins are, with the attestations that builders of images put beside them.
func TestLayoutsOfOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain)
	for at, layers := range map[string][]v1.Layer{
		"cncf":        {static.NewLayer(module, "application/wasm")},
		"wasm-to-oci": {static.NewLayer(module, "application/vnd.wasm.content.layer.v1+wasm")},
		"bytes":       {static.NewLayer(module, "application/octet-stream")},
		"hyper-mcp":   {static.NewLayer(gzipped(archive("plugin.wasm", module)), types.DockerLayer)},
		"absolute":    {static.NewLayer(gzipped(archive("/plugin.wasm", module)), types.OCILayer)},
		"plain-tar":   {static.NewLayer(archive("./plugin.wasm", module), types.OCIUncompressedLayer)},
		"zstd":        {static.NewLayer(zstded(archive("other.wasm", module)), types.OCILayerZStd)},
		"two-layers":  {static.NewLayer(gzipped(archive("plugin.wasm", []byte("\x00asm before"))), types.OCILayer), static.NewLayer(gzipped(archive("plugin.wasm", module)), types.OCILayer)},
	} {
		t.Run(at, func(t *testing.T) {
			image, err := mutate.AppendLayers(empty.Image, layers...)
			if err != nil {
				t.Fatal(err)
			}
			p.write(t, at, image)
			if got, err := p.fetch("oci://" + p.host + "/" + at); err != nil || !bytes.Equal(got.Module, module) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	t.Run("index", func(t *testing.T) {
		image, _ := mutate.AppendLayers(empty.Image, static.NewLayer(gzipped(archive("plugin.wasm", module)), types.DockerLayer))
		attestation, _ := mutate.AppendLayers(empty.Image, static.NewLayer([]byte("{}"), "application/vnd.in-toto+json"))
		index := mutate.AppendManifests(empty.Index,
			mutate.IndexAddendum{Add: attestation, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "unknown", Architecture: "unknown"}}},
			mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}})
		ref, _ := name.ParseReference(p.host + "/index")
		if err := remote.WriteIndex(ref, index, remote.WithTransport(p.http.Transport)); err != nil {
			t.Fatal(err)
		}
		if got, err := p.fetch("oci://" + p.host + "/index"); err != nil || !bytes.Equal(got.Module, module) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func (p *place) write(t *testing.T, at string, image v1.Image) {
	t.Helper()
	ref, err := name.ParseReference(p.host + "/" + at)
	if err == nil {
		err = remote.Write(ref, image, remote.WithTransport(p.http.Transport))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// whole is a package with all that one may hold.
func whole() *source.Package {
	return &source.Package{
		Module: module, Manifest: []byte(`{"name":"weather"}`), Release: []byte(`{}`), Signature: []byte("untrusted"),
		Readme: []byte("# Weather\n"), Licence: []byte("MIT"), SBOM: []byte(`{"bomFormat":"CycloneDX"}`),
		Annotations: map[string]string{"org.opencontainers.image.version": "1.2.0"},
	}
}

// A package is the same from a registry, an archive at a web server, a file and a mirror, and has one digest.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain)
	want := whole()
	archive := want.Archive("1.2")
	if again := whole().Archive("1.2"); !bytes.Equal(again, archive) {
		t.Error("the same package gives another archive")
	}
	pushed, err := p.push("oci://"+p.host+"/weather:1.2", whole())
	if err != nil || pushed != want.Digest {
		t.Fatalf("it was published as %s, %v; the archive is %s", pushed, err, want.Digest)
	}
	file := filepath.Join(t.TempDir(), "weather.tar")
	if err := os.WriteFile(file, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, reference := range []string{
		"oci://" + p.host + "/weather:1.2", "oci://" + p.host + "/weather@" + pushed, "oci://" + p.host + "/weather:1.2@" + pushed, file, file + "#" + pushed,
	} {
		t.Run(strings.ReplaceAll(reference, "/", "_"), func(t *testing.T) {
			got, err := p.fetch(reference)
			if err != nil {
				t.Fatal(err)
			}
			if got.Digest != pushed || !bytes.Equal(got.Module, module) || string(got.Manifest) != `{"name":"weather"}` || string(got.Signature) != "untrusted" ||
				string(got.Readme) != "# Weather\n" || string(got.Licence) != "MIT" || len(got.SBOM) == 0 || got.Annotations["org.opencontainers.image.version"] != "1.2.0" {
				t.Errorf("it came as %+v", got)
			}
		})
	}
}

// Logins are those of Docker's config.json; without one a private registry refuses.
func TestLogins(t *testing.T) {
	p := newPlace(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user != "ada" || password != "secret" {
				w.Header().Set("WWW-Authenticate", `Basic realm="here"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	if _, err := p.push("oci://"+p.host+"/weather:1", whole()); err == nil || !strings.Contains(err.Error(), "log in with docker login") {
		t.Errorf("without a login: %v", err)
	}
	home := t.TempDir()
	t.Setenv("DOCKER_CONFIG", home)
	p.login(home, `{"auths":{"`+p.host+`":{"auth":"`+base64.StdEncoding.EncodeToString([]byte("ada:secret"))+`"}}}`)
	p.mustPull("a file with the login")

	for key, host := range map[string]string{"Registry.EXAMPLE": "registry.example", "https://OTHER.example/v1/": "other.example", "third.example:443": "third.example", "Fourth.example:5000": "fourth.example:5000"} {
		t.Run(key, func(t *testing.T) {
			p.login(home, `{"auths":{"`+key+`":{"auth":"`+base64.StdEncoding.EncodeToString([]byte("ada:secret"))+`"}}}`)
			logins, err := source.Logins()
			if err != nil {
				t.Fatal(err)
			}
			if login, err := logins(t.Context(), host); login.Username != "ada" || err != nil {
				t.Errorf("the login for %s: %+v, %v", host, login, err)
			}
			if login, err := logins(t.Context(), "else."+host); login.Username != "" || err != nil {
				t.Errorf("another host gets a login: %+v, %v", login, err)
			}
		})
	}

	program := filepath.Join(home, "docker-credential-desk")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho '{\"Username\":\"ada\",\"Secret\":\"secret\"}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", home+string(os.PathListSeparator)+os.Getenv("PATH"))
	p.login(home, `{"credHelpers":{"`+p.host+`":"desk"}}`)
	p.mustPull("a program for logins")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nread host; [ $host = Registry.EXAMPLE ] && echo '{\"Username\":\"ada\",\"Secret\":\"secret\"}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.login(home, `{"credHelpers":{"Registry.EXAMPLE":"desk"}}`)
	logins, err := source.Logins()
	if err != nil {
		t.Fatal(err)
	}
	if login, err := logins(t.Context(), "registry.example"); login.Username != "ada" || err != nil {
		t.Errorf("a program for a host in capitals: %+v, %v", login, err)
	}

	p.login(home, `{"auths":`)
	if _, err := source.Logins(); err == nil || !strings.Contains(err.Error(), "correct it") {
		t.Errorf("a damaged file: %v", err)
	}
}

func (p *place) login(home, config string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(home, "config.json"), []byte(config), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) mustPull(by string) {
	p.t.Helper()
	logins, err := source.Logins()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cfg.Logins = logins
	if _, err := p.push("oci://"+p.host+"/weather:1", whole()); err != nil {
		p.t.Errorf("%s: %v", by, err)
	}
	if got, err := p.fetch("oci://" + p.host + "/weather:1"); err != nil || !bytes.Equal(got.Module, module) {
		p.t.Errorf("%s: %+v, %v", by, got, err)
	}
}

// A mirror that skopeo made is used in place of the network.
func TestMirror(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("skopeo"); err != nil {
		testkit.Skip(t, "skopeo", "make deps")
	}
	p := newPlace(t, plain)
	pushed, err := p.push("oci://"+p.host+"/tools/weather:1.2", whole())
	if err != nil {
		t.Fatal(err)
	}
	mirror := t.TempDir()
	to := filepath.Join(mirror, strings.ReplaceAll(p.host, ":", "_"), "tools", "weather")
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "skopeo", "--insecure-policy", "copy", "--src-tls-verify=false", "docker://"+p.host+"/tools/weather:1.2", "oci:"+to+":1.2").CombinedOutput(); err != nil {
		t.Fatalf("skopeo: %v\n%s", err, out)
	}
	cut := &place{t, p.host, nil, source.Config{Mirror: mirror}} // no host is named: the network would be refused
	for _, reference := range []string{"oci://" + p.host + "/tools/weather:1.2", "oci://" + p.host + "/tools/weather@" + pushed} {
		got, err := cut.fetch(reference)
		if err != nil || got.Digest != pushed || string(got.Manifest) != `{"name":"weather"}` {
			t.Errorf("%s: %+v, %v", reference, got, err)
		}
	}
	if _, err := cut.fetch("oci://" + p.host + "/tools/weather:9"); err == nil || !strings.Contains(err.Error(), `has no version "9"; it has: "1.2"`) {
		t.Errorf("a version that is not there: %v", err)
	}
	if _, err := cut.fetch("oci://" + p.host + "/tools/other:1"); err == nil || !strings.Contains(err.Error(), "there is no folder") {
		t.Errorf("a plugin that is not there: %v", err)
	}
	page := filepath.Join(mirror, "plugins.example", "x.wasm")
	if err := os.MkdirAll(filepath.Dir(page), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, module, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := cut.fetch("https://plugins.example/x.wasm"); err != nil || !bytes.Equal(got.Module, module) {
		t.Errorf("a URL: %+v, %v", got, err)
	}
	// A link in a mirror leads nowhere.
	if err := os.Symlink("/etc/hostname", filepath.Join(mirror, "plugins.example", "y.wasm")); err != nil {
		t.Fatal(err)
	}
	if got, err := cut.fetch("https://plugins.example/y.wasm"); err == nil {
		t.Errorf("a link: %+v", got)
	}
}

// A module and its manifest are fetched from a web server, and their digest covers both.
func TestWeb(t *testing.T) {
	t.Parallel()
	manifest := `{"name":"weather"}`
	redirects := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case redirects > 0 && r.URL.Path != "/weather.json":
			redirects--
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		case r.URL.Path == "/weather.wasm" || r.URL.Path == "/alone.wasm":
			_, _ = w.Write(module)
		case r.URL.Path == "/weather.json":
			_, _ = io.WriteString(w, manifest)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	p := &place{t, "", nil, source.Config{Roots: roots, Private: []string{strings.TrimPrefix(server.URL, "https://")}}}
	first, err := p.fetch(server.URL + "/weather.wasm")
	if err != nil || string(first.Manifest) != manifest {
		t.Fatalf("%+v, %v", first, err)
	}
	if alone, err := p.fetch(server.URL + "/alone.wasm"); err != nil || alone.Manifest != nil {
		t.Errorf("without a manifest: %+v, %v", alone, err)
	}
	manifest = `{"name":"weather","permissions":{"env":["HOME"]}}`
	if _, err := p.fetch(server.URL + "/weather.wasm#" + first.Digest); err == nil || !strings.Contains(err.Error(), "pinned to") {
		t.Errorf("another manifest under the digest: %v", err)
	}
	if _, err := p.fetch(server.URL + "/none.wasm"); err == nil || !strings.Contains(err.Error(), "there is nothing at") {
		t.Errorf("nothing there: %v", err)
	}
	redirects = source.MaxRedirects
	if _, err := p.fetch(server.URL + "/weather.wasm"); err != nil {
		t.Errorf("%d redirects: %v", source.MaxRedirects, err)
	}
	redirects = source.MaxRedirects + 1
	if _, err := p.fetch(server.URL + "/weather.wasm"); err == nil || !strings.Contains(err.Error(), "more than 5 redirects") {
		t.Errorf("one more: %v", err)
	}
}

// A download reports how much came, and of how much.
func TestProgress(t *testing.T) {
	t.Parallel()
	body := append(bytes.Clone(module), bytes.Repeat([]byte{0}, 1<<20)...)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/weather.wasm" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	host := strings.TrimPrefix(server.URL, "https://")
	f := source.New(source.Config{Roots: roots, Private: []string{host}})
	defer f.Close()
	ref, err := source.Parse(server.URL + "/weather.wasm")
	if err != nil {
		t.Fatal(err)
	}
	var all bool
	ctx := progress.To(t.Context(), func(s progress.Step) {
		all = all || s == progress.Step{What: "from " + host, Done: int64(len(body)), Of: int64(len(body)), Bytes: true}
	})
	if _, err := f.Fetch(ctx, ref); err != nil || !all {
		t.Errorf("all was reported: %v, %v", all, err)
	}
}
