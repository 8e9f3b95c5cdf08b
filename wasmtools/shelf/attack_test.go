package shelf_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// good is the plugin that is there before each attack, and that the attack would like to replace.
const good = `{"name":"repeat","version":"1.0.0"}`

// attack makes a registry or server hostile, and says what an operator asks for then.
type attack struct {
	name   string
	before bool // a version signed by the market's key is there
	make   func(m *market) shelf.Request
	want   string // in what the operator reads
	advice string // likewise: what to do
}

// layers publishes an image of layers with another tool.
func (m *market) layers(at string, layers ...v1.Layer) shelf.Request {
	m.t.Helper()
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), layers...)
	if err == nil {
		err = m.write(at, image)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return shelf.Request{Reference: m.oci(at)}
}

func (m *market) write(at string, image v1.Image) error {
	ref, err := name.ParseReference(m.host + "/" + at)
	if err != nil {
		return err
	}
	return remote.Write(ref, image, remote.WithTransport(m.registry.Client().Transport))
}

// raw publishes a manifest as it is under the tag latest, by the registry's HTTP API.
func (m *market) raw(at, manifest, media string, blobs ...[]byte) shelf.Request {
	m.t.Helper()
	client := m.registry.Client()
	for _, blob := range blobs {
		if err := remote.WriteLayer(mustRepo(m, at), static.NewLayer(blob, types.OCILayer), remote.WithTransport(client.Transport)); err != nil {
			m.t.Fatal(err)
		}
	}
	m.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !isManifest(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", media)
		w.Header().Set("Content-Length", fmt.Sprint(len(manifest)))
		w.Header().Set("Docker-Content-Digest", "sha256:"+sum(manifest))
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, manifest)
		}
	})
	return shelf.Request{Reference: m.oci(at)}
}

func mustRepo(m *market, at string) name.Repository {
	r, err := name.NewRepository(m.host + "/" + at)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

func manifestOf(layers string) string {
	return `{"schemaVersion":2,"mediaType":"` + string(types.OCIManifestSchema1) + `","config":{"mediaType":"application/vnd.wasm.config.v0+json","digest":"sha256:` + sum("{}") + `","size":2},"layers":[` + layers + `]}`
}

// tarOf is an archive of one entry.
func tarOf(header tar.Header, content []byte) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	header.Size, header.Mode = int64(len(content)), 0o644
	if header.Typeflag == tar.TypeSymlink {
		header.Size = 0
	}
	_ = w.WriteHeader(&header)
	if header.Size > 0 {
		_, _ = w.Write(content)
	}
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

// blobs has edit change the contents that the registry sends.
func blobs(edit func([]byte) []byte) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !isBlob(r) {
			next.ServeHTTP(w, r)
			return
		}
		changed(w, r, next, func(_ http.Header, b []byte) []byte { return edit(b) })
	}
}

// redirected has the registry send those who ask for content elsewhere.
func redirected(to func(r *http.Request) string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !isBlob(r) {
			next.ServeHTTP(w, r)
			return
		}
		http.Redirect(w, r, to(r), http.StatusTemporaryRedirect)
	}
}

// None of the attacks installs anything, and each is refused with a message that says what to do.
func TestAttacks(t *testing.T) {
	t.Parallel()
	attacks := append(append(append(tampering(), archives()...), network()...), signatures()...)
	if len(attacks) < 30 {
		t.Fatalf("there are %d attacks", len(attacks))
	}
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			if a.before {
				m.mustAdd(shelf.Request{Reference: m.push("a:1", signed(pkg(good), m.key))})
			}
			r := a.make(m)
			before := m.files()
			c, err := m.add(r)
			if err == nil {
				t.Fatalf("it was installed as %s %s", c.Name, c.After.Digest)
			}
			mustContain(t, messageOf(err), a.want, a.advice)
			after := m.files()
			for file, content := range after {
				if before[file] != content {
					t.Errorf("%s has changed", file)
				}
			}
			if len(after) != len(before) {
				t.Errorf("there were %d files, and there are %d", len(before), len(after))
			}
		})
	}
}

