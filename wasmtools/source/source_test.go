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
		{"x.wasm", "file://" + here, "file://" + here},
		{"file://" + here, "file://" + here, "file://" + here},
		{here + "#a/y%25.wasm", "file://" + here + "#a/y%25.wasm", "file://" + here + "#a/y%25.wasm"},
		{here + "#" + digest, "file://" + here + "#" + digest, "file://" + here + "#" + digest},
		{"/" + strings.Repeat("a", 1023-len("file://")), "file:///" + strings.Repeat("a", 1023-len("file://")), "file:///" + strings.Repeat("a", 1023-len("file://"))},
		{"/" + strings.Repeat("a", 1024-len("file://")), "", "move the file to a shorter path"},
		{"\xff.wasm", "", "of UTF-8"},
		{"oci://GHCR.io/Upper", "", "expected one such as oci://"},
		{"oci://ghcr.io", "", "expected one such as oci://"},
		{"oci://ghcr.io/a@sha256:12", "", "expected one such as oci://"},
		{"oci://ghcr.io/a/../b", "", "expected one such as oci://"},
		{"https://example.com/a.wasm", "", "is not a path and begins with neither oci:// nor file://"},
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

// A package is the same from a registry and an archive, and has one digest.
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
		"oci://" + p.host + "/weather:1.2", "oci://" + p.host + "/weather@" + pushed, "oci://" + p.host + "/weather:1.2@" + pushed, file,
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

// Parts with the same content are one file of an archive.
func TestArchiveOfEqualParts(t *testing.T) {
	t.Parallel()
	want := whole()
	want.Licence = want.Readme
	file := filepath.Join(t.TempDir(), "weather.tar")
	if err := os.WriteFile(file, want.Archive("1.2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := (&place{t: t}).fetch(file); err != nil || !bytes.Equal(got.Licence, want.Readme) || !bytes.Equal(got.Readme, want.Readme) {
		t.Errorf("%+v, %v", got, err)
	}
}

// An archive that skopeo made of what a registry has is that package, where there is no network.
func TestArchiveOfSkopeo(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("skopeo"); err != nil {
		testkit.Skip(t, "skopeo", "make deps")
	}
	p := newPlace(t, plain)
	pushed, err := p.push("oci://"+p.host+"/tools/weather:1.2", whole())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "weather.tar")
	if out, err := exec.CommandContext(t.Context(), "skopeo", "--insecure-policy", "copy", "--src-tls-verify=false", "docker://"+p.host+"/tools/weather:1.2", "oci-archive:"+file+":1.2").CombinedOutput(); err != nil {
		t.Fatalf("skopeo: %v\n%s", err, out)
	}
	if got, err := p.fetch(file); err != nil || got.Digest != pushed || string(got.Manifest) != `{"name":"weather"}` {
		t.Errorf("%+v, %v", got, err)
	}
}

// The error for a tag that a registry does not have lists those that it has.
func TestTagThatIsNotThere(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain)
	if _, err := p.push("oci://"+p.host+"/tools/weather:1.2", whole()); err != nil {
		t.Fatal(err)
	}
	for reference, want := range map[string]string{"/tools/weather:9": `has no version "9"; it has: "1.2"`, "/tools/other:1": "check the name and the tag"} {
		if _, err := p.fetch("oci://" + p.host + reference); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", reference, err, want)
		}
	}
}

// A module or script comes with the manifest beside it, and its digest covers both.
func TestFiles(t *testing.T) {
	t.Parallel()
	p, dir := &place{t: t}, t.TempDir()
	put := func(name string, content []byte) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	file, script := put("weather.wasm", module), put("weather.js", []byte("globalThis.tools = []"))
	alone, err := p.fetch(file)
	if err != nil || alone.Manifest != nil || !bytes.Equal(alone.Module, module) {
		t.Fatalf("without a manifest: %+v, %v", alone, err)
	}
	put("weather.json", []byte(`{"name":"weather"}`))
	for _, file := range []string{file, script, "file://" + file} {
		if got, err := p.fetch(file); err != nil || string(got.Manifest) != `{"name":"weather"}` || got.Digest == alone.Digest {
			t.Errorf("%s: %+v, %v", file, got, err)
		}
	}
	for name, want := range map[string]string{
		"none.wasm": "there is no file", "none/none.wasm": "cannot open the folder", "weather.json": "must end in .wasm, .js or .tar", "": "must end in",
		filepath.Base(put("page.wasm", []byte("<html>"))): "is not WebAssembly", filepath.Base(put("page.tar", []byte("<html>"))): "not a tar archive",
	} {
		if _, err := p.fetch(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	put("linked.js", []byte("globalThis.tools = []"))
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "linked.json")); err != nil {
		t.Fatal(err)
	}
	if got, err := p.fetch(filepath.Join(dir, "linked.js")); err == nil {
		t.Errorf("a manifest that is a link out of the folder: %+v", got)
	}
}

// A request follows MaxRedirects redirects, and not one more.
func TestRedirectsAreBounded(t *testing.T) {
	t.Parallel()
	redirects := 0
	p := newPlace(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if redirects > 0 && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
				redirects--
				http.Redirect(w, r, r.URL.Path, http.StatusFound)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	reference := "oci://" + p.host + "/weather:1"
	if _, err := p.push(reference, whole()); err != nil {
		t.Fatal(err)
	}
	redirects = source.MaxRedirects
	if _, err := p.fetch(reference); err != nil {
		t.Errorf("%d redirects: %v", source.MaxRedirects, err)
	}
	redirects = source.MaxRedirects + 1
	if _, err := p.fetch(reference); err == nil || !strings.Contains(err.Error(), "more than 5 redirects") {
		t.Errorf("one more: %v", err)
	}
}

// A download reports how much came, and of how much.
func TestProgress(t *testing.T) {
	t.Parallel()
	p := newPlace(t, plain)
	pkg := whole()
	pkg.Module = append(bytes.Clone(module), bytes.Repeat([]byte{0}, 1<<20)...)
	if _, err := p.push("oci://"+p.host+"/weather:1", pkg); err != nil {
		t.Fatal(err)
	}
	f := source.New(p.cfg)
	defer f.Close()
	ref, err := source.Parse("oci://" + p.host + "/weather:1")
	if err != nil {
		t.Fatal(err)
	}
	all, size := false, int64(len(pkg.Module))
	ctx := progress.To(t.Context(), func(s progress.Step) {
		all = all || s == progress.Step{What: "from " + p.host, Done: size, Of: size, Bytes: true}
	})
	if _, err := f.Fetch(ctx, ref); err != nil || !all {
		t.Errorf("all was reported: %v, %v", all, err)
	}
}
