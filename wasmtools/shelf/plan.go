package shelf

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path"
	"strings"
	"time"

	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
)

// Request describes a plugin to fetch.
type Request struct {
	Reference string
	As        string // name for the plugin; default: the name in its manifest, or else in the reference
	Key       string // public key that must have signed the plugin; empty: any key that the policy trusts
	// true: only inspect the plugin; its name may then belong to an installed plugin from another
	// source
	Look bool
}

// Change is a fetched plugin that Apply would install.
type Change struct {
	Name      string       `json:"name"`
	Reference string       `json:"reference"`
	Source    string       `json:"source"`
	Before    *Version     `json:"before,omitempty"` // installed version; nil for a new plugin
	After     Version      `json:"after"`
	Signed    sign.Verdict `json:"signed"`
	Differs   []string     `json:"differs,omitempty"` // differences between After and Before, for people
	// differences between After and Before to which a person must consent separately
	Grew       []string           `json:"grew,omitempty"`
	Inspection *author.Inspection `json:"inspection"`

	pkg      *source.Package
	manifest []byte // in its installed form
	key      string
}

// Nothing reports whether there is nothing to install, because the fetched version is already
// installed.
func (c *Change) Nothing() bool { return c.Before != nil && c.Before.Digest == c.After.Digest }

// Package returns the fetched package.
func (c *Change) Package() *source.Package { return c.pkg }

// Plan fetches a plugin, checks its signature, opens it, and compares it with the installed
// version. Plan installs nothing.
func (s *Shelf) Plan(ctx context.Context, r Request) (*Change, error) {
	ref, err := source.Parse(r.Reference)
	if err != nil {
		return nil, err
	}
	l, err := s.Read()
	if err != nil {
		return nil, err
	}
	pkg, err := s.cfg.Fetcher.Fetch(ctx, ref)
	if err != nil {
		return nil, err
	}
	c := &Change{Reference: ref.String(), Source: ref.Source(), pkg: pkg}
	manifest, err := wasmtools.ParseManifest(orObject(pkg.Manifest))
	if err != nil {
		return nil, err
	}
	if c.Name, err = s.name(l, ref, c.Source, r, manifest); err != nil {
		return nil, err
	}
	entry := l.Plugins[c.Name]
	switch {
	case entry == nil:
	case wasmtools.SameSource(entry.Source, c.Source):
		c.Source = entry.Source // the plugin's stored values belong to this text
	default:
		entry = nil // a plugin that is only looked at
	}
	if err := s.judge(ctx, c, ref, r.Key, entry, manifest); err != nil {
		return nil, err
	}
	c.After = version(ref, pkg, manifest, c.Signed.Key)
	return c, s.compare(ctx, c, entry, manifest, r.Look)
}

// orObject returns a manifest, or an empty object if there is none.
func orObject(manifest []byte) []byte {
	if len(manifest) == 0 {
		return []byte("{}")
	}
	return manifest
}

// version describes a fetched package for the lock. The version is that of the manifest, or else of the registry's
// annotation, up to 64 bytes.
func version(from source.Reference, p *source.Package, m wasmtools.Manifest, key string) Version {
	v := Version{Digest: p.Digest, Reference: from.String(), Version: m.Version, File: moduleFile, Module: hash(p.Body()), Key: key, Added: time.Now().UTC().Truncate(time.Second)}
	if p.Script != nil {
		v.File = scriptFile
	}
	if v.Version == "" {
		v.Version = p.Annotations["org.opencontainers.image.version"]
	}
	if len(v.Version) > 64 {
		v.Version = v.Version[:64]
	}
	if len(p.Manifest) > 0 {
		v.Manifest = hash(p.Manifest)
	}
	return v
}

// name returns the plugin's local name. A name belongs to one source.
func (s *Shelf) name(l *Lock, ref source.Reference, from string, r Request, m wasmtools.Manifest) (string, error) {
	if r.As != "" {
		m = wasmtools.Manifest{}
	}
	name, err := wasmtools.NameOf(cmp.Or(r.As, path.Base(strings.ReplaceAll(ref.Path, "\\", "/"))), m)
	if err != nil {
		return "", err
	}
	if r.As != "" && name != r.As {
		return "", refuse("invalid plugin name %.64q; expected a lower case letter, then up to 31 letters, digits and _", r.As)
	}
	if r.Look {
		return name, nil
	}
	if e := l.Plugins[name]; e != nil && !wasmtools.SameSource(e.Source, from) {
		return "", refuse("the installed plugin %q is from %s, but the new plugin is from %s; give the new plugin another name with --as, or remove the installed plugin first: windie plugin remove %s", name, e.Source, from, name)
	}
	return name, s.free(l, name, from)
}

// free fails if a plugin from another source has the name in the folder. A plugin of the lock whose
// source file is damaged may be restored.
func (s *Shelf) free(l *Lock, name, from string) error {
	at, origin, err := wasmtools.Named(s.cfg.Dir, name)
	if e := l.Plugins[name]; err != nil && at != "" && e != nil && wasmtools.SameSource(e.Source, from) {
		return nil
	}
	if err == nil && at != "" && !wasmtools.SameSource(origin, from) {
		return refuse("the folder already has a plugin %q, the file %s, which did not come from %s; give the new plugin another name with --as, or remove that file first", name, at, from)
	}
	return err
}