// tampering are changes of what was published, on its way or in the registry.
func tampering() []attack {
	flip := func(b []byte) []byte { b = bytes.Clone(b); b[len(b)/2] ^= 1; return b }
	pushed := func(m *market) shelf.Request { return shelf.Request{Reference: m.push("x:1", pkg(good))} }
	spoiled := func(edit func([]byte) []byte) func(*market) shelf.Request {
		return func(m *market) shelf.Request {
			r := pushed(m)
			m.between(blobs(edit))
			return r
		}
	}
	layer := func(media, digest string, size int64) string {
		return fmt.Sprintf(`{"mediaType":%q,"digest":%q,"size":%d}`, media, digest, size)
	}
	echo := "sha256:" + sum(string(wasmtest.Echo()))
	return []attack{
		{"a layer with another bit", false, spoiled(flip), "does not match its digest", "try again, then ask the plugin's publisher"},
		{"a layer that is shorter", false, spoiled(func(b []byte) []byte { return b[:len(b)-1] }), " failed: ", "check the reference"},
		{"a layer that is longer", false, spoiled(func(b []byte) []byte { return append(bytes.Clone(b), 0) }), "mismatch Content-Length", "check the reference"},
		{"another layer for a digest", false, spoiled(func(b []byte) []byte { return bytes.Repeat([]byte{0}, len(b)) }), "does not match its digest", "then ask the plugin's publisher"},
		{"a manifest with another byte", false, func(m *market) shelf.Request {
			r := pushed(m)
			m.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				changed(w, r, next, func(_ http.Header, b []byte) []byte {
					if isManifest(r) {
						return bytes.Replace(b, []byte("schemaVersion"), []byte("schemaversion"), 1)
					}
					return b
				})
			})
			return r
		}, "the artifact's manifest does not match its digest", "ask "},
		{"another manifest for a pinned digest", false, func(m *market) shelf.Request {
			c, err := m.shelf().Plan(m.t.Context(), pushed(m))
			if err != nil {
				m.t.Fatal(err)
			}
			other := m.raw("x", manifestOf(layer("application/wasm", echo, int64(len(wasmtest.Echo())))), string(types.OCIManifestSchema1), wasmtest.Echo())
			return shelf.Request{Reference: strings.TrimSuffix(other.Reference, ":1") + "@" + c.After.Digest}
		}, " failed: ", "check the reference"},
		{"a layer of 4 EiB", false, func(m *market) shelf.Request {
			return m.raw("x", manifestOf(layer("application/wasm", echo, 1<<62)), string(types.OCIManifestSchema1))
		}, "at most 1048576", "stripped of its symbols"},
		{"a layer of less than nothing", false, func(m *market) shelf.Request {
			return m.raw("x", manifestOf(layer("application/wasm", echo, -1)), string(types.OCIManifestSchema1))
		}, "has -1 bytes", "publish a smaller"},
		{"a manifest of two megabytes", false, func(m *market) shelf.Request {
			return m.raw("x", manifestOf(layer("application/wasm"+strings.Repeat("x", 2<<20), echo, 1)), string(types.OCIManifestSchema1))
		}, "the artifact's manifest has 2", "publish a smaller"},
		{"a thousand layers", false, func(m *market) shelf.Request {
			return m.raw("x", manifestOf(strings.TrimSuffix(strings.Repeat(layer("application/x", echo, 1)+",", 1000), ",")), string(types.OCIManifestSchema1))
		}, "1000 layers", "expected 1 to 64"},
		{"two modules", false, func(m *market) shelf.Request {
			return m.layers("x", static.NewLayer(wasmtest.Echo(), "application/wasm"), static.NewLayer(append(wasmtest.Echo(), 0, 1, 0), "application/wasm"))
		}, `two layers "application/wasm"`, "publish it with only one"},
		{"another kind of digest", false, func(m *market) shelf.Request {
			return m.raw("x", manifestOf(layer("application/wasm", "sha512:"+strings.Repeat("0", 128), 1)), string(types.OCIManifestSchema1))
		}, "only sha256 is supported", "publish the plugin again"},
		{"a digest that is a path", false, func(m *market) shelf.Request {
			return m.raw("x", manifestOf(layer("application/wasm", "sha256:../../../../etc/passwd", 1)), string(types.OCIManifestSchema1))
		}, "only sha256 is supported", "publish the plugin again"},
		{"an index of indexes", false, func(m *market) shelf.Request {
			return m.raw("x", `{"schemaVersion":2,"manifests":[{"mediaType":"`+string(types.OCIImageIndex)+`","digest":"`+echo+`","size":1}]}`, string(types.OCIImageIndex))
		}, "lists no manifest", "name another tag"},
		{"an image manifest under the name of an index", false, func(m *market) shelf.Request {
			return m.raw("x", `{"schemaVersion":2,"mediaType":"`+string(types.OCIImageIndex)+`","layers":[`+layer("application/wasm", echo, 1)+`]}`, string(types.OCIManifestSchema1))
		}, "was published as", "publish the plugin again"},
		{"a plugin's manifest that is none", false, func(m *market) shelf.Request {
			return shelf.Request{Reference: m.push("x:1", pkg(`{"name":"repeat","permision":{}}`))}
		}, "unknown field", "the manifest is not valid JSON"},
		{"a component", false, func(m *market) shelf.Request {
			return m.layers("x", static.NewLayer([]byte("\x00asm\x0d\x00\x01\x00"), "application/wasm"))
		}, "component", "build"},
		{"a module that never describes itself", false, func(m *market) shelf.Request {
			p := &source.Package{Module: spin(), Manifest: []byte(good)}
			return shelf.Request{Reference: m.push("x:1", p)}
		}, "is unusable", "its function describe must return"},
	}
}

