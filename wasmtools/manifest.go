package wasmtools

import (
	"slices"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/command"
)

// Manifest is an author's description of a plugin, in NAME.json beside NAME.wasm. All fields are
// optional. sdk/plugin/manifest.schema.json describes it.
type Manifest struct {
	Name        string `json:"name,omitempty"` // group of its tools; default: the file's name
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	// convention; default: the one that its imports show, which must agree
	ABI abi.Kind `json:"abi,omitempty"`
	// default: snapshot where possible, else fresh
	Isolation Isolation `json:"isolation,omitempty"`
	// wishes; only a grant raises them above the defaults
	Limits      Limits            `json:"limits,omitzero"`
	Permissions Permissions       `json:"permissions,omitzero"` // wishes; only a grant gives them
	Config      map[string]string `json:"config,omitempty"`     // settings, which a grant can override
	Tools       []abi.Tool        `json:"tools,omitempty"`      // descriptions, for a guest that gives none
	// turns a WASI program that knows nothing of tools into tools
	Command *command.Spec `json:"command,omitempty"`
	Schema  string        `json:"$schema,omitempty"` // for editors
}

// Limits of a manifest.
const (
	maxManifestBytes = 256 << 10
	maxConfig        = 256 // settings
	maxConfigText    = 16 << 10
)

// ParseManifest reads a manifest. The error is a fault that lists all problems.
func ParseManifest(raw []byte) (Manifest, error) {
	var m Manifest
	if err := decodeStrict(raw, maxManifestBytes, &m); err != nil {
		return m, fault.New("wasmtools.ParseManifest", sdkapi.ValidationError, "the manifest is not valid JSON: %s", err).Because(err)
	}
	f := fault.New("wasmtools.ParseManifest", sdkapi.ValidationError, "invalid manifest: see details.fields")
	if m.Name != "" && !pluginName.MatchString(m.Name) {
		f = f.At("name", "expected a lower case letter, then up to 31 letters, digits and _")
	}
	if m.ABI != "" && !slices.Contains([]abi.Kind{abi.Bulk, abi.Extism, abi.Command}, m.ABI) {
		f = f.At("abi", "expected %s, %s or %s", abi.Bulk, abi.Extism, abi.Command)
	}
	if len(m.Version) > 64 {
		f = f.At("version", "expected at most 64 bytes")
	}
	if len(m.Description) > 4096 {
		f = f.At("description", "expected at most 4096 bytes")
	}
	f = m.Isolation.check(f, "isolation")
	f = checkConfig(f, "config", m.Config)
	f = m.Limits.check(f, "limits")
	f = m.Permissions.check(f, "permissions")
	return m, orNil(m.checkCommand(f))
}

// checkCommand adds the problems of the field command to f.
func (m Manifest) checkCommand(f *fault.Error) *fault.Error {
	switch {
	case m.Command == nil:
		return f
	case m.ABI != "" && m.ABI != abi.Command:
		f = f.At("abi", "expected %s or no value, because the manifest has a command", abi.Command)
	case len(m.Tools) > 0:
		f = f.At("tools", "expected no tools, because the manifest has a command, which has its own tools")
	}
	return m.Command.Check(f, "command")
}
