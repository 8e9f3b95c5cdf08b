package source

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Config configures a Fetcher. The zero value fetches from public registries by HTTPS, without a
// login.
type Config struct {
	// registries, each with its port, that may have private addresses; an entry with http:// uses
	// plain HTTP
	Private     []string
	ModuleBytes int64               // maximum size of a module, in bytes; default 64 MiB
	Time        time.Duration       // maximum duration of one Fetch or Push; default MaxTime
	Logins      auth.CredentialFunc // logins to registries, for example the result of Logins; nil: no logins
	Roots       *x509.CertPool      // trusted certificate authorities; default: those of the system
}

// Limits of a fetch.
const (
	MaxTime        = 2 * time.Minute
	MaxRedirects   = 5
	defaultModule  = 64 << 20
	archiveRoom    = 16 << 20 // bytes of an archive besides the module
	maxHeaderBytes = 64 << 10
)

// Fetcher fetches and publishes packages. Its methods are safe for concurrent use.
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

// Close closes idle connections.
func (f *Fetcher) Close() { f.close() }

// Fetch returns the package that a reference names. The error is a fault whose message says what to
// do.
func (f *Fetcher) Fetch(ctx context.Context, ref Reference) (*Package, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.cfg.Time, errSlow)
	defer cancel()
	p, err := f.fetch(ctx, ref)
	return p, explained(ctx, err)
}

// fetch does the work of Fetch without its time limit.
func (f *Fetcher) fetch(ctx context.Context, ref Reference) (*Package, error) {
	if ref.IsFile() {
		return f.fetchFile(ctx, ref)
	}
	repository, err := f.registry(ref)
	if err != nil {
		return nil, err
	}
	return f.reader(repository).fetch(ctx, ref)
}

// reader returns a reader of a place, with the fetcher's limit for modules.
func (f *Fetcher) reader(p place) reader { return reader{p, f.cfg.ModuleBytes} }

// fetchFile reads a local file: an archive, or a module or script with the manifest beside it.
func (f *Fetcher) fetchFile(ctx context.Context, ref Reference) (*Package, error) {
	ending := filepath.Ext(ref.Path)
	if ending != ".wasm" && ending != ".js" && ending != archiveEnding {
		return nil, refuse("the file %s must end in .wasm, .js or .tar", ref.Path)
	}
	root, err := os.OpenRoot(filepath.Dir(ref.Path))
	if err != nil {
		return nil, refuse("cannot open the folder of %s", ref.Path).Because(err)
	}
	defer root.Close()
	name := filepath.Base(ref.Path)
	if ending == archiveEnding {
		most := f.cfg.ModuleBytes + archiveRoom
		raw, err := readIn(root, name, most)
		if err != nil {
			return nil, missing(ref, err)
		}
		a, err := openArchive(raw, "the archive "+ref.Path, most)
		if err != nil {
			return nil, err
		}
		return f.reader(a).fetch(ctx, ref)
	}
	body, err := readIn(root, name, f.cfg.ModuleBytes)
	if err != nil {
		return nil, missing(ref, err)
	}
	p := &Package{}
	if ending == ".js" {
		p.Script = body
	} else if p.Module = body; !isModule(body) {
		return nil, refuse("%s is not WebAssembly; check the download", ref.Path)
	}
	p.Manifest, err = readIn(root, strings.TrimSuffix(name, ending)+".json", MaxManifestBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	p.Digest = p.digest()
	return p, nil
}

// missing turns the error of a missing file into a VALIDATION_ERROR. It returns other errors unchanged.
func missing(ref Reference, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("there is no file %s; check the reference", ref.Path).Because(err)
	}
	return err
}

// readIn reads a file of a folder, of at most limit bytes. It refuses links out of the folder.
func readIn(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, fault.New("source.Fetch", sdkapi.PayloadTooLarge, "%.200s has more than %d bytes, the maximum; publish a smaller file", name, limit)
	}
	return b, err
}