// archives are tricks of archives and images.
func archives() []attack {
	image := func(content []byte, media string) func(*market) shelf.Request {
		return func(m *market) shelf.Request { return m.layers("x", static.NewLayer(content, types.MediaType(media))) }
	}
	file := func(header tar.Header, content []byte) []byte {
		header.Typeflag = max(header.Typeflag, '0')
		return tarOf(header, content)
	}
	sent := func(archive []byte) func(*market) shelf.Request {
		return func(m *market) shelf.Request { return shelf.Request{Reference: m.file("repeat.tar", archive)} }
	}
	zeros := file(tar.Header{Name: "x.bin"}, make([]byte, 16<<20))
	oci, docker := "application/vnd.oci.image.layer.v1.tar+gzip", "application/vnd.docker.image.rootfs.diff.tar.gzip"
	return []attack{
		{"a bomb of gzip", false, image(gzipped(zeros), oci), "the unpacked archive exceeds", "only the plugin"},
		{"a bomb of zstd", false, image(zstded(zeros), "application/vnd.oci.image.layer.v1.tar+zstd"), "the unpacked archive exceeds", "only the plugin"},
		{"a path that leads out", false, image(gzipped(file(tar.Header{Name: "../../plugin.wasm"}, wasmtest.Echo())), docker), "contains 0 .wasm files", "publish it with one .wasm file"},
		{"a link to a file of this machine", false, image(gzipped(file(tar.Header{Name: "plugin.wasm", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, nil)), docker), "contains 0 .wasm files", "publish it with one .wasm file"},
		{"an image without a module", false, image(gzipped(file(tar.Header{Name: "bin/sh"}, []byte("x"))), docker), "contains 0 .wasm files", "publish it with one .wasm file"},
		{"a layer that is no archive", false, image([]byte("no archive at all, but long enough to be read as one"+strings.Repeat(" ", 600)), oci), "damaged", "not a tar archive"},
		{"an archive with two files of one name", false, sent(append(trimmed(file(tar.Header{Name: "index.json"}, []byte("{}"))), file(tar.Header{Name: "index.json"}, []byte("{}"))...)), "twice", "windie plugin pack"},
		{"an archive without anything", false, sent(nil), "not an OCI layout", "index.json"},
		{"an archive with another module", false, sent(exchanged(pkg(good).Archive("1"), []byte("Answers with"), []byte("Answers wiTh"))), "does not match its digest", "then ask the plugin's publisher"},
		{"a page in place of a module", false, func(m *market) shelf.Request {
			return shelf.Request{Reference: m.file("repeat.wasm", []byte("<html>log in first</html>"))}
		}, "is not WebAssembly", "check the download"},
	}
}

// trimmed is an archive without its end, so that another can follow.
func trimmed(archive []byte) []byte { return archive[:len(archive)-1024] }

func exchanged(b, from, to []byte) []byte { return bytes.Replace(b, from, to, 1) }

// spin is a module whose describe does not end.
func spin() []byte {
	return wasmtest.Module().
		ImportFunc("windie", "input_len", "", "i").
		Memory(1, 1).Export("memory", 2, 0).
		Fn("describe", "", "", wasmtest.Loop(wasmtest.Br(0))).
		Fn("call", "", "").
		Bytes()
}

// network are attacks by where the bytes come from, and how.
func network() []attack {
	pushed := func(m *market, middle func(http.ResponseWriter, *http.Request, http.Handler)) shelf.Request {
		r := shelf.Request{Reference: m.push("x:1", pkg(good))}
		m.between(middle)
		return r
	}
	named := "WINDIE_PLUGIN_PRIVATE_HOSTS"
	return []attack{
		{"a slow download", false, func(m *market) shelf.Request {
			m.source.Time = 300 * time.Millisecond
			return pushed(m, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if !isBlob(r) {
					next.ServeHTTP(w, r)
					return
				}
				drip(w, r)
			})
		}, "did not send the whole plugin within the time limit", "try again later"},
		{"an endless download", false, func(m *market) shelf.Request {
			return pushed(m, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				for isBlob(r) && r.Context().Err() == nil {
					if _, err := w.Write(make([]byte, 64<<10)); err != nil {
						return
					}
				}
				next.ServeHTTP(w, r)
			})
		}, "does not match its digest", "then ask the plugin's publisher"},
		{"a download that is announced as huge", false, func(m *market) shelf.Request {
			return pushed(m, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if !isBlob(r) {
					next.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Length", "99999999999")
			})
		}, "mismatch Content-Length", "check the reference"},
		{"an archive of two plugins", false, func(m *market) shelf.Request {
			return shelf.Request{Reference: m.file("repeat.tar", tarOf(tar.Header{Name: "index.json", Typeflag: tar.TypeReg}, []byte(`{"schemaVersion":2,"manifests":[{},{}]}`)))}
		}, "contains 2 artifacts", "expected 1"},
		{"an archive without what its index names", false, func(m *market) shelf.Request {
			return shelf.Request{Reference: m.file("repeat.tar", tarOf(tar.Header{Name: "index.json", Typeflag: tar.TypeReg}, []byte(`{"schemaVersion":2,"manifests":[{"mediaType":"`+string(types.OCIManifestSchema1)+`","digest":"sha256:`+sum("")+`","size":1}]}`)))}
		}, "lacks the file with the digest", "windie plugin pack"},
		{"a module that is too large", false, func(m *market) shelf.Request {
			return shelf.Request{Reference: m.file("repeat.wasm", append(wasmtest.Echo(), make([]byte, 1<<20)...))}
		}, "has more than 1048576 bytes", "publish a smaller"},
		{"a redirect to a private address", false, func(m *market) shelf.Request {
			return pushed(m, redirected(func(*http.Request) string { return "https://127.0.0.2:1/secret" }))
		}, "is at a private address", named},
		{"a redirect to the metadata of a cloud", false, func(m *market) shelf.Request {
			return pushed(m, redirected(func(*http.Request) string { return "https://169.254.169.254/latest/meta-data" }))
		}, "is at a private address", named},
		{"a redirect to a name of this machine", false, func(m *market) shelf.Request {
			return pushed(m, redirected(func(*http.Request) string { return "https://localhost:1/x" }))
		}, "is at a private address", named},
		{"a redirect to plain HTTP", false, func(m *market) shelf.Request {
			return pushed(m, redirected(func(r *http.Request) string { return "http://" + r.Host + r.URL.Path }))
		}, "use plain HTTP", named},
		{"redirects without an end", false, func(m *market) shelf.Request {
			return pushed(m, redirected(func(r *http.Request) string { return r.URL.Path }))
		}, "more than 5 redirects", "use the final address"},
		{"a registry at a private address", false, func(m *market) shelf.Request {
			m.source.Private = nil
			return shelf.Request{Reference: m.oci("x:1")}
		}, "is at a private address", named},
		{"an address of a web server", false, func(*market) shelf.Request {
			return shelf.Request{Reference: "https://plugins.example/x.wasm"}
		}, "begins with neither oci:// nor file://", "add the file"},
		{"a login that is asked for elsewhere", false, func(m *market) shelf.Request {
			return pushed(m, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.Header().Set("WWW-Authenticate", `Bearer realm="https://127.0.0.2:1/token",service="x"`)
				w.WriteHeader(http.StatusUnauthorized)
			})
		}, "is at a private address", named},
		{"a registry that is gone", false, func(m *market) shelf.Request {
			return pushed(m, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusBadGateway) })
		}, " failed: ", "check the reference"},
	}
}

