package source

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Config says what a Fetcher may do. The zero value fetches from public hosts by HTTPS, without a login.
type Config struct {
	Mirror      string              // folder to fetch from, in place of the network; empty for none
	Private     []string            // hosts, with their ports, that may be at private addresses; those that begin with http:// speak plain HTTP
	ModuleBytes int64               // of a module at most; default 64 MiB
	Time        time.Duration       // of one Fetch or Push at most; default MaxTime
	Logins      auth.CredentialFunc // logins to registries, as Logins returns; nil for no logins
	Roots       *x509.CertPool      // whose certificates are trusted; default the system's
}

// Bounds of a fetch.
const (
	MaxTime        = 2 * time.Minute
	MaxRedirects   = 5
	defaultModule  = 64 << 20
	archiveRoom    = 16 << 20 // that an archive may have besides the module
	maxHeaderBytes = 64 << 10
)

// Fetcher fetches packages and publishes them. Its methods may be called from several goroutines.
type Fetcher struct {
	cfg    Config
	client *http.Client
	close  func()
}

// New returns a fetcher. The caller closes it.
func New(cfg Config) *Fetcher {
	cfg.ModuleBytes = cmp.Or(cfg.ModuleBytes, defaultModule)
	cfg.Time = cmp.Or(cfg.Time, MaxTime)
	private := make([]string, len(cfg.Private))
	for i, entry := range cfg.Private {
		private[i] = namedAs("https", entry)
		if host, plain := strings.CutPrefix(entry, "http://"); plain {
			private[i] = "http://" + namedAs("http", host)
		}
	}
	cfg.Private = private
	t := newTransport(cfg)
	return &Fetcher{cfg: cfg, client: &http.Client{Transport: t, CheckRedirect: checkRedirect}, close: t.close}
}

// Close closes connections that are kept for later.
func (f *Fetcher) Close() { f.close() }

// Fetch returns the package that a reference names. The error is a fault that says what to do.
func (f *Fetcher) Fetch(ctx context.Context, ref Reference) (*Package, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.cfg.Time, errSlow)
	defer cancel()
	p, err := f.fetch(ctx, ref)
	if err != nil {
		return nil, explained(ctx, err)
	}
	if ref.Digest != "" && ref.Digest != p.Digest {
		return nil, otherDigest(ref, p.Digest)
	}
	return p, nil
}

func (f *Fetcher) fetch(ctx context.Context, ref Reference) (*Package, error) {
	switch {
	case ref.Kind == File:
		return f.fetchFile(ctx, ref)
	case f.cfg.Mirror != "":
		return f.fetchMirror(ctx, ref)
	case ref.Kind == Web:
		return f.fetchURL(ctx, ref)
	}
	place, err := f.registry(ref)
	if err != nil {
		return nil, err
	}
	return f.reader(place).fetch(ctx, ref)
}

func (f *Fetcher) reader(p place) reader { return reader{p, f.cfg.ModuleBytes} }

// fetchFile fetches from this machine: a module or script, an archive, or a folder with a layout.
func (f *Fetcher) fetchFile(ctx context.Context, ref Reference) (*Package, error) {
	info, err := os.Stat(ref.Path)
	if err != nil {
		return nil, refuse("there is no file %s", ref.Path).Because(err)
	}
	if info.IsDir() {
		return f.fetchFolder(ctx, ref.Path, ref)
	}
	if !isPlugin(ref.Path) {
		return nil, refuse("the file %s must end in .wasm, .js or .tar", ref.Path)
	}
	root, err := os.OpenRoot(filepath.Dir(ref.Path))
	if err != nil {
		return nil, refuse("the folder of %s cannot be opened", ref.Path).Because(err)
	}
	defer root.Close()
	return f.fetchParts(ctx, ref, filepath.Base(ref.Path), func(name string, most int64) ([]byte, error) { return readIn(root, name, most) })
}

func (f *Fetcher) fetchFolder(ctx context.Context, dir string, ref Reference) (*Package, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, refuse("there is no folder %s", dir).Because(err)
	}
	defer root.Close()
	return f.reader(folderLayout(root, "the folder "+dir)).fetch(ctx, ref)
}

