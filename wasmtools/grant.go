package wasmtools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Permissions is what a plugin may do outside of its memory. The zero value is
// nothing but reading the time and drawing random numbers.
type Permissions struct {
	HTTP   []egress.Rule `json:"http,omitempty"`   // where requests may go
	FS     []Mount       `json:"fs,omitempty"`     // folders
	Env    []string      `json:"env,omitempty"`    // variables of the gateway's environment, by name
	KV     *Quota        `json:"kv,omitempty"`     // a store of its own, for each user
	Tools  []string      `json:"tools,omitempty"`  // other tools, by name, with the caller's rights
	Clock  *bool         `json:"clock,omitempty"`  // default true; without it is 1970
	Random *bool         `json:"random,omitempty"` // default true
}

// Mount is a folder of the host that a guest sees. As a wish only At and Write
// count: the operator knows the folder.
type Mount struct {
	Path  string `json:"path,omitempty"`  // on the host, absolute
	At    string `json:"at"`              // for the guest, absolute, as "/data"
	Write bool   `json:"write,omitempty"` // may be changed
}

// Quota bounds a store.
type Quota struct {
	Bytes  int64 `json:"bytes"`                 // of each user; of all together if the store is shared
	Total  int64 `json:"total_bytes,omitempty"` // of all users together; default 100 times Bytes, at most maxQuota
	Shared bool  `json:"shared,omitempty"`      // all users have one store
}

// AllUsers returns the bytes of all users together.
func (q Quota) AllUsers() int64 { return cmp.Or(q.Total, min(usersPerQuota*q.Bytes, maxQuota)) }

// Grant is what the operator says of a plugin. The zero value enables it with
// default limits and no permission.
type Grant struct {
	Disabled    bool                  `json:"disabled,omitempty"`
	Source      string                `json:"source,omitempty"` // where the plugin must come from; empty for one that was put there by hand
	SHA256      string                `json:"sha256,omitempty"` // the module must have this hash; default any
	Permissions Permissions           `json:"permissions,omitzero"`
	Limits      Limits                `json:"limits,omitzero"`
	Isolation   Isolation             `json:"isolation,omitempty"`     // in place of the manifest's
	Config      map[string]string     `json:"config,omitempty"`        // over the manifest's
	Risk        map[string]agent.Risk `json:"risk,omitempty"`          // of tools, by the guest's name for them
	Unmet       string                `json:"unmet_imports,omitempty"` // "trap" admits a module that imports what the gateway lacks
}

// unmetTrap is the only value of Grant.Unmet but the empty one.
const unmetTrap = "trap"

// Grants are the grants by plugin, as the operator's file has them.
type Grants map[string]Grant

// maxGrantsBytes is the size of the operator's file at most.
const maxGrantsBytes = 1 << 20

// ParseGrants reads the operator's file. The error is a fault that lists all problems.
func ParseGrants(raw []byte) (Grants, error) {
	g := Grants{}
	if err := decodeStrict(raw, maxGrantsBytes, &g); err != nil {
		return nil, fault.New("wasmtools.ParseGrants", sdkapi.ValidationError, "the grants cannot be read: %s", err).Because(err)
	}
	f := fault.New("wasmtools.ParseGrants", sdkapi.ValidationError, "invalid grants: see details.fields")
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if !pluginName.MatchString(name) {
			f = f.At(name, "expected the name of a plugin")
		}
		f = g[name].check(f, name)
	}
	return g, orNil(f)
}

// ParseGrant reads the grant of a plugin. The error is a fault that lists all problems.
func ParseGrant(raw []byte) (Grant, error) {
	var g Grant
	if err := decodeStrict(raw, maxGrantsBytes, &g); err != nil {
		return g, fault.New("wasmtools.ParseGrant", sdkapi.ValidationError, "the grant cannot be read: %s", err).Because(err)
	}
	f := fault.New("wasmtools.ParseGrant", sdkapi.ValidationError, "invalid grant: see details.fields")
	return g, orNil(g.check(f, "body"))
}

var sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (g Grant) check(f *fault.Error, at string) *fault.Error {
	if g.SHA256 != "" && !sha256Pattern.MatchString(g.SHA256) {
		f = f.At(at+".sha256", "expected 64 digits of lower case hexadecimal")
	}
	if g.Unmet != "" && g.Unmet != unmetTrap {
		f = f.At(at+".unmet_imports", "expected %q or nothing", unmetTrap)
	}
	for tool, risk := range g.Risk {
		if !slices.Contains([]agent.Risk{agent.Safe, agent.Risky, agent.Forbidden}, risk) {
			f = f.At(at+".risk."+tool, "expected %s, %s or %s", agent.Safe, agent.Risky, agent.Forbidden)
		}
	}
	for i, m := range g.Permissions.FS {
		if !filepath.IsAbs(m.Path) {
			f = f.At(fmt.Sprintf("%s.permissions.fs[%d].path", at, i), "expected the absolute path of a folder of this machine")
		}
	}
	f = g.Isolation.check(f, at+".isolation")
	f = checkConfig(f, at+".config", g.Config)
	f = g.Limits.check(f, at+".limits")
	return g.Permissions.check(f, at+".permissions")
}

