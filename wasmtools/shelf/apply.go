package shelf

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/source"
)

// Apply installs the plugin of a change in the folder of plugins, and updates the lock file. It
// fails if another command has changed the installed plugin since Plan.
func (s *Shelf) Apply(ctx context.Context, c *Change) error {
	return s.change(ctx, func(l *Lock) error {
		e := l.Plugins[c.Name]
		if (e == nil) != (c.Before == nil) || e != nil && (e.Current.Digest != c.Before.Digest || e.Source != c.Source) {
			return refuse("the plugin %q has changed meanwhile; review it again", c.Name)
		}
		if err := s.free(l, c.Name, c.Source); err != nil { // a gateway may have received one meanwhile
			return err
		}
		if err := s.keep(c.Name, c.After, c.pkg.Body(), c.pkg.Manifest); err != nil {
			return err
		}
		if err := s.install(c.Name, c.Source, c.After, c.pkg.Body(), c.manifest); err != nil {
			return err
		}
		next := &Entry{Reference: c.Reference, Source: c.Source, Key: c.key, Current: c.After}
		if e != nil {
			next.Previous = e.Previous
			if !c.Nothing() {
				next.Previous = slices.Insert(slices.Clone(e.Previous), 0, e.Current)
			}
			if err := s.regrant(ctx, c.Name, e.Current, c.After); err != nil {
				return err
			}
		}
		for len(next.Previous) > MaxPrevious {
			oldest := next.Previous[MaxPrevious]
			next.Previous = next.Previous[:MaxPrevious]
			s.discard(c.Name, next, oldest)
		}
		l.Plugins[c.Name] = next
		return nil
	})
}

// discard removes the stored files of a version, unless the entry still lists it.
func (s *Shelf) discard(name string, e *Entry, v Version) {
	has := func(other Version) bool { return other.Digest == v.Digest }
	if !has(e.Current) && !slices.ContainsFunc(e.Previous, has) {
		_ = os.RemoveAll(s.versionDir(name, v)) // a leftover only takes disk space
	}
}

// keep stores a version for Rollback.
func (s *Shelf) keep(name string, v Version, body, manifest []byte) error {
	dir := s.versionDir(name, v)
	if err := newfile.MkdirAll(dir); err != nil {
		return fmt.Errorf("cannot write the folder of versions: %w", err)
	}
	err := newfile.Write(filepath.Join(dir, v.File), body)
	if err == nil && len(manifest) > 0 {
		err = newfile.Write(filepath.Join(dir, "plugin.json"), manifest)
	}
	if err != nil {
		return fmt.Errorf("cannot write the folder of versions: %w", err)
	}
	return nil
}

// kept returns a stored version, if its hashes still match.
func (s *Shelf) kept(name string, v Version) (body, manifest []byte, err error) {
	dir := s.versionDir(name, v)
	body, err = wasmtools.ReadFile(filepath.Join(dir, v.File), 1<<30)
	if err == nil && v.Manifest != "" {
		manifest, err = wasmtools.ReadFile(filepath.Join(dir, "plugin.json"), source.MaxManifestBytes)
	}
	if err == nil && (hash(body) != v.Module || v.Manifest != "" && hash(manifest) != v.Manifest) {
		err = errors.New("the content of the version has changed")
	}
	if err != nil {
		return nil, nil, refuse("the stored version %s of %q in %s is unusable: %v; remove the plugin and add it again", cmp.Or(v.Version, v.Digest), name, dir, err).Because(err)
	}
	return body, manifest, nil
}

// install puts a version into the folder of plugins, atomically.
func (s *Shelf) install(name, from string, v Version, body, manifest []byte) error {
	is := wasmtools.NewPin(from, body, manifest)
	is.Key = v.Key
	pin, err := json.MarshalIndent(is, "", "  ")
	if err != nil {
		return err
	}
	files := map[string][]byte{name + filepath.Ext(v.File): body, name + ".source": append(pin, '\n')}
	if len(manifest) > 0 {
		files[name+".json"] = manifest
	}
	fresh, err := wasmtools.NewFolder(s.cfg.Dir, files)
	if err != nil {
		return fmt.Errorf("cannot write the plugin into the folder of plugins: %w", err)
	}
	before, err := wasmtools.Swap(fresh, filepath.Join(s.cfg.Dir, name))
	if err != nil {
		return fmt.Errorf("cannot write the plugin into the folder of plugins: %w", err)
	}
	return os.RemoveAll(before)
}

// regrant replaces the old version's hash in the grant with the new one's.
func (s *Shelf) regrant(ctx context.Context, name string, before, after Version) error {
	return wasmtools.ChangeGrant(ctx, s.cfg.Grants, name, func(g wasmtools.Grant, there bool) (wasmtools.Grant, bool) {
		if there && g.SHA256 == before.Module {
			g.SHA256 = after.Module
		}
		return g, there
	})
}