// drip sends a byte now and then.
func drip(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			_, _ = w.Write([]byte{0})
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// signatures are attacks by somebody who can publish, and has no key.
func signatures() []attack {
	next := `{"name":"repeat","version":"1.1.0"}`
	update := func(m *market, p *source.Package) shelf.Request { return shelf.Request{Reference: m.push("a:1", p)} }
	other := func() minisign.PrivateKey { _, key, _ := minisign.GenerateKey(nil); return key }
	return []attack{
		{"another key", true, func(m *market) shelf.Request { return update(m, signed(pkg(next), other())) }, "but earlier it was signed by", "pass the key with --key"},
		{"no signature any more", true, func(m *market) shelf.Request { return update(m, pkg(next)) }, "is not signed, but earlier it was signed by", "ask its author"},
		{"a manifest that was not signed", true, func(m *market) shelf.Request {
			p := signed(pkg(next), m.key)
			p.Manifest = []byte(`{"name":"repeat","version":"1.1.0","permissions":{"env":["HOME"]}}`)
			return update(m, p)
		}, "manifest differs from the signed content", "ask the author"},
		{"a module that was not signed", true, func(m *market) shelf.Request {
			p := signed(pkg(next), m.key)
			p.Module = append(p.Module, 0, 1, 0)
			return update(m, p)
		}, "module differs from the signed content", "ask the author"},
		{"a signed file that is left out", true, func(m *market) shelf.Request {
			p := pkg(next)
			p.Licence = []byte("do what you like")
			p = signed(p, m.key)
			p.Licence = nil
			return update(m, p)
		}, "lacks the signed file", "ask the author"},
		{"a file that was added", true, func(m *market) shelf.Request {
			p := signed(pkg(next), m.key)
			p.Readme = []byte("# Run this as root")
			return update(m, p)
		}, "readme differs from the signed content", "ask the author"},
		{"a release that was changed", true, func(m *market) shelf.Request {
			p := signed(pkg(next), m.key)
			p.Release = bytes.Replace(p.Release, []byte("1.1.0"), []byte("1.1.1"), 1)
			return update(m, p)
		}, "the signature does not match the key", "do not use the plugin"},
		{"the key of the author, and the signature of another", true, func(m *market) shelf.Request {
			p := pkg(next)
			evil := other()
			release, _ := json.Marshal(sign.Release{V: 1, Name: "repeat", Version: "1.1.0", Files: p.Hashes(), Key: sign.Public(m.key)})
			p.Release, p.Signature = release, minisign.Sign(evil, release)
			return update(m, p)
		}, "the signature does not match the key", "do not use the plugin"},
		{"the signed release of another plugin", true, func(m *market) shelf.Request {
			p := pkg(`{"name":"repeat","version":"1.1.0"}`)
			p.Release, p.Signature = sign.Sign(m.key, sign.Release{Name: "erase", Version: "1.1.0", Files: p.Hashes()})
			return update(m, p)
		}, `was signed as "erase"`, "ask the author"},
		{"a key that nobody listed, where one is required", false, func(m *market) shelf.Request {
			m.cfg.Policy = sign.Policy{Default: sign.Required}
			return shelf.Request{Reference: m.push("x:1", signed(pkg(good), m.key))}
		}, "which is in no list of trusted keys", "compare the key"},
		{"no signature where one is required", false, func(m *market) shelf.Request {
			m.cfg.Policy = sign.Policy{Rules: []sign.Rule{{Source: "oci://*", Signature: sign.Required}}}
			return shelf.Request{Reference: m.push("x:1", pkg(good))}
		}, "the policy requires a signature", "ask its author for a signed version"},
		{"a key beside the listed one", false, func(m *market) shelf.Request {
			m.cfg.Policy = sign.Policy{Rules: []sign.Rule{{Source: "oci://" + m.host + "/*", Keys: []string{sign.Public(other())}}}}
			return shelf.Request{Reference: m.push("x:1", signed(pkg(good), m.key))}
		}, "but the policy trusts only", "ask its author for the correct key"},
		{"a key that is asked for beside the listed one", false, func(m *market) shelf.Request {
			m.cfg.Policy = sign.Policy{Rules: []sign.Rule{{Source: "oci://*", Keys: []string{sign.Public(other())}}}}
			return shelf.Request{Reference: m.push("x:1", signed(pkg(good), m.key)), Key: sign.Public(m.key)}
		}, "is not in the policy's list", "if you trust the key, add it to the list"},
		{"a keyless signature without the program for it", false, func(m *market) shelf.Request {
			m.cfg.Policy = sign.Policy{Rules: []sign.Rule{{Source: "oci://*", Cosign: &sign.Cosign{Identity: "a@example.com", Issuer: "https://issuer.example"}}}}
			return shelf.Request{Reference: m.push("x:1", pkg(good))}
		}, "the program cosign is not installed", "install it"},
		{"another plugin under the same reference", true, func(m *market) shelf.Request {
			r := update(m, signed(pkg(`{"name":"erase","version":"1.1.0"}`), m.key))
			r.As = "repeat"
			return r
		}, `now has the plugin "erase"`, "ask its publisher"},
		{"the name of a plugin from elsewhere", true, func(m *market) shelf.Request {
			return shelf.Request{Reference: m.push("b:1", signed(pkg(next), m.key))}
		}, "give the new plugin another name with --as", "windie plugin remove"},
	}
}