// Bounds of permissions.
const (
	maxRules  = 64
	maxMounts = 8
	maxQuota  = 1 << 30 // bytes

	usersPerQuota = 100 // whose quotas a plugin's users have together by default
)

func (p Permissions) check(f *fault.Error, at string) *fault.Error {
	for list, n := range map[string]int{"http": len(p.HTTP), "env": len(p.Env), "tools": len(p.Tools)} {
		if n > maxRules {
			f = f.At(at+"."+list, "expected at most %d", maxRules)
		}
	}
	for i, name := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.HasPrefix(name, "WINDIE_") {
			f = f.At(fmt.Sprintf("%s.env[%d]", at, i), "expected the name of a variable; the gateway's own, WINDIE_…, are no plugin's")
		}
	}
	if len(p.FS) > maxMounts {
		f = f.At(at+".fs", "expected at most %d", maxMounts)
	}
	seen := map[string]bool{}
	for i, m := range p.FS {
		if !path.IsAbs(m.At) || path.Clean(m.At) != m.At || seen[m.At] {
			f = f.At(fmt.Sprintf("%s.fs[%d].at", at, i), "expected an absolute path, as /data, that no other mount has")
		}
		seen[m.At] = true
	}
	if p.KV != nil && (p.KV.Bytes <= 0 || p.KV.Bytes > maxQuota) {
		f = f.At(at+".kv.bytes", "expected 1 to %d", maxQuota)
	}
	if p.KV != nil && (p.KV.Total < 0 || p.KV.Total > maxQuota) {
		f = f.At(at+".kv.total_bytes", "expected 0 to %d", maxQuota)
	}
	client, err := egress.New(egress.Config{Rules: p.HTTP, Secret: noSecret})
	if err == nil {
		_ = client.Close() // it has no connection yet
		return f
	}
	for _, field := range fault.From(err).Details.Fields {
		f = f.At(at+".http: "+field.Path, "%s", field.Message)
	}
	return f
}

// noSecret stands where rules are only checked.
func noSecret(string) (string, bool) { return "", false }

// clock and random report whether these are granted.
func (p Permissions) clock() bool  { return p.Clock == nil || *p.Clock }
func (p Permissions) random() bool { return p.Random == nil || *p.Random }

// changes reports whether p lets a guest change anything outside.
func (p Permissions) changes() bool {
	writes := func(method string) bool { return method != "GET" && method != "HEAD" }
	return len(p.Tools) > 0 || slices.ContainsFunc(p.FS, func(m Mount) bool { return m.Write }) ||
		slices.ContainsFunc(p.HTTP, func(r egress.Rule) bool { return slices.ContainsFunc(r.Methods, writes) })
}

// Denied is one thing that a plugin would like and was not granted.
type Denied struct {
	Permission string          `json:"permission"` // as "http"
	Wish       json.RawMessage `json:"wish"`       // as in its manifest, and as a grant of it would be
}

func denied(wish, granted Permissions) (list []Denied) {
	add := func(permission string, wish any) {
		raw, err := json.Marshal(wish)
		if err != nil {
			panic(err) // permissions come from JSON
		}
		list = append(list, Denied{permission, raw})
	}
	for _, rule := range wish.HTTP {
		if !slices.ContainsFunc(granted.HTTP, func(g egress.Rule) bool { return egress.SameHost(g, rule) }) {
			add("http", rule)
		}
	}
	for _, m := range wish.FS {
		if !slices.ContainsFunc(granted.FS, func(g Mount) bool { return g.At == m.At && (g.Write || !m.Write) }) {
			add("fs", m)
		}
	}
	for _, name := range wish.Env {
		if !slices.Contains(granted.Env, name) {
			add("env", name)
		}
	}
	for _, name := range wish.Tools {
		if !slices.Contains(granted.Tools, name) {
			add("tools", name)
		}
	}
	if wish.KV != nil && (granted.KV == nil || granted.KV.Bytes < wish.KV.Bytes || wish.KV.Shared && !granted.KV.Shared) {
		add("kv", wish.KV)
	}
	return list
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

var pluginName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

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

func marshalGrant(g Grant) string {
	raw, err := json.Marshal(g)
	if err != nil {
		panic(err) // grants come from JSON
	}
	return string(raw)
}
