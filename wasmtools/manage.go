package wasmtools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
)

// Upload is a plugin that a client adds while the gateway runs.
type Upload struct {
	Name     string // name of the plugin, as in NameOf; if the manifest has a name, that name is used instead
	Module   []byte // WebAssembly module of the plugin; empty if Script is set
	Script   []byte // JavaScript of the plugin; empty if Module is set
	Manifest []byte // manifest as JSON; empty: the plugin has no manifest
}

// source decodes the upload. It fails if the manifest or the name is invalid. The source has no origin.
func (u Upload) source() (Source, error) {
	src := Source{Module: u.Module, Script: u.Script}
	var err error
	if len(u.Manifest) > 0 {
		if src.Manifest, err = ParseManifest(u.Manifest); err != nil {
			return src, err
		}
	}
	src.Name, err = NameOf(u.Name, src.Manifest)
	return src, err
}

// Add puts a plugin into the folder and returns its Status. Before that, Add opens the plugin and
// applies the registry's checks to its tools. If a check fails, Add returns VALIDATION_ERROR and
// does not change the folder. The new plugin replaces an earlier plugin of the same name. The
// operator's grant for the name still applies.
func (p *Plugins) Add(ctx context.Context, u Upload) (Status, error) {
	const op = "wasmtools.Add"
	src, err := u.source()
	if err != nil {
		return Status{}, err
	}
	if p.folder.Dir == "" {
		return Status{}, fault.New(op, sdkapi.ValidationError, "this gateway has no folder for plugins; set one in its configuration")
	}
	if err := p.reserved(src.Name); err != nil {
		return Status{}, err
	}
	grant := p.GrantOf(src.Name)
	trial, err := p.engine.Open(ctx, src, grant)
	if err != nil {
		return Status{}, err
	}
	defer trial.Close()
	if err := p.registry.Check(origin(src.Name), trial.Tools(grant)); err != nil {
		return Status{}, err
	}
	dir := filepath.Join(p.folder.Dir, src.Name)
	if held, err := p.Get(src.Name); err == nil && filepath.Dir(filepath.Join(p.folder.Dir, held.File)) != dir {
		return Status{}, fault.New(op, sdkapi.ValidationError, "the plugin %q comes from the file %s in the folder; change that file, or remove it first", src.Name, held.File)
	}
	var status Status
	err = LockFolder(ctx, p.folder.Dir, func() error {
		status, err = p.replace(ctx, src.Name, u)
		return err
	})
	return status, err
}

// replace replaces a plugin's folder by an upload. If the plugin in the upload is unusable, replace
// restores the earlier folder and fails with VALIDATION_ERROR.
func (p *Plugins) replace(ctx context.Context, name string, u Upload) (Status, error) {
	const op = "wasmtools.Add"
	before, err := p.install(name, u)
	if err != nil {
		return Status{}, fmt.Errorf("%s: %w", op, err)
	}
	defer os.RemoveAll(before)
	status, err := p.settle(ctx, name)
	if err != nil || status.Problem == "" {
		return status, err
	}
	// For example, another plugin may have taken the name of a tool since the check.
	p.mu.Lock() // like install
	err = putBack(before)
	p.mu.Unlock()
	if err != nil {
		return Status{}, fmt.Errorf("%s: %w", op, err)
	}
	if _, err := p.settle(ctx, name); err != nil && fault.CodeOf(err) != sdkapi.NotFound {
		return Status{}, err
	}
	return Status{}, fault.New(op, sdkapi.ValidationError, "the plugin %q is unusable, so the gateway removed it: %s", name, status.Problem)
}

// install puts an upload into its own folder. It returns the path of the earlier folder, which may
// not exist; the caller removes it.
func (p *Plugins) install(name string, u Upload) (before string, err error) {
	files := map[string][]byte{name + ".wasm": u.Module}
	if u.Script != nil {
		files = map[string][]byte{name + ".js": u.Script}
	}
	if len(u.Manifest) > 0 {
		files[name+".json"] = u.Manifest
	}
	fresh, err := NewFolder(p.folder.Dir, files)
	if err != nil {
		return "", err
	}
	p.mu.Lock() // otherwise a scan could find the plugin missing
	defer p.mu.Unlock()
	return Swap(fresh, filepath.Join(p.folder.Dir, name))
}

// settle loads changes, and waits while a version of the plugin is being opened.
func (p *Plugins) settle(ctx context.Context, name string) (Status, error) {
	if err := p.scan(true); err != nil {
		return Status{}, err
	}
	for p.isOpening(name) {
		if err := background.Sleep(ctx, p.folder.Every/10); err != nil {
			return Status{}, err
		}
	}
	return p.Get(name)
}

// isOpening reports whether a new version of a plugin is not open yet.
func (p *Plugins) isOpening(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.held {
		if h.name == name && h.next != nil {
			return true
		}
	}
	return false
}

// Remove deletes a plugin, its grant and its stored values. An unknown name fails with NOT_FOUND.
func (p *Plugins) Remove(ctx context.Context, name string) error {
	if _, err := p.folder.grants(); err != nil {
		return err
	}
	origin := ""
	err := LockFolder(ctx, p.folder.Dir, func() (err error) {
		origin, err = p.takeOut(name)
		return err
	})
	if err != nil {
		return err
	}
	if p.folder.Grants != "" { // otherwise no plugin has a grant
		if err := p.grant(ctx, name, func(Grant, bool) (Grant, bool) { return Grant{}, false }); err != nil {
			return err
		}
	}
	if err := p.scan(true); err != nil {
		return err
	}
	return p.engine.cfg.Forget(Identity(name, origin))
}

