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

// Pin is the file NAME.source beside a plugin that was fetched by a reference. It records the
// source of the plugin and the hashes of its files. If the files no longer match the hashes, the
// gateway refuses the plugin.
type Pin struct {
	// for example "oci://registry.example/weather", without a version
	Source   string `json:"source"`
	Module   string `json:"module_sha256"`             // hash of NAME.wasm or NAME.js
	Manifest string `json:"manifest_sha256,omitempty"` // hash of NAME.json; empty if there is none
	Key      string `json:"signed_by,omitempty"`       // public key of the signer; empty if unsigned
}

const (
	pinEnding   = ".source"
	maxPinBytes = 16 << 10
)

// NewPin returns the pin of a plugin from source. manifest may be empty.
func NewPin(source string, module, manifest []byte) Pin {
	p := Pin{Source: source, Module: hashed(module)}
	if len(manifest) > 0 {
		p.Manifest = hashed(manifest)
	}
	return p
}

// hashed returns the SHA-256 hash of b in lower case hexadecimal.
func hashed(b []byte) string {
	h := sha256.New()
	digest(h, b)
	return hex.EncodeToString(h.Sum(nil))
}

// readPin reads the pin at path. It accepts unknown fields, so that an older gateway can read a newer pin.
func readPin(path string) (Pin, error) {
	var p Pin
	raw, err := ReadFile(path, maxPinBytes)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	return p, err
}

// originOf returns the source in the pin at path, or "" for an empty path.
func originOf(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	p, err := readPin(path)
	return p.Source, err
}

// pinned returns the source and the signer of a plugin. It fails if the files differ from those of
// the pin.
func (f found) pinned(name string, module, manifest []byte) (origin, key string, err error) {
	const op = "wasmtools.pinned"
	is, err := readPin(f.pin)
	if err != nil || is.Source == "" {
		return "", "", fault.New(op, sdkapi.ValidationError,
			"the gateway cannot read a file of the plugin %q: %s%s; run windie plugin list to see how to restore it, or remove the plugin", name, name, pinEnding).Because(err)
	}
	want := NewPin(is.Source, module, manifest)
	if want.Key = is.Key; is != want {
		return "", "", fault.New(op, sdkapi.ValidationError,
			"the files of the plugin %q differ from those that came from %s; run windie plugin list to see how to restore them, or remove the plugin", name, is.Source)
	}
	return is.Source, is.Key, nil
}

// Identity returns the key for the stored values and the user ids of a plugin. The key is the
// plugin's name. If the plugin was fetched by a reference, the key also includes the source, so
// that two plugins with the same name share nothing.
func Identity(name, source string) string {
	if source == "" {
		return name
	}
	return fmt.Sprintf("%s@%.32s", name, hashed([]byte(source)))
}

// identity returns the key for the stored values and the user ids of the plugin; see Identity.
func (a *Admission) identity() string { return Identity(a.Name, a.Source) }

// SameSource reports whether two texts name the same source, for example with another case of the
// host. Identity is stricter: the stored data of a plugin belongs to the exact text of its source.
func SameSource(a, b string) bool { return egress.Spelled(a) == egress.Spelled(b) }

// Named returns the path and the source of the plugin called name in the folder dir. Both are empty
// if there is no such plugin. The source is also empty if the operator put the plugin into the
// folder.
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
				m = Manifest{} // broken: it has the file's name until it is repaired
			}
		}
		if is, err := NameOf(f.path, m); err == nil && is == name {
			origin, err := originOf(f.pin)
			return f.path, origin, err
		}
	}
	return "", "", nil
}
