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

// Permissions is the access that a plugin has to things outside of its memory. The zero value
// allows the plugin only to read the time and random numbers.
type Permissions struct {
	HTTP []egress.Rule `json:"http,omitempty"` // rules for the HTTP requests that the plugin may send
	FS   []Mount       `json:"fs,omitempty"`   // folders that the plugin may access
	// names of variables in the gateway's environment that the plugin may read
	Env []string `json:"env,omitempty"`
	// quota of the plugin's key-value store; by default, each user has a separate store; nil: no
	// store
	KV *Quota `json:"kv,omitempty"`
	// names of other tools that the plugin may call, with the rights of its caller
	Tools []string `json:"tools,omitempty"`
	// whether the plugin may read the time; default true; without it the plugin sees the year 1970
	Clock  *bool `json:"clock,omitempty"`
	Random *bool `json:"random,omitempty"` // whether the plugin may read random numbers; default true
}

// Mount is a folder of the host that a guest can access. A manifest that asks for a folder sets
// only At and Write, because the operator chooses Path.
type Mount struct {
	Path  string `json:"path,omitempty"`  // absolute path of the folder on the host
	At    string `json:"at"`              // absolute path at which the guest sees the folder, for example "/data"
	Write bool   `json:"write,omitempty"` // true: the guest may change the content of the folder
}

// Quota limits the size of a plugin's key-value store.
type Quota struct {
	// maximum bytes of each user; if Shared, maximum bytes of all users together
	Bytes int64 `json:"bytes"`
	// maximum bytes of all users together; default 100 times Bytes, but at most maxQuota
	Total  int64 `json:"total_bytes,omitempty"`
	Shared bool  `json:"shared,omitempty"` // true: all users share one store
}

// AllUsers returns the limit for all users together, in bytes.
func (q Quota) AllUsers() int64 { return cmp.Or(q.Total, min(usersPerQuota*q.Bytes, maxQuota)) }

// Grant is the operator's decision about a plugin. The zero value enables the plugin with default
// limits and no permission.
type Grant struct {
	Disabled bool `json:"disabled,omitempty"`
	// source that the plugin must have; empty: the operator must have put the plugin into the
	// folder
	Source string `json:"source,omitempty"`
	// hash that the module must have; empty: any hash is accepted
	SHA256      string      `json:"sha256,omitempty"`
	Permissions Permissions `json:"permissions,omitzero"`
	Limits      Limits      `json:"limits,omitzero"`
	// isolation of the plugin, which replaces the isolation in the manifest
	Isolation Isolation `json:"isolation,omitempty"`
	// settings of the plugin; each replaces the manifest's setting with the same key
	Config map[string]string     `json:"config,omitempty"`
	Risk   map[string]agent.Risk `json:"risk,omitempty"` // risk of each tool, by the guest's own name of the tool
	// "trap": the plugin may import functions that the gateway lacks, and only a call of such a
	// function fails
	Unmet string `json:"unmet_imports,omitempty"`
}

// unmetTrap is the only value of Grant.Unmet besides the empty one.
const unmetTrap = "trap"

// Grants has the grant of each plugin, by the plugin's name, in the form of the operator's file.
type Grants map[string]Grant

// maxGrantsBytes limits the operator's file, in bytes.
const maxGrantsBytes = 1 << 20

