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

// Source is a plugin as it was found or given.
type Source struct {
	Name     string   // what it is registered as
	Module   []byte   // WebAssembly
	Script   []byte   // JavaScript, in place of Module; nil for none
	Manifest Manifest // the zero value if there was none
	Origin   string   // where it came from, as "oci://registry.example/weather"; empty if it was put there by hand
	SignedBy string   // the public key that signed it; empty if nobody did
}

// Admission is the report on a plugin: what it is, what it asks for, and what it gets.
type Admission struct {
	Name        string    `json:"name"`
	Version     string    `json:"version,omitempty"`
	Description string    `json:"description,omitempty"`
	Source      string    `json:"source,omitempty"`    // where it came from; empty if it was put there by hand
	SignedBy    string    `json:"signed_by,omitempty"` // the public key that signed it; empty if nobody did, or nobody looked
	SHA256      string    `json:"sha256"`              // of what the author gave
	Bytes       int       `json:"bytes"`               // likewise
	ABI         abi.Kind  `json:"abi"`
	Isolation   Isolation `json:"isolation"`

	Imports     []string    `json:"imports"` // as "module.name"
	Unmet       []string    `json:"unmet_imports,omitempty"`
	Features    []string    `json:"features,omitempty"` // of WebAssembly, beyond its first version
	Functions   int         `json:"functions"`
	MemoryBytes MemoryRange `json:"memory_bytes"`
	CompileMS   int64       `json:"compile_ms"` // estimate, on one core and when not cached; it errs on the high side

	Limits      Limits      `json:"limits"`
	Permissions Permissions `json:"permissions"`
	Denied      []Denied    `json:"denied,omitempty"`
	Warnings    []string    `json:"warnings,omitempty"`

	config map[string]string
	risk   map[string]agent.Risk
}

// MemoryRange is how much memory a guest has at the start and may come to have.
type MemoryRange struct {
	Start int64 `json:"start"`
	Most  int64 `json:"most"`
}

// admitted is a module that was let in, ready to be compiled.
type admitted struct {
	Admission
	convention abi.Convention
	code       []byte // the instrumented module
	report     *fuel.Report
	script     []byte
	tools      []abi.Tool    // from the manifest
	program    *command.Spec // from the manifest; nil for a guest that knows of tools
}

// compileStep is what a step of fuel.Report.CompileWork takes.
const compileStep = 15 * time.Nanosecond

// admit checks a plugin, whose module has at most most bytes, against its grant, and instruments it.
// The error is a fault.
func admit(src Source, grant Grant, most int) (*admitted, error) {
	const op = "wasmtools.admit"
	a := &admitted{script: src.Script, tools: src.Manifest.Tools}
	a.identify(src)
	if err := grant.isFor(src); err != nil {
		return nil, err
	}
	if grant.SHA256 != "" && grant.SHA256 != a.SHA256 {
		return nil, fault.New(op, sdkapi.ValidationError,
			"the plugin %q has the hash %s, and its grant is for %s; read what changed, then put the new hash into the grant", src.Name, a.SHA256, grant.SHA256)
	}
	a.limit(src.Manifest, grant)
	code, report, err := fuel.Rewrite(src.Module, fuel.Options{Limits: a.Limits.pass(most), Allow: fuel.TailCalls | fuel.ExtendedConst, StartFuel: startFuel})
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
			"the plugin %q imports what the gateway does not have: %s; build it against docs/plugin-reference.md, or put \"unmet_imports\":\"trap\" into its grant to have calls of these fail", src.Name, a.Unmet)
	}
	a.permit(src.Manifest, grant)
	a.isolate(src.Manifest, grant)
	return a, nil
}

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

// limit sets the limits: the grant's, else the manifest's up to the defaults.
func (a *admitted) limit(m Manifest, g Grant) {
	wished, cut := m.Limits.within(g.Limits.over(Defaults()))
	a.Limits = g.Limits.over(wished).over(Defaults())
	for _, name := range cut {
		a.warn("it would like a higher %s; a grant can raise it", name)
	}
}

// printsAnswer reports whether what the guest prints is its answer.
func (a *admitted) printsAnswer() bool { return a.ABI == abi.Command }

func (a *admitted) warn(format string, args ...any) {
	a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
}

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

// permit sets what the guest may do, which is what was granted.
func (a *admitted) permit(m Manifest, g Grant) {
	a.Permissions = g.Permissions
	a.Denied = denied(m.Permissions, g.Permissions)
	if kv := g.Permissions.KV; kv != nil && kv.Shared {
		a.warn("its store is shared: each user can find there what it keeps for another")
	}
	a.risk = g.Risk
	a.config = map[string]string{}
	maps.Copy(a.config, m.Config)
	maps.Copy(a.config, g.Config)
}

// isolate chooses how calls are kept apart. Where a snapshot would leave
// something, each call has an instance of its own.
func (a *admitted) isolate(m Manifest, g Grant) {
	wish := cmp.Or(m.Isolation, Snapshot)
	if wish == Reuse {
		wish = Snapshot
		a.warn("it would like the isolation reuse, which a grant can give")
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

func refusal(name string, err error) error {
	return fault.New("wasmtools.admit", sdkapi.ValidationError, "the plugin %q cannot be taken: %s", name, err).Because(err)
}

// startFuel is for a start section, which runs before there is a meter.
const startFuel = 10_000_000

// wrap makes a the plugin that its manifest makes of a program, if the manifest has a command.
func (a *admitted) wrap(src Source) error {
	spec := src.Manifest.Command
	if spec == nil {
		return nil
	}
	if a.ABI != abi.Command {
		return fault.New("wasmtools.admit", sdkapi.ValidationError,
			"the manifest of the plugin %q makes tools of a program for WASI (command), and the module talks as %s; leave command out, or build the module for wasm32-wasip1 with a main function", src.Name, a.ABI)
	}
	a.program, a.tools, a.convention.Describe = spec, spec.Describe(), ""
	return nil
}

// hasFiles reports whether a call of the guest has files.
func (a *admitted) hasFiles() bool {
	return len(a.Permissions.FS) > 0 || a.program != nil && a.program.Works()
}

// digestBytes is what is hashed at once: Go cannot interrupt it, and tens of megabytes would hold
// up the garbage collector, and with it everybody.
const digestBytes = 256 << 10

func digest(h hash.Hash, b []byte) {
	for part := range slices.Chunk(b, digestBytes) {
		h.Write(part)
	}
}

// isFor refuses a plugin from elsewhere than the grant says. A grant that gives nothing is for all.
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
		"the plugin %q is from %s, and its grant is for one from %s; if the plugin is to have this grant, put \"source\": %q into the grant",
		src.Name, from(src.Origin), from(g.Source), src.Origin)
}
