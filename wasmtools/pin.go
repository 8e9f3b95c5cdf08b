package wasmtools

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Pin is the file NAME.source beside a plugin that came by a reference. It says where the plugin
// came from and what its files were: a file that was changed since is refused.
type Pin struct {
	Source   string `json:"source"`                    // as "oci://registry.example/weather", without a version
	Module   string `json:"module_sha256"`             // of NAME.wasm or NAME.js
	Manifest string `json:"manifest_sha256,omitempty"` // of NAME.json; empty if there is none
	Key      string `json:"signed_by,omitempty"`       // the public key that signed it; empty if nobody did
}

const (
	pinEnding   = ".source"
	maxPinBytes = 16 << 10
)

// NewPin returns the pin of a plugin from source. Manifest may be empty.
func NewPin(source string, module, manifest []byte) Pin {
	p := Pin{Source: source, Module: hashed(module)}
	if len(manifest) > 0 {
		p.Manifest = hashed(manifest)
	}
	return p
}

func hashed(b []byte) string {
	h := sha256.New()
	digest(h, b)
	return hex.EncodeToString(h.Sum(nil))
}

func readPin(path string) (Pin, error) {
	var p Pin
	raw, err := ReadFile(path, maxPinBytes)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	return p, err
}

// originOf returns the source in the pin at path, empty for an empty path.
func originOf(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	p, err := readPin(path)
	return p.Source, err
}

// pinned returns where a plugin came from and who signed it, if its files are those of its pin.
func (f found) pinned(name string, module, manifest []byte) (origin, key string, err error) {
	const op = "wasmtools.pinned"
	is, err := readPin(f.pin)
	if err != nil || is.Source == "" {
		return "", "", fault.New(op, sdkapi.ValidationError,
			"the plugin %q has a file %s%s that cannot be read; windie plugin list says how to put it back, or remove the plugin", name, name, pinEnding).Because(err)
	}
	want := NewPin(is.Source, module, manifest)
	if want.Key = is.Key; is != want {
		return "", "", fault.New(op, sdkapi.ValidationError,
			"the files of the plugin %q are not those that came from %s; windie plugin list says how to put these back, or remove the plugin", name, is.Source)
	}
	return is.Source, is.Key, nil
}

// Identity returns what the values and the user ids of a plugin are kept under: its name, and for one
// that came by a reference also its source, so that two plugins of one name share nothing.
func Identity(name, source string) string {
	if source == "" {
		return name
	}
	return fmt.Sprintf("%s@%.32s", name, hashed([]byte(source)))
}

func (a *Admission) identity() string { return Identity(a.Name, a.Source) }

// SameSource reports whether two texts are one source. What is kept of a plugin belongs to the text that
// it was added with.
func SameSource(a, b string) bool { return egress.Spelled(a) == egress.Spelled(b) }

// Named returns the path of the plugin in the folder dir that has a name, and where it came from. Both
// are empty if there is none; the second also for one that was put there by hand.
func Named(dir, name string) (path, origin string, err error) {
	list, err := find(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	for _, f := range list {
		var m Manifest
		if f.manifest != "" {
			raw, err := ReadFile(f.manifest, maxManifestBytes)
			if err == nil {
				m, err = ParseManifest(raw)
			}
			if err != nil {
				m = Manifest{} // it is broken, and has the file's name until it is mended
			}
		}
		if is, err := NameOf(f.path, m); err == nil && is == name {
			origin, err := originOf(f.pin)
			return f.path, origin, err
		}
	}
	return "", "", nil
}