// Rollback restores the previous version of a plugin, and returns it. After the rollback, updates
// use the reference by which that version was fetched. The current policy must accept the version,
// as for a new plugin. given is a key; see Request.Key. Rollback needs no network, unless the policy
// requires a signature that cosign checks.
func (s *Shelf) Rollback(ctx context.Context, name, given string) (Version, error) {
	return s.back(ctx, name, given, func(e *Entry) error {
		if len(e.Previous) == 0 {
			return refuse("the plugin %q has no earlier version; windie plugin list shows the versions", name)
		}
		e.Current, e.Previous = e.Previous[0], e.Previous[1:]
		e.Reference = cmp.Or(e.Current.Reference, e.Reference)
		return nil
	})
}

// Restore reinstalls the version in use from its stored copy, and returns the version. It works
// even if the installed files were changed or removed. Like Rollback, it needs a policy that
// accepts the version. It needs the network only if the policy requires a signature that cosign
// checks.
func (s *Shelf) Restore(ctx context.Context, name string) (Version, error) {
	return s.back(ctx, name, "", func(*Entry) error { return nil })
}

// back installs a stored version: the one that is current after choose has changed a copy of the
// entry.
func (s *Shelf) back(ctx context.Context, name, given string, choose func(*Entry) error) (back Version, err error) {
	if _, err := s.Get(name); err != nil {
		return back, err
	}
	err = s.change(ctx, func(l *Lock) error {
		e := l.Plugins[name]
		if e == nil {
			return refuse("another command has removed the plugin %q", name)
		}
		if err := s.free(l, name, e.Source); err != nil {
			return err
		}
		next := *e
		if err := choose(&next); err != nil {
			return err
		}
		back = next.Current
		if next.Key, err = s.judgeKept(ctx, e, back, given); err != nil {
			return err
		}
		grant, err := s.grantFor(name, e)
		if err != nil {
			return err
		}
		if _, _, err := s.openVersion(ctx, name, &next, grant); err != nil {
			return err
		}
		if err := s.putBack(ctx, name, e, back); err != nil {
			return err
		}
		s.discard(name, &next, e.Current)
		l.Plugins[name] = &next
		return nil
	})
	return back, err
}

// judgeKept checks the signer of a stored version of e by the current policy, and returns the
// plugin's key. The signature was checked when the version was fetched, unless the policy was off:
// then it counts as unsigned.
func (s *Shelf) judgeKept(ctx context.Context, e *Entry, v Version, given string) (key string, err error) {
	ref, err := source.Parse(cmp.Or(v.Reference, e.Reference))
	if err != nil {
		return "", err
	}
	rule := s.cfg.Policy.For(ref.Source())
	verdict, err := rule.JudgeKey(v.Key, e.Key, given)
	if err != nil {
		return "", err
	}
	return cmp.Or(verdict.Key, e.Key), s.keyless(ctx, rule, ref, v.Digest)
}

// putBack installs a stored version of e.
func (s *Shelf) putBack(ctx context.Context, name string, e *Entry, back Version) error {
	body, manifest, err := s.kept(name, back)
	if err != nil {
		return err
	}
	own, err := renamed(manifest, name)
	if err != nil {
		return err
	}
	if err := s.install(name, e.Source, back, body, own); err != nil {
		return err
	}
	return s.regrant(ctx, name, e.Current, back)
}

// Remove deletes a plugin, its versions, its grant and its stored values. If only the deletion of
// the values fails, stored is the error.
func (s *Shelf) Remove(ctx context.Context, name string) (stored, err error) {
	if _, err := s.Get(name); err != nil {
		return nil, err
	}
	err = s.change(ctx, func(l *Lock) error {
		e := l.Plugins[name]
		if e == nil {
			return refuse("another command has removed the plugin %q", name)
		}
		at, origin, err := wasmtools.Named(s.cfg.Dir, name)
		if err != nil {
			return err
		}
		if at != "" && wasmtools.SameSource(origin, e.Source) {
			if err := os.RemoveAll(filepath.Join(s.cfg.Dir, name)); err != nil {
				return fmt.Errorf("cannot remove the plugin from the folder of plugins: %w", err)
			}
		}
		err = wasmtools.ChangeGrant(ctx, s.cfg.Grants, name, func(g wasmtools.Grant, there bool) (wasmtools.Grant, bool) {
			return g, there && !wasmtools.SameSource(g.Source, e.Source)
		})
		if err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(filepath.Clean(s.cfg.Dir)+".versions", name)); err != nil {
			return fmt.Errorf("cannot write the folder of versions: %w", err)
		}
		stored = s.cfg.Forget(wasmtools.Identity(name, e.Source))
		delete(l.Plugins, name)
		return nil
	})
	return stored, err
}
