package shelf_test

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/values"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/author"
	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// market is a registry over TLS, and a shelf that buys there.
type market struct {
	t        testing.TB
	registry *httptest.Server
	host     string // of the registry
	dir      string
	cfg      shelf.Config
	source   source.Config
	key      minisign.PrivateKey

	mu     sync.Mutex
	middle func(http.ResponseWriter, *http.Request, http.Handler) // between the registry and its clients; nil for nothing
}

func newMarket(t testing.TB) *market {
	t.Helper()
	m := &market{t: t, dir: t.TempDir()}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	m.registry = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		middle := m.middle
		m.mu.Unlock()
		if middle == nil {
			inner.ServeHTTP(w, r)
			return
		}
		middle(w, r, inner)
	}))
	m.registry.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(m.registry.Close)
	m.host = strings.TrimPrefix(m.registry.URL, "https://")
	roots := x509.NewCertPool()
	roots.AddCert(m.registry.Certificate())
	m.source = source.Config{Roots: roots, Private: []string{m.host}, ModuleBytes: 1 << 20, Time: 20 * time.Second}
	m.cfg = shelf.Config{Dir: filepath.Join(m.dir, "plugins"), Grants: filepath.Join(m.dir, "grants.json")}
	_, m.key, _ = minisign.GenerateKey(nil)
	return m
}

// between puts a handler between the registry and its clients.
func (m *market) between(handle func(http.ResponseWriter, *http.Request, http.Handler)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.middle = handle
}

// file writes a file that is no part of the market's folder, and returns its path.
func (m *market) file(name string, content []byte) string {
	m.t.Helper()
	path := filepath.Join(m.t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		m.t.Fatal(err)
	}
	return path
}

func (m *market) fetcher() *source.Fetcher {
	f := source.New(m.source)
	m.t.Cleanup(f.Close)
	return f
}

func (m *market) shelf() *shelf.Shelf {
	m.cfg.Fetcher = m.fetcher()
	m.cfg.Workshop = author.NewWorkshop(wasmtools.Config{CacheDir: filepath.Join(m.dir, "compiled"), ModuleBytes: m.source.ModuleBytes},
		func(ctx context.Context, folder string) (wasmtools.OpenStore, func(), error) {
			db, err := database.Open(ctx, database.Config{File: filepath.Join(folder, "windie.db")})
			return func(plugin, _ string, quota wasmtools.Quota) abi.Store {
				return values.Open(db).Plugin(plugin, quota.Bytes)
			}, func() { _ = db.Close() }, err
		})
	m.t.Cleanup(m.cfg.Workshop.Close)
	return shelf.New(m.cfg)
}

// oci returns the reference of a name in the registry.
func (m *market) oci(name string) string { return "oci://" + m.host + "/" + name }

// pkg is a plugin that repeats what it is called with, and has a manifest.
func pkg(manifest string) *source.Package {
	return &source.Package{Module: wasmtest.Echo(), Manifest: []byte(manifest)}
}

// signed signs p by a key.
func signed(p *source.Package, key minisign.PrivateKey) *source.Package {
	var m wasmtools.Manifest
	_ = json.Unmarshal(p.Manifest, &m) // an invalid one is signed too
	p.Release, p.Signature = sign.Sign(key, sign.Release{Name: m.Name, Version: m.Version, Files: p.Hashes()})
	return p
}

// push publishes p, and returns its reference.
func (m *market) push(name string, p *source.Package) string {
	m.t.Helper()
	ref, err := source.Parse(m.oci(name))
	if err == nil {
		_, err = m.fetcher().Push(m.t.Context(), p, ref)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return m.oci(name)
}

// add plans and applies what a reference names.
func (m *market) add(r shelf.Request) (*shelf.Change, error) {
	s := m.shelf()
	c, err := s.Plan(m.t.Context(), r)
	if err == nil {
		err = s.Apply(m.t.Context(), c)
	}
	return c, err
}

func (m *market) mustAdd(r shelf.Request) *shelf.Change {
	m.t.Helper()
	c, err := m.add(r)
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

// files returns all files of the market's folder but for compiled plugins, with their contents.
func (m *market) files() map[string]string {
	m.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, filepath.Join(m.dir, "compiled")) {
			return err
		}
		b, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, m.dir)] = string(b)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return all
}

// messageOf is what a person reads of an error.
func messageOf(err error) string {
	f := fault.From(err)
	text := f.Message
	for _, field := range f.Details.Fields {
		text += " " + field.Path + ": " + field.Message
	}
	return text
}

// changed runs the registry's handler, and gives what it answers to edit, before the client has it.
func changed(w http.ResponseWriter, r *http.Request, next http.Handler, edit func(header http.Header, body []byte) []byte) {
	if r.Method == http.MethodHead {
		next.ServeHTTP(w, r)
		return
	}
	got := httptest.NewRecorder()
	next.ServeHTTP(got, r)
	body := edit(got.Header(), got.Body.Bytes())
	for key, values := range got.Header() {
		w.Header()[key] = slices.Clone(values)
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(got.Code)
	_, _ = w.Write(body)
}

// isBlob reports whether a request is for content, and isManifest whether it is for a manifest.
func isBlob(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/")
}
func isManifest(r *http.Request) bool { return strings.Contains(r.URL.Path, "/manifests/") }

// grant writes the operator's file.
func (m *market) grant(text string) {
	m.t.Helper()
	if err := os.WriteFile(m.cfg.Grants, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("without %q: %s", part, text)
		}
	}
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}
