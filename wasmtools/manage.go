package wasmtools

import (
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

// Upload is a plugin that is given at run time.
type Upload struct {
	Name     string // as NameOf; the manifest's goes before it
	Module   []byte // WebAssembly, or
	Script   []byte // JavaScript
	Manifest []byte // JSON; empty for none
}

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

// Add puts a plugin into the folder, in place of an earlier one of its name, and
// returns its Status. It is opened first, and its tools are checked as the registry
// does: a plugin that cannot be used is refused with VALIDATION_ERROR, and the
// folder is as it was. What the operator granted that name goes on to hold.
func (p *Plugins) Add(ctx context.Context, u Upload) (Status, error) {
	const op = "wasmtools.Add"
	src, err := u.source()
	if err != nil {
		return Status{}, err
	}
	if p.folder.Dir == "" {
		return Status{}, fault.New(op, sdkapi.ValidationError, "this gateway has no folder for plugins; set WINDIE_PLUGIN_DIR")
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
		return Status{}, fault.New(op, sdkapi.ValidationError, "the plugin %q is the file %s of the folder; change it there, or remove it first", src.Name, held.File)
	}
	before, err := p.install(dir, src.Name, u)
	if err != nil {
		return Status{}, fmt.Errorf("%s: %w", op, err)
	}
	defer os.RemoveAll(before)
	status, err := p.settle(ctx, src.Name)
	if err != nil || status.Problem == "" {
		return status, err
	}
	// What was checked has changed meanwhile: another took the name of a tool, say.
	p.mu.Lock() // as install does
	err = restore(dir, before)
	p.mu.Unlock()
	if err != nil {
		return Status{}, fmt.Errorf("%s: %w", op, err)
	}
	if _, err := p.settle(ctx, src.Name); err != nil && fault.CodeOf(err) != sdkapi.NotFound {
		return Status{}, err
	}
	return Status{}, fault.New(op, sdkapi.ValidationError, "the plugin %q cannot be used, and was taken out again: %s", src.Name, status.Problem)
}

// restore puts a plugin's folder back that install took away, if it did.
func restore(dir, before string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Rename(before, dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// install puts an upload into a folder of its own, and returns where the folder before
// is, for the caller to remove; it may not exist.
func (p *Plugins) install(dir, name string, u Upload) (before string, err error) {
	fresh, err := os.MkdirTemp(p.folder.Dir, ".new-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	body, ending := u.Module, ".wasm"
	if u.Script != nil {
		body, ending = u.Script, ".js"
	}
	err = newfile.Write(filepath.Join(fresh, name+ending), body)
	if err == nil && len(u.Manifest) > 0 {
		err = newfile.Write(filepath.Join(fresh, name+".json"), u.Manifest)
	}
	if err != nil {
		return "", err
	}
	before = fresh + ".old"
	p.mu.Lock() // or a scan in between would find the plugin gone
	defer p.mu.Unlock()
	if err := os.Rename(dir, before); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return "", errors.Join(err, restore(dir, before))
	}
	return before, nil
}

// settle takes up changes, and waits while a version of the plugin is being opened.
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

// Remove removes a plugin with its grant and its store.
func (p *Plugins) Remove(name string) error {
	status, err := p.Get(name)
	if err != nil {
		return err
	}
	path := filepath.Join(p.folder.Dir, status.File)
	f, _ := look(path)
	origin, _ := originOf(f.pin) // one that cannot be read keeps what it stored
	for _, file := range []string{path, f.manifest, f.pin} {
		if file == "" {
			continue
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("wasmtools.Remove: %w", err)
		}
	}
	if dir := filepath.Dir(path); dir != filepath.Clean(p.folder.Dir) {
		_ = os.Remove(dir) // stays when the operator has other files in it
	}
	if err := p.grant(name, nil); err != nil {
		return err
	}
	if err := p.scan(true); err != nil {
		return err
	}
	return p.engine.cfg.Forget(Identity(name, origin))
}

// ModuleBytes returns the size of a plugin's file at most.
func (p *Plugins) ModuleBytes() int64 { return p.engine.cfg.ModuleBytes }

// ForgetUser removes what plugins have stored for a user, but for what a plugin keeps in a store
// that all users share. It may be called again.
func (p *Plugins) ForgetUser(ctx context.Context, user string) error {
	return p.engine.cfg.ForgetUser(ctx, user)
}

// GrantOf returns a plugin's grant, the zero value without one.
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
	at, _ := look(filepath.Join(p.folder.Dir, status.File))
	if origin, err := originOf(at.pin); err == nil && g.Source == "" {
		g.Source = origin
	}
	if err := p.grant(name, &g); err != nil {
		return Status{}, err
	}
	return p.settle(ctx, name)
}

// Enable undoes Disable.
func (p *Plugins) Enable(ctx context.Context, name string) (Status, error) {
	return p.setDisabled(ctx, name, false)
}

// Disable takes a plugin's tools out of the registry until it is enabled.
func (p *Plugins) Disable(ctx context.Context, name string) (Status, error) {
	return p.setDisabled(ctx, name, true)
}

func (p *Plugins) setDisabled(ctx context.Context, name string, disabled bool) (Status, error) {
	g := p.GrantOf(name)
	g.Disabled = disabled
	return p.Grant(ctx, name, g)
}

// grant writes the operator's file with another grant of a plugin; nil removes it.
func (p *Plugins) grant(name string, g *Grant) error {
	if p.folder.Grants == "" {
		return fault.New("wasmtools.Grant", sdkapi.ValidationError, "this gateway has no file for grants; set WINDIE_PLUGIN_GRANTS")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	all, err := changeGrants(p.folder.Grants, name, func(Grant, bool) (Grant, bool) {
		if g == nil {
			return Grant{}, false
		}
		return *g, true
	})
	if err == nil {
		p.grants = all
	}
	return err
}

// changeGrants writes the operator's file with another grant of a plugin, and returns its grants. An
// operator may have changed the file just now.
func changeGrants(path, name string, change func(before Grant, there bool) (after Grant, keep bool)) (Grants, error) {
	all, err := readGrants(path)
	if err != nil {
		return nil, err
	}
	before, there := all[name]
	after, keep := change(before, there)
	if keep == there && marshalGrant(after) == marshalGrant(before) {
		return all, nil
	}
	all = maps.Clone(all)
	delete(all, name)
	if keep {
		all[name] = after
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		panic(err) // grants come from JSON
	}
	if err := newfile.Write(path, append(raw, '\n')); err != nil {
		return nil, fmt.Errorf("wasmtools.Grant: %w", err)
	}
	return all, nil
}

// ChangeGrant changes the grant of a plugin in the operator's file at path, where no gateway does so.
func ChangeGrant(path, name string, change func(before Grant, there bool) (after Grant, keep bool)) error {
	_, err := changeGrants(path, name, change)
	return err
}

// ReadGrants reads the operator's file. One that is not there grants nothing.
func ReadGrants(path string) (Grants, error) { return readGrants(path) }
