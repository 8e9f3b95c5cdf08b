// Package shelf manages plugins that were fetched by references: their pinned versions, their
// earlier versions, and their signers.
//
//	s := shelf.New(shelf.Config{Dir: "plugins", Fetcher: fetcher, Workshop: workshop})
//	change, err := s.Plan(ctx, shelf.Request{Reference: "oci://registry.example/weather:1"})
//	change.Print(os.Stdout) // what it is, or what changes
//	err = s.Apply(ctx, change)
//
// # Words
//
// The lock is the file DIR.lock.json beside the folder of plugins. It has an entry for each plugin:
// the reference that updates follow, the key that signed it, and the digest of each version. The
// versions themselves are in DIR.versions, so that a rollback needs no network. A change is a
// plugin that was fetched, checked and opened like in a gateway, and is not yet in the folder.
//
// A running gateway follows changes of its folder, and knows nothing of the lock.
package shelf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
)

// Config configures a Shelf.
type Config struct {
	Dir      string // path of the folder of plugins
	Grants   string // path of the operator's file of grants
	Fetcher  *source.Fetcher
	Policy   sign.Policy
	Workshop *author.Workshop // workshop that opens plugins
	// function that returns an error if a gateway would refuse the tools; default: no tool is
	// refused
	Check func(name string, tools []author.ToolSeen) error
	// function that empties the stores of a removed plugin; default: a function that does nothing
	Forget func(identity string) error
	// path of the program cosign; empty if the program is missing
	Cosign  string
	Environ []string // environment of the program cosign
}

// Shelf adds, updates and removes plugins that it fetches by a reference, for example from a
// registry.
type Shelf struct{ cfg Config }

// New returns a shelf.
func New(cfg Config) *Shelf {
	if cfg.Check == nil {
		cfg.Check = func(string, []author.ToolSeen) error { return nil }
	}
	if cfg.Forget == nil {
		cfg.Forget = func(string) error { return nil }
	}
	return &Shelf{cfg}
}

// Lock is the content of the lock file.
type Lock struct {
	V       int               `json:"v"` // format version: 1
	Plugins map[string]*Entry `json:"plugins"`
}

// Entry describes one plugin in the lock file.
type Entry struct {
	// reference by which updates fetch the plugin, for example "oci://registry.example/weather:1"
	Reference string    `json:"reference"`
	Source    string    `json:"source"`
	Key       string    `json:"key,omitempty"` // public key of the signer; empty if no signature was checked
	Current   Version   `json:"current"`
	Previous  []Version `json:"previous,omitempty"` // earlier versions of the plugin, the newest first
}

// Version is one version of a plugin that the shelf fetched.
type Version struct {
	Digest string `json:"digest"`
	// reference by which this version was fetched; empty if an older program wrote the lock file
	Reference string `json:"reference,omitempty"`
	Version   string `json:"version,omitempty"`
	File      string `json:"file"`          // name of the plugin's file: "plugin.wasm" or "plugin.js"
	Module    string `json:"module_sha256"` // hash of the plugin's file
	// hash of the author's manifest; empty if there is none
	Manifest string    `json:"manifest_sha256,omitempty"`
	Key      string    `json:"key,omitempty"` // public key that signed this version
	Added    time.Time `json:"added"`
}

// Names of the file of a stored version.
const (
	moduleFile = "plugin.wasm"
	scriptFile = "plugin.js"
)

// Limits of the lock.
const (
	MaxLockBytes = 4 << 20
	MaxPrevious  = 5 // maximum number of earlier versions of a plugin that are stored for Rollback
)

// lockPath returns the path of the lock file, which is beside the folder of plugins.
func (s *Shelf) lockPath() string { return filepath.Clean(s.cfg.Dir) + ".lock.json" }

// versionDir returns the folder with the files of a stored version.
func (s *Shelf) versionDir(name string, v Version) string {
	return filepath.Join(filepath.Clean(s.cfg.Dir)+".versions", name, v.Digest[len("sha256:"):])
}

// Read returns the content of the lock file. If the file is missing, the lock is empty.
func (s *Shelf) Read() (*Lock, error) {
	l := &Lock{V: 1, Plugins: map[string]*Entry{}}
	raw, err := wasmtools.ReadFile(s.lockPath(), MaxLockBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, l)
	}
	if err == nil {
		err = l.check()
	}
	if l.Plugins == nil { // "plugins" is null
		l.Plugins = map[string]*Entry{}
	}
	if err != nil {
		return nil, refuse("invalid lock file of plugins %s: %v; restore a copy of the file, or move the file away and add the plugins again", s.lockPath(), err).Because(err)
	}
	return l, nil
}

