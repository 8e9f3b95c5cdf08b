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

// Pin is the content of the file NAME.source, which is beside a plugin that was fetched by a
// reference. It records the source of the plugin and the hashes of its files. If the files no
// longer match the hashes, the gateway refuses the plugin.
type Pin struct {
	// source of the plugin without a version, for example "oci://registry.example/weather"
	Source string `json:"source"`
	Module string `json:"module_sha256"` // hash of the file NAME.wasm or NAME.js
	// hash of the file NAME.json; empty if the plugin has no such file
	Manifest string `json:"manifest_sha256,omitempty"`
	Key      string `json:"signed_by,omitempty"` // public key of the signer; empty if the plugin is unsigned
}

const (
	pinEnding   = ".source"
	maxPinBytes = 16 << 10
)

// NewPin returns the pin of a plugin that was fetched from source. manifest may be empty.
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

// Identity returns the key under which the gateway stores a plugin's values and derives its user
// ids. For a plugin that was fetched by a reference, the key contains the name and the source. This
// way, two plugins with the same name share nothing. For other plugins, the key is the name.
func Identity(name, source string) string {
	if source == "" {
		return name
	}
	return fmt.Sprintf("%s@%.32s", name, hashed([]byte(source)))
}

// identity returns the key for the stored values and the user ids of the plugin; see Identity.
func (a *Admission) identity() string { return Identity(a.Name, a.Source) }

// SameSource reports whether a and b name the same source. For example, the case of the host makes
// no difference. Identity is stricter: there, two different texts are two different sources.
func SameSource(a, b string) bool { return egress.Spelled(a) == egress.Spelled(b) }

// Named returns the path and the source of a plugin. name is its name, and dir is the folder of
// plugins. Both results are empty if there is no such plugin. origin, the source, is also empty if
// the operator put the plugin into the folder.
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
