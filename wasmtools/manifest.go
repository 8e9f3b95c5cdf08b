package wasmtools

import (
	"slices"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/command"
)

// Manifest is an author's description of a plugin, in the file NAME.json beside NAME.wasm. All
// fields are optional. The file sdk/plugin/manifest.schema.json has the schema of a manifest.
type Manifest struct {
	// name of the plugin, which is also the group of its tools; default: the file's name
	Name        string `json:"name,omitempty"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	// convention by which the plugin and the gateway exchange data; it must agree with the plugin's
	// imports; default: the convention that the imports show
	ABI abi.Kind `json:"abi,omitempty"`
	// isolation of the plugin; default: snapshot if the plugin allows it, and otherwise fresh
	Isolation Isolation `json:"isolation,omitempty"`
	// limits that the author asks for; only a grant raises a limit above its default
	Limits Limits `json:"limits,omitzero"`
	// permissions that the author asks for; only a grant gives them
	Permissions Permissions       `json:"permissions,omitzero"`
	Config      map[string]string `json:"config,omitempty"` // settings of the plugin, which a grant can replace
	// descriptions of the tools, for a guest that does not describe itself
	Tools []abi.Tool `json:"tools,omitempty"`
	// Command has the tools that run the plugin as a command-line program. It is for a WASI program
	// without tools of its own.
	Command *command.Spec `json:"command,omitempty"`
	Schema  string        `json:"$schema,omitempty"` // URL of the JSON schema, which editors use
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