// check returns an error if the lock has another format, or an entry without a source, a valid name, a digest or a
// file.
func (l *Lock) check() error {
	if l.V != 1 {
		return fmt.Errorf("the lock file has the format %d; this program supports format 1", l.V)
	}
	for name, e := range l.Plugins {
		if e == nil || e.Source == "" {
			return fmt.Errorf("the entry %q has no source", name)
		}
		if _, err := wasmtools.NameOf(name, wasmtools.Manifest{}); err != nil {
			return err
		}
		for _, v := range append([]Version{e.Current}, e.Previous...) {
			// Both are parts of paths that are written and removed.
			if !source.IsDigest(v.Digest) {
				return fmt.Errorf("the entry %q has the invalid digest %.100q; expected sha256: and 64 lower case hexadecimal digits", name, v.Digest)
			}
			if v.File != moduleFile && v.File != scriptFile {
				return fmt.Errorf("the entry %q has the invalid file %.100q; expected %s or %s", name, v.File, moduleFile, scriptFile)
			}
		}
	}
	return nil
}

// write replaces the lock file atomically.
func (s *Shelf) write(l *Lock) error {
	raw, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return newfile.Write(s.lockPath(), append(raw, '\n'))
}

// change reads the lock, lets edit change it, and writes it, while no other process changes the
// lock or the folder.
func (s *Shelf) change(ctx context.Context, edit func(*Lock) error) error {
	if err := newfile.MkdirAll(s.cfg.Dir); err != nil {
		return fmt.Errorf("cannot create the folder of plugins: %w", err)
	}
	return wasmtools.LockFolder(ctx, s.cfg.Dir, func() error {
		if err := newfile.RemoveLeft(s.lockPath()); err != nil {
			return err
		}
		l, err := s.Read()
		if err == nil {
			err = edit(l)
		}
		if err != nil {
			return err
		}
		return s.write(l)
	})
}

// refuse returns a VALIDATION_ERROR with a message for the operator.
func refuse(format string, args ...any) *fault.Error {
	return fault.New("shelf", sdkapi.ValidationError, format, args...)
}

// Status describes a plugin in the lock file. Problem says how the plugin's installed files differ
// from the lock file, and is empty if they do not differ.
type Status struct {
	Name string `json:"name"`
	Entry
	// how the files in the folder differ from the lock file; empty if they do not differ
	Problem string `json:"problem,omitempty"`
}

// List describes all plugins in the lock file, sorted by name.
func (s *Shelf) List() ([]Status, error) {
	l, err := s.Read()
	if err != nil {
		return nil, err
	}
	list := []Status{}
	for _, name := range slices.Sorted(maps.Keys(l.Plugins)) {
		e := l.Plugins[name]
		st := Status{Name: name, Entry: *e}
		src, err := wasmtools.ReadSource(s.installed(name, e.Current), 1<<30)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			st.Problem = "its file is missing"
		case err != nil:
			st.Problem = fault.From(err).Message
		case hash(body(src)) != e.Current.Module:
			st.Problem = "its file differs from the lock file"
		}
		if st.Problem != "" {
			st.Problem += "; put it back with: windie plugin restore " + name
		}
		list = append(list, st)
	}
	return list, nil
}

// installed returns the path of a version's file in the folder of plugins.
func (s *Shelf) installed(name string, v Version) string {
	return filepath.Join(s.cfg.Dir, name, name+filepath.Ext(v.File))
}

// body returns the plugin's file: the script, or the module if there is no script.
func body(src wasmtools.Source) []byte {
	if src.Script != nil {
		return src.Script
	}
	return src.Module
}

// hash returns the SHA-256 in hexadecimal.
func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Get returns the entry of a plugin in the lock file. An unknown name is an error.
func (s *Shelf) Get(name string) (*Entry, error) {
	l, err := s.Read()
	if err != nil {
		return nil, err
	}
	if e := l.Plugins[name]; e != nil {
		return e, nil
	}
	return nil, fault.New("shelf.Get", sdkapi.NotFound, "no plugin %.64q was added from a reference; windie plugin list shows the added plugins", name)
}