// ParseGrants decodes the operator's file of grants. The error is a fault that lists all problems.
func ParseGrants(raw []byte) (Grants, error) {
	g := Grants{}
	if err := decodeStrict(raw, maxGrantsBytes, &g); err != nil {
		return nil, fault.New("wasmtools.ParseGrants", sdkapi.ValidationError, "the grants are not valid JSON: %s", err).Because(err)
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

// ParseGrant decodes the grant of one plugin. The error is a fault that lists all problems.
func ParseGrant(raw []byte) (Grant, error) {
	var g Grant
	if err := decodeStrict(raw, maxGrantsBytes, &g); err != nil {
		return g, fault.New("wasmtools.ParseGrant", sdkapi.ValidationError, "the grant is not valid JSON: %s", err).Because(err)
	}
	f := fault.New("wasmtools.ParseGrant", sdkapi.ValidationError, "invalid grant: see details.fields")
	return g, orNil(g.check(f, "body"))
}

// sha256Pattern matches a SHA-256 hash in the form of Grant.SHA256.
var sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check adds the problems of g to f and returns f. at is the path of g in the file, and prefixes each field.
func (g Grant) check(f *fault.Error, at string) *fault.Error {
	if g.SHA256 != "" && !sha256Pattern.MatchString(g.SHA256) {
		f = f.At(at+".sha256", "expected 64 digits of lower case hexadecimal")
	}
	if g.Unmet != "" && g.Unmet != unmetTrap {
		f = f.At(at+".unmet_imports", "expected %q or no value", unmetTrap)
	}
	for tool, risk := range g.Risk {
		if !slices.Contains([]agent.Risk{agent.Safe, agent.Risky, agent.Forbidden}, risk) {
			f = f.At(at+".risk."+tool, "expected %s, %s or %s", agent.Safe, agent.Risky, agent.Forbidden)
		}
	}
	for i, m := range g.Permissions.FS {
		if !filepath.IsAbs(m.Path) {
			f = f.At(fmt.Sprintf("%s.permissions.fs[%d].path", at, i), "expected the absolute path of a folder on the gateway's machine")
		}
	}
	f = g.Isolation.check(f, at+".isolation")
	f = checkConfig(f, at+".config", g.Config)
	f = g.Limits.check(f, at+".limits")
	return g.Permissions.check(f, at+".permissions")
}

// Limits of permissions.
const (
	maxRules  = 64
	maxMounts = 8
	maxQuota  = 1 << 30 // bytes

	usersPerQuota = 100 // default of Quota.Total, as a multiple of Quota.Bytes
)

// check adds the problems of p to f and returns f. It serves grants and manifests, so it accepts mounts without a
// host path.
func (p Permissions) check(f *fault.Error, at string) *fault.Error {
	for list, n := range map[string]int{"http": len(p.HTTP), "env": len(p.Env), "tools": len(p.Tools)} {
		if n > maxRules {
			f = f.At(at+"."+list, "expected at most %d", maxRules)
		}
	}
	for i, name := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.HasPrefix(name, "WINDIE_") {
			f = f.At(fmt.Sprintf("%s.env[%d]", at, i), "expected the name of a variable that does not begin with WINDIE_, because those are the gateway's own")
		}
	}
	if len(p.FS) > maxMounts {
		f = f.At(at+".fs", "expected at most %d", maxMounts)
	}
	seen := map[string]bool{}
	for i, m := range p.FS {
		if !path.IsAbs(m.At) || path.Clean(m.At) != m.At || seen[m.At] {
			f = f.At(fmt.Sprintf("%s.fs[%d].at", at, i), "expected an absolute path, such as /data, that no other mount has")
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

// noSecret finds no secret. It serves where rules are only checked, and is the default of Config.Secret.
func noSecret(string) (string, bool) { return "", false }

// clock reports whether the plugin may read the time.
func (p Permissions) clock() bool { return p.Clock == nil || *p.Clock }

// random reports whether the plugin may read random numbers.
func (p Permissions) random() bool { return p.Random == nil || *p.Random }

// changes reports whether p lets a guest change anything outside of its memory and its own store. A
// guest that may call other tools counts as one that changes things.
func (p Permissions) changes() bool {
	writes := func(method string) bool {
		return !strings.EqualFold(method, "GET") && !strings.EqualFold(method, "HEAD")
	}
	return len(p.Tools) > 0 || slices.ContainsFunc(p.FS, func(m Mount) bool { return m.Write }) ||
		slices.ContainsFunc(p.HTTP, func(r egress.Rule) bool { return slices.ContainsFunc(r.Methods, writes) })
}

// Denied is a permission that a plugin's manifest asks for and that the operator has not granted.
type Denied struct {
	Permission string `json:"permission"` // name of the permission, for example "http"
	// requested permission, in the form of the manifest, which is also the form of a grant
	Wish json.RawMessage `json:"wish"`
}

// denied lists the requested permissions of a manifest that a grant does not cover. A rule for
// requests counts as covered if the grant has a rule for the same host.
func denied(wish, granted Permissions) (list []Denied) {
	add := func(permission string, wish any) {
		raw, err := json.Marshal(wish)
		if err != nil {
			panic(err) // cannot fail: permissions come from JSON
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

// Isolation says whether a call can see state that earlier calls of the plugin left.
type Isolation string

// The isolations. With Reuse, a call may see the data of earlier calls by other users, so Reuse is
// only for plugins whose callers may see each other's data.
const (
	// A call sees no earlier state: memory and globals are restored to their state after describe.
	Snapshot Isolation = "snapshot"
	Fresh    Isolation = "fresh" // A call sees no earlier state: each call has a new instance.
	Reuse    Isolation = "reuse" // A call may see the state that an earlier call left.
)

// pluginName matches a valid name of a plugin.
var pluginName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// check adds a problem to f if i is unknown, and returns f. The empty isolation is valid and means the default.
func (i Isolation) check(f *fault.Error, path string) *fault.Error {
	if i != "" && !slices.Contains([]Isolation{Snapshot, Fresh, Reuse}, i) {
		return f.At(path, "expected %s, %s or %s", Snapshot, Fresh, Reuse)
	}
	return f
}

// checkConfig adds to f a problem for too many settings, and one for each setting that is too large. It returns f.
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

// orNil returns f if it lists any field, and otherwise nil.
func orNil(f *fault.Error) error {
	if len(f.Details.Fields) == 0 {
		return nil
	}
	return f
}

// decodeStrict reads one JSON object of at most limit bytes without unknown fields.
func decodeStrict(raw []byte, limit int, v any) error {
	if len(raw) > limit {
		return fmt.Errorf("the JSON has %d bytes; at most %d are allowed", len(raw), limit)
	}
	if !utf8.Valid(raw) {
		return errors.New("the text is not UTF-8")
	}
	if !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) {
		return errors.New("expected a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the text has data after the JSON object")
	}
	return nil
}

// marshalGrant returns g as JSON. Equal grants have equal texts, so the text serves to compare grants.
func marshalGrant(g Grant) string {
	raw, err := json.Marshal(g)
	if err != nil {
		panic(err) // cannot fail: grants come from JSON
	}
	return string(raw)
}
