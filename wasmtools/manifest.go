package wasmtools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/command"
)

// Manifest is what an author says of a plugin, in NAME.json beside NAME.wasm.
// All of it may be left out. sdk/plugin/manifest.schema.json describes it.
type Manifest struct {
	Name        string            `json:"name,omitempty"` // the group of its tools; default the file's name
	Version     string            `json:"version,omitempty"`
	Description string            `json:"description,omitempty"`
	ABI         abi.Kind          `json:"abi,omitempty"`        // how it talks; default what its imports show, which must agree
	Isolation   Isolation         `json:"isolation,omitempty"`  // default snapshot where that is possible, else fresh
	Limits      Limits            `json:"limits,omitzero"`      // what it would like; above the defaults only a grant raises them
	Permissions Permissions       `json:"permissions,omitzero"` // what it would like; a grant gives it
	Config      map[string]string `json:"config,omitempty"`     // settings, which a grant changes
	Tools       []abi.Tool        `json:"tools,omitempty"`      // descriptions, for a guest that gives none
	Command     *command.Spec     `json:"command,omitempty"`    // makes tools of a program for WASI that knows nothing of tools
	Schema      string            `json:"$schema,omitempty"`    // for editors
}

// Isolation says what a call finds of the calls before.
type Isolation string

// The ways. Reuse leaves everything, and is for plugins that trust their
// callers to see what others left.
const (
	Snapshot Isolation = "snapshot" // nothing: memory and globals are put back to what they were after describe
	Fresh    Isolation = "fresh"    // nothing: each call has a new instance
	Reuse    Isolation = "reuse"    // what an earlier call left, perhaps
)

// Bounds of a manifest.
const (
	maxManifestBytes = 256 << 10
	maxConfig        = 256 // settings
	maxConfigText    = 16 << 10
)

var pluginName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// ParseManifest reads a manifest. The error is a fault that lists all problems.
func ParseManifest(raw []byte) (Manifest, error) {
	var m Manifest
	if err := decodeStrict(raw, maxManifestBytes, &m); err != nil {
		return m, fault.New("wasmtools.ParseManifest", sdkapi.ValidationError, "the manifest cannot be read: %s", err).Because(err)
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

// checkCommand adds to f what is wrong with the field command.
func (m Manifest) checkCommand(f *fault.Error) *fault.Error {
	switch {
	case m.Command == nil:
		return f
	case m.ABI != "" && m.ABI != abi.Command:
		f = f.At("abi", "expected %s or nothing beside command", abi.Command)
	case len(m.Tools) > 0:
		f = f.At("tools", "expected nothing beside command, which has tools of its own")
	}
	return m.Command.Check(f, "command")
}

func (i Isolation) check(f *fault.Error, path string) *fault.Error {
	if i != "" && !slices.Contains([]Isolation{Snapshot, Fresh, Reuse}, i) {
		return f.At(path, "expected %s, %s or %s", Snapshot, Fresh, Reuse)
	}
	return f
}

func checkConfig(f *fault.Error, path string, config map[string]string) *fault.Error {
	if len(config) > maxConfig {
		f = f.At(path, "expected at most %d settings", maxConfig)
	}
	for key, value := range config {
		if len(key)+len(value) > maxConfigText {
			f = f.At(path+"."+key[:min(len(key), 64)], "expected at most %d bytes", maxConfigText)
		}
	}
	return f
}

// orNil returns f if it lists anything.
func orNil(f *fault.Error) error {
	if len(f.Details.Fields) == 0 {
		return nil
	}
	return f
}

// decodeStrict reads one JSON object of at most limit bytes without unknown fields.
func decodeStrict(raw []byte, limit int, v any) error {
	if len(raw) > limit {
		return fmt.Errorf("it has %d bytes, of at most %d", len(raw), limit)
	}
	if !utf8.Valid(raw) {
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}
