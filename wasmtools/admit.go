package wasmtools

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/command"
	"github.com/windieos/windie/wasmtools/fuel"
)

// Source is a plugin in the form in which the gateway read or received it.
type Source struct {
	Name     string   // name of the plugin in the registry
	Module   []byte   // WebAssembly module of the plugin
	Script   []byte   // JavaScript of the plugin, which replaces Module; nil if the plugin is a module
	Manifest Manifest // manifest of the plugin; zero if the plugin has no manifest
	// source from which the plugin was fetched, for example "oci://registry.example/weather"; empty
	// if the operator put the plugin into the folder
	Origin   string
	SignedBy string // public key of the signer; empty if the plugin is unsigned
}

// Admission is the report on a plugin. It has the plugin's properties, limits and permissions, and
// the permissions that its manifest requests but the grant denies.
type Admission struct {
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	// source from which the plugin was fetched; empty if the operator put the plugin into the
	// folder
	Source string `json:"source,omitempty"`
	// public key of the signer; empty if the plugin is unsigned or its signature was not checked
	SignedBy  string    `json:"signed_by,omitempty"`
	SHA256    string    `json:"sha256"` // hash of the author's file
	Bytes     int       `json:"bytes"`  // size of the author's file
	ABI       abi.Kind  `json:"abi"`
	Isolation Isolation `json:"isolation"`

	Imports []string `json:"imports"` // names of the imports, in the form "module.name"
	Unmet   []string `json:"unmet_imports,omitempty"`
	// WebAssembly features that the module uses beyond the first version of WebAssembly
	Features    []string    `json:"features,omitempty"`
	Functions   int         `json:"functions"`
	MemoryBytes MemoryRange `json:"memory_bytes"`
	// estimated compile time in milliseconds, on one core without a cache; usually higher than the
	// real time
	CompileMS int64 `json:"compile_ms"`

	Limits      Limits      `json:"limits"`
	Permissions Permissions `json:"permissions"`
	Denied      []Denied    `json:"denied,omitempty"`
	Warnings    []string    `json:"warnings,omitempty"`

	config map[string]string
	risk   map[string]agent.Risk
}

// MemoryRange is the memory of a guest: its size at the start and its maximum, in bytes.
type MemoryRange struct {
	Start int64 `json:"start"`
	Most  int64 `json:"most"`
}

// admitted is an accepted module, ready to be compiled.
type admitted struct {
	Admission
	convention abi.Convention
	code       []byte // the instrumented module
	report     *fuel.Report
	script     []byte
	tools      []abi.Tool    // from the manifest
	program    *command.Spec // from the manifest; nil for a guest that describes its own tools
}

// compileStep is the duration of one step of fuel.Report.CompileWork.
const compileStep = 15 * time.Nanosecond

// admit checks a plugin, whose module has at most limit bytes, against its grant, and instruments
// the module. The error is a fault.
func admit(src Source, grant Grant, limit int) (*admitted, error) {
	const op = "wasmtools.admit"
	a := &admitted{script: src.Script, tools: src.Manifest.Tools}
	a.identify(src)
	if err := grant.isFor(src); err != nil {
		return nil, err
	}
	if grant.SHA256 != "" && grant.SHA256 != a.SHA256 {
		return nil, fault.New(op, sdkapi.ValidationError,
			"the plugin %q has the hash %s, but its grant is for %s; review the changes, then put the new hash into the grant", src.Name, a.SHA256, grant.SHA256)
	}
	a.limit(src.Manifest, grant)
	code, report, err := fuel.Rewrite(src.Module, fuel.Options{Limits: a.Limits.pass(limit), Allow: fuel.TailCalls | fuel.ExtendedConst, StartFuel: startFuel})
	if err != nil {
		return nil, refusal(src.Name, err)
	}
	a.code, a.report = code, report
	a.convention = abi.ScriptConvention()
	if src.Script == nil {
		if a.convention, err = abi.Detect(src.Manifest.ABI, report.Imports, report.Exports); err != nil {
			return nil, fmt.Errorf("plugin %q: %w", src.Name, err)
		}
	}
	a.ABI = a.convention.Kind
	if err := a.wrap(src); err != nil {
		return nil, err
	}
	a.describeModule()
	if len(a.Unmet) > 0 && grant.Unmet != unmetTrap {
		return nil, fault.New(op, sdkapi.ValidationError,
			"the plugin %q imports functions that the gateway does not have: %s; build it against docs/plugin-reference.md, or put \"unmet_imports\":\"trap\" into its grant so that only calls of these functions fail", src.Name, a.Unmet)
	}
	a.permit(src.Manifest, grant)
	a.isolate(src.Manifest, grant)
	return a, nil
}

// identify records the name, the source and the digest of the file that the author published. For a
// script, that is the script and not the runtime.
func (a *admitted) identify(src Source) {
	given := src.Module
	if src.Script != nil {
		given = src.Script
	}
	a.Name, a.Version, a.Description = src.Name, src.Manifest.Version, src.Manifest.Description
	a.Source, a.SignedBy = src.Origin, src.SignedBy
	h := sha256.New()
	digest(h, given)
	a.SHA256, a.Bytes = hex.EncodeToString(h.Sum(nil)), len(given)
}