// takeOut deletes a plugin's files, and returns its source.
func (p *Plugins) takeOut(name string) (origin string, err error) {
	status, err := p.Get(name)
	if err != nil {
		return "", err
	}
	path := filepath.Join(p.folder.Dir, status.File)
	f, _ := look(path)
	origin, _ = originOf(f.pin) // if it cannot be read, the plugin's store is kept
	for _, file := range []string{path, f.manifest, f.pin} {
		if file == "" {
			continue
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return origin, fmt.Errorf("wasmtools.Remove: %w", err)
		}
	}
	if dir := filepath.Dir(path); dir != filepath.Clean(p.folder.Dir) {
		_ = os.Remove(dir) // fails if the operator has other files in it
	}
	return origin, nil
}

// ModuleBytes returns the maximum size of a plugin's file, in bytes.
func (p *Plugins) ModuleBytes() int64 { return p.engine.cfg.ModuleBytes }

// GrantOf returns a plugin's grant, or the zero value if it has none.
func (p *Plugins) GrantOf(name string) Grant {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.grants[name]
}

// Grant replaces a plugin's grant in the operator's file, and returns the new status.
func (p *Plugins) Grant(ctx context.Context, name string, g Grant) (Status, error) {
	status, err := p.Get(name)
	if err != nil {
		return Status{}, err
	}
	f := fault.New("wasmtools.Grant", sdkapi.ValidationError, "invalid grant: see details.fields")
	if err := orNil(g.check(f, "body")); err != nil {
		return Status{}, err
	}
	g.Source = cmp.Or(g.Source, p.originOf(status))
	if err := p.grant(ctx, name, func(Grant, bool) (Grant, bool) { return g, true }); err != nil {
		return Status{}, err
	}
	return p.settle(ctx, name)
}

// originOf returns the source of a plugin. It is empty if the operator put the plugin there or the
// source cannot be read.
func (p *Plugins) originOf(status Status) string {
	at, _ := look(filepath.Join(p.folder.Dir, status.File))
	origin, _ := originOf(at.pin)
	return origin
}

// Enable puts a plugin's tools into the registry again, after Disable.
func (p *Plugins) Enable(ctx context.Context, name string) (Status, error) {
	return p.setDisabled(ctx, name, false)
}

// Disable removes a plugin's tools from the registry until Enable is called.
func (p *Plugins) Disable(ctx context.Context, name string) (Status, error) {
	return p.setDisabled(ctx, name, true)
}

// setDisabled changes only Disabled in the grant that the file has now.
func (p *Plugins) setDisabled(ctx context.Context, name string, disabled bool) (Status, error) {
	status, err := p.Get(name)
	if err != nil {
		return Status{}, err
	}
	origin := p.originOf(status)
	err = p.grant(ctx, name, func(g Grant, _ bool) (Grant, bool) {
		g.Disabled, g.Source = disabled, cmp.Or(g.Source, origin)
		return g, true
	})
	if err != nil {
		return Status{}, err
	}
	return p.settle(ctx, name)
}

// grant changes a plugin's grant in the operator's file. The next scan applies it.
func (p *Plugins) grant(ctx context.Context, name string, change func(before Grant, there bool) (after Grant, keep bool)) error {
	if p.folder.Grants == "" {
		return fault.New("wasmtools.Grant", sdkapi.ValidationError, "this gateway has no file for grants; set one in its configuration")
	}
	if _, err := p.folder.grants(); err != nil {
		return err // a new file would have this grant alone
	}
	return ChangeGrant(ctx, p.folder.Grants, name, change)
}

// ChangeGrant changes the grant of a plugin in the operator's file at path. While it writes the
// file, it locks the file against other processes. The function change gets the present grant, and
// whether the file has a grant. It returns the new grant. If the function returns false for keep,
// ChangeGrant deletes the grant. ChangeGrant may call the function twice.
func ChangeGrant(ctx context.Context, path, name string, change func(before Grant, there bool) (after Grant, keep bool)) error {
	_, changes, err := changedGrants(path, name, change)
	if err != nil || !changes {
		return err // without the lock, for a read-only folder
	}
	return LockFile(ctx, path, func() error {
		all, changes, err := changedGrants(path, name, change)
		if err != nil || !changes {
			return err
		}
		raw, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			panic(err) // cannot fail: grants come from JSON
		}
		if err := newfile.Write(path, append(raw, '\n')); err != nil {
			return fmt.Errorf("wasmtools.Grant: %w", err)
		}
		return nil
	})
}

// changedGrants returns the content of the operator's file after a change of one grant, and whether
// it differs from the present content.
func changedGrants(path, name string, change func(before Grant, there bool) (after Grant, keep bool)) (all Grants, changes bool, err error) {
	if all, err = readGrants(path); err != nil {
		return nil, false, err
	}
	before, there := all[name]
	after, keep := change(before, there)
	if keep == there && marshalGrant(after) == marshalGrant(before) {
		return all, false, nil
	}
	all = maps.Clone(all)
	delete(all, name)
	if keep {
		all[name] = after
	}
	return all, true, nil
}

// ReadGrants reads the operator's file of grants at path. If the file is missing, the result is
// empty.
func ReadGrants(path string) (Grants, error) { return readGrants(path) }