// fetchMirror fetches from the mirror: MIRROR/HOST/NAME is a layout for a registry's, and a file for a
// URL. A colon of HOST is a _ there.
func (f *Fetcher) fetchMirror(ctx context.Context, ref Reference) (*Package, error) {
	if ref.Kind == Registry {
		return f.fetchFolder(ctx, f.mirrored(ref), ref)
	}
	root, err := os.OpenRoot(f.cfg.Mirror)
	if err != nil {
		return nil, refuse("the mirror %s cannot be opened", f.cfg.Mirror).Because(err)
	}
	defer root.Close()
	return f.fetchParts(ctx, ref, mirrorHost(ref.Host)+ref.Path, func(name string, most int64) ([]byte, error) { return readIn(root, name, most) })
}

// mirrored returns the folder of the mirror that stands for a reference to a registry.
func (f *Fetcher) mirrored(ref Reference) string {
	return filepath.Join(f.cfg.Mirror, mirrorHost(ref.Host), filepath.FromSlash(ref.Path))
}

func mirrorHost(host string) string { return strings.ReplaceAll(host, ":", "_") }

// fetchURL fetches from a web server.
func (f *Fetcher) fetchURL(ctx context.Context, ref Reference) (*Package, error) {
	base := ref.scheme + "://" + ref.Host
	return f.fetchParts(ctx, ref, ref.Path, func(name string, most int64) ([]byte, error) { return f.get(ctx, base+escapePath(name), most) })
}

func escapePath(name string) string { return (&url.URL{Path: name}).EscapedPath() }

// fetchParts fetches an archive, or a module or script with the manifest beside it.
func (f *Fetcher) fetchParts(ctx context.Context, ref Reference, name string, get func(name string, most int64) ([]byte, error)) (*Package, error) {
	if filepath.Ext(name) == archiveEnding {
		most := f.cfg.ModuleBytes + archiveRoom
		archive, err := get(name, most)
		if err != nil {
			return nil, missing(ref, err)
		}
		l, err := archiveLayout(archive, "the archive "+ref.Source(), most)
		if err != nil {
			return nil, err
		}
		return f.reader(l).fetch(ctx, ref)
	}
	body, err := get(name, f.cfg.ModuleBytes)
	if err != nil {
		return nil, missing(ref, err)
	}
	p := &Package{}
	if filepath.Ext(name) == ".js" {
		p.Script = body
	} else if p.Module = body; !isModule(body) {
		return nil, refuse("%s is not WebAssembly; check where it is downloaded", ref.Source())
	}
	manifest, err := get(strings.TrimSuffix(name, filepath.Ext(name))+".json", MaxManifestBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, missing(ref, err)
	}
	p.Manifest = manifest
	p.Digest = p.digest()
	return p, nil
}

func missing(ref Reference, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("there is nothing at %s; check the reference", ref.Source()).Because(err)
	}
	return err
}

// Get returns the file at a URL, or in the mirror, or at a path of this machine, of at most most bytes.
// One that is not there is fs.ErrNotExist.
func (f *Fetcher) Get(ctx context.Context, address string, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.cfg.Time, errSlow)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		file, err := os.Open(address)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return readMost(file, filepath.Base(address), most)
	}
	if f.cfg.Mirror == "" {
		b, err := f.get(ctx, address, most)
		return b, explained(ctx, err)
	}
	root, err := os.OpenRoot(f.cfg.Mirror)
	if err != nil {
		return nil, refuse("the mirror %s cannot be opened", f.cfg.Mirror).Because(err)
	}
	defer root.Close()
	host, err := hostOf(address, u.Host)
	if err != nil {
		return nil, err
	}
	return readIn(root, mirrorHost(host)+u.Path, most)
}

// readMost reads at most most bytes.
func readMost(from io.Reader, name string, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, fault.New("source.Fetch", sdkapi.PayloadTooLarge, "%.200s has more than %d bytes; publish a smaller one, or raise WINDIE_PLUGIN_MODULE_BYTES if it is a module", name, most)
	}
	return b, err
}