// judge checks who signed the plugin.
func (s *Shelf) judge(ctx context.Context, c *Change, ref source.Reference, given string, before *Entry, m wasmtools.Manifest) error {
	known := ""
	if before != nil {
		known = before.Key
	}
	signed := sign.Signed{Release: c.pkg.Release, Signature: c.pkg.Signature, Hashes: c.pkg.Hashes()}
	rule := s.cfg.Policy.For(ref.Source())
	verdict, err := rule.Judge(signed, known, given)
	if err != nil {
		return err
	}
	c.Signed, c.key = verdict, cmp.Or(verdict.Key, known)
	if of := verdict.Release; verdict.Key != "" && (m.Name != "" && of.Name != m.Name || m.Version != "" && of.Version != m.Version) {
		return refuse("%s was signed as %.64q %.64q, but its manifest says %.64q %.64q; ask the author, and do not use the plugin", ref, of.Name, of.Version, m.Name, m.Version)
	}
	return s.keyless(ctx, rule, ref, c.pkg.Digest)
}

// keyless has cosign check who signed the artifact with the fetched digest, if the rule requires
// it.
func (s *Shelf) keyless(ctx context.Context, rule sign.Rule, ref source.Reference, digest string) error {
	if rule.Cosign == nil {
		return nil
	}
	if ref.IsFile() {
		return refuse("the policy for %s requires a signature of cosign, which only plugins in registries have; add the plugin by oci://, or change the policy", rule.Source)
	}
	return rule.Cosign.Verify(ctx, s.cfg.Cosign, ref.Host+"/"+ref.Path+"@"+digest, s.cfg.Environ)
}

// compare opens the plugin, and lists the differences from the previous version.
func (s *Shelf) compare(ctx context.Context, c *Change, before *Entry, m wasmtools.Manifest, look bool) error {
	manifest, err := renamed(c.pkg.Manifest, c.Name)
	if err != nil {
		return err
	}
	c.manifest = manifest
	grant, err := s.grantFor(c.Name, before)
	if err != nil {
		return err
	}
	if look && !wasmtools.SameSource(grant.Source, c.Source) {
		grant = wasmtools.Grant{}
	}
	c.Inspection, err = s.open(ctx, c.Name, c.Source, c.Signed.Key, c.pkg.Module, c.pkg.Script, manifest, grant)
	if err != nil || before == nil {
		return err
	}
	old, oldManifest, err := s.openVersion(ctx, c.Name, before, grant)
	if err != nil {
		return err
	}
	c.Before = &before.Current
	if oldManifest.Name != m.Name && oldManifest.Name != "" {
		return refuse("%s now has the plugin %.64q, but earlier it had the plugin %.64q; ask its publisher, and add the new plugin separately if you want it", c.Reference, m.Name, oldManifest.Name)
	}
	if !c.Nothing() {
		d := differences{c: c}
		d.versions(before.Current, c.After)
		d.permissions(oldManifest, m)
		d.settings(oldManifest.Config, m.Config)
		d.tools(old.Tools, c.Inspection.Tools)
	}
	return nil
}

// open opens a plugin like a gateway, and checks that a gateway would accept its tools.
func (s *Shelf) open(ctx context.Context, name, origin, key string, module, script, manifest []byte, grant wasmtools.Grant) (*author.Inspection, error) {
	m, err := wasmtools.ParseManifest(orObject(manifest))
	if err != nil {
		return nil, err
	}
	found, err := s.cfg.Workshop.InspectSource(ctx, wasmtools.Source{Name: name, Module: module, Script: script, Manifest: m, Origin: origin, SignedBy: key}, grant)
	if err != nil {
		return nil, err
	}
	if found.Problem != "" {
		return nil, refuse("the plugin %q is unusable: %s", name, found.Problem)
	}
	return found, s.cfg.Check(name, found.Tools)
}

// grantFor returns the plugin's grant. It drops the hash of the previous version, which Apply
// replaces.
func (s *Shelf) grantFor(name string, before *Entry) (wasmtools.Grant, error) {
	all, err := wasmtools.ReadGrants(s.cfg.Grants)
	g := all[name]
	if before != nil && g.SHA256 == before.Current.Module {
		g.SHA256 = ""
	}
	return g, err
}

// openVersion opens the version in use, with the grant of the new one: a tool's risk depends on the
// plugin's permissions.
func (s *Shelf) openVersion(ctx context.Context, name string, e *Entry, grant wasmtools.Grant) (*author.Inspection, wasmtools.Manifest, error) {
	module, manifest, err := s.kept(name, e.Current)
	if err != nil {
		return nil, wasmtools.Manifest{}, err
	}
	m, err := wasmtools.ParseManifest(orObject(manifest))
	if err != nil {
		return nil, m, err
	}
	script := []byte(nil)
	if path.Ext(e.Current.File) == ".js" {
		module, script = nil, module
	}
	own, err := renamed(manifest, name)
	if err != nil {
		return nil, m, err
	}
	found, err := s.open(ctx, name, e.Source, e.Current.Key, module, script, own, grant)
	return found, m, err
}

// renamed returns a manifest with the plugin's local name, or nil if there is no manifest.
func renamed(manifest []byte, name string) ([]byte, error) {
	if len(manifest) == 0 {
		return nil, nil
	}
	m, err := wasmtools.ParseManifest(manifest)
	if err != nil || m.Name == name || m.Name == "" {
		return manifest, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(manifest, &fields); err != nil {
		return nil, err
	}
	fields = maps.Clone(fields)
	if fields["name"], err = json.Marshal(name); err != nil {
		return nil, err
	}
	return json.MarshalIndent(fields, "", "  ")
}