// limit sets each limit to that of the grant. If the grant has no value, the manifest's applies, up to the default.
func (a *admitted) limit(m Manifest, g Grant) {
	wished, cut := m.Limits.within(g.Limits.over(Defaults()))
	a.Limits = g.Limits.over(wished).over(Defaults())
	for _, name := range cut {
		a.warn("it requests a higher %s; a grant can raise it", name)
	}
}

// printsAnswer reports whether the guest's standard output is its answer.
func (a *admitted) printsAnswer() bool { return a.ABI == abi.Command }

// warn adds a warning to the report. The text is a sentence without a full stop, and its subject "it" is the plugin.
func (a *admitted) warn(format string, args ...any) {
	a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
}

// describeModule copies the facts of the module from the report of the fuel pass.
func (a *admitted) describeModule() {
	r := a.report
	for _, i := range r.Imports {
		a.Imports = append(a.Imports, i.Module+"."+i.Name)
	}
	for _, i := range abi.Unmet(r.Imports) {
		a.Unmet = append(a.Unmet, i.Module+"."+i.Name)
	}
	a.Features = r.Features.Names()
	a.Functions = r.Functions
	if len(r.Memories) > 0 {
		a.MemoryBytes = MemoryRange{int64(r.Memories[0].Min) * pageBytes, int64(r.Memories[0].Imposed) * pageBytes}
	}
	a.CompileMS = (time.Duration(r.CompileWork) * compileStep).Milliseconds()
}

// permit sets the permissions to those of the grant.
func (a *admitted) permit(m Manifest, g Grant) {
	a.Permissions = g.Permissions
	a.Denied = denied(m.Permissions, g.Permissions)
	if kv := g.Permissions.KV; kv != nil && kv.Shared {
		a.warn("its store is shared: each user can read what it stores for another user")
	}
	a.risk = g.Risk
	a.config = map[string]string{}
	maps.Copy(a.config, m.Config)
	maps.Copy(a.config, g.Config)
}

// isolate chooses how to isolate calls from each other. If a snapshot would miss some state, each
// call gets a new instance.
func (a *admitted) isolate(m Manifest, g Grant) {
	wish := cmp.Or(m.Isolation, Snapshot)
	if wish == Reuse {
		wish = Snapshot
		a.warn("it requests the isolation reuse, which a grant can allow")
	}
	a.Isolation = cmp.Or(g.Isolation, wish)
	switch {
	case !a.convention.Restartable():
		a.Isolation = Fresh
	case a.Isolation == Snapshot && a.report.Lasting != 0:
		a.Isolation = Fresh
		a.warn("each call has a new instance: a snapshot does not hold its %s", a.report.Lasting)
	case a.Isolation == Snapshot && len(a.Permissions.FS) > 0:
		a.Isolation = Fresh
		a.warn("each call has a new instance: a snapshot does not hold open files")
	}
}

// refusal returns the fault for a module that the fuel pass rejected with err. The message contains the text of err.
func refusal(name string, err error) error {
	return fault.New("wasmtools.admit", sdkapi.ValidationError, "the gateway refuses the plugin %q: %s", name, err).Because(err)
}

// startFuel is the fuel of a start section, which runs before a meter exists.
const startFuel = 10_000_000

// wrap turns a WASI program into a plugin with the tools of the manifest's command. If the manifest has no command,
// wrap does nothing. If the module is not a WASI program, wrap fails.
func (a *admitted) wrap(src Source) error {
	spec := src.Manifest.Command
	if spec == nil {
		return nil
	}
	if a.ABI != abi.Command {
		return fault.New("wasmtools.admit", sdkapi.ValidationError,
			"the manifest of the plugin %q has the field command, which needs a WASI program, but the module has the interface %s; remove the field, or build the module for wasm32-wasip1 with a main function", src.Name, a.ABI)
	}
	a.program, a.tools, a.convention.Describe = spec, spec.Describe(), ""
	return nil
}

// hasFiles reports whether the guest sees files in a call: granted folders, or the call's work folder.
func (a *admitted) hasFiles() bool {
	return len(a.Permissions.FS) > 0 || a.program != nil && a.program.Works()
}

// digestBytes is the size of one hashing step, in bytes. Go cannot interrupt a step. Hashing tens of
// megabytes in one step would delay the garbage collector and all other goroutines.
const digestBytes = 256 << 10

// digest writes b to h in steps of digestBytes.
func digest(h hash.Hash, b []byte) {
	for part := range slices.Chunk(b, digestBytes) {
		h.Write(part)
	}
}

// isFor returns a fault if the plugin does not come from the source that the grant names. A grant
// without a source, permissions, limits or settings fits every source.
func (g Grant) isFor(src Source) error {
	gives := g
	gives.Disabled, gives.Source = false, ""
	if SameSource(g.Source, src.Origin) || g.Source == "" && marshalGrant(gives) == "{}" {
		return nil
	}
	from := func(source string) string {
		if source == "" {
			return "a file that was put there by hand"
		}
		return source
	}
	return fault.New("wasmtools.admit", sdkapi.ValidationError,
		"the plugin %q is from %s, but its grant is for a plugin from %s; to give this plugin the grant, put \"source\": %q into the grant",
		src.Name, from(src.Origin), from(g.Source), src.Origin)
}
