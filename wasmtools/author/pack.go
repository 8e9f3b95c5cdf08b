package author

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/sign"
	"github.com/windieos/windie/wasmtools/source"
)

// Packing says what Pack puts into the package of a plugin.
type Packing struct {
	File     string // path of the plugin's file
	Readme   string // path of the readme; empty: README.md beside the plugin; "none": no readme
	Licence  string // path of the licence; empty: LICENSE or LICENCE beside the plugin; "none": no licence
	SBOM     string // path of the SBOM; empty: the language's tools make it; "none": no SBOM
	Source   string // URL of the source code
	Licences string // SPDX expression for the licences, for example "MIT OR Apache-2.0"
	Version  string // version of the plugin, for a manifest without a version
	Compat   bool   // see Compat in source.Package
	Key      string // path of the file with the private key; empty: the package is unsigned
	Password string // password of the private key
	Environ  []string
}

// none omits a part of a package.
const none = "none"

// Pack returns the package of a plugin. Before that, it opens the plugin in the same way as a
// gateway, and fails if a gateway would refuse the plugin.
func (w *Workshop) Pack(ctx context.Context, p Packing) (*source.Package, *Inspection, error) {
	found, err := w.Inspect(ctx, p.File, Grants{})
	if err == nil && found.Problem != "" {
		err = errors.New("a gateway would refuse the plugin: " + found.Problem)
	}
	if err != nil {
		return nil, nil, err
	}
	pkg, src, err := p.read(w.cfg.ModuleBytes)
	if err != nil {
		return nil, nil, err
	}
	pkg.Compat = p.Compat
	if pkg.SBOM, err = p.sbom(ctx, src); err != nil {
		return nil, nil, err
	}
	pkg.Annotations = map[string]string{"org.opencontainers.image.title": src.Name}
	for key, value := range map[string]string{"version": src.Manifest.Version, "description": src.Manifest.Description, "source": p.Source, "licenses": p.Licences} {
		if value != "" {
			pkg.Annotations["org.opencontainers.image."+key] = value
		}
	}
	if p.Key == "" {
		return pkg, found, nil
	}
	key, err := sign.ReadKey(p.Key, p.Password)
	if err != nil {
		return nil, nil, err
	}
	pkg.Release, pkg.Signature = sign.Sign(key, sign.Release{Name: src.Name, Version: src.Manifest.Version, Files: pkg.Hashes()})
	return pkg, found, nil
}

// read reads the files of the package.
func (p Packing) read(limit int64) (*source.Package, wasmtools.Source, error) {
	src, err := wasmtools.ReadSource(p.File, limit)
	if err != nil {
		return nil, src, err
	}
	pkg := &source.Package{Module: src.Module, Script: src.Script}
	dir, base := filepath.Dir(p.File), strings.TrimSuffix(p.File, filepath.Ext(p.File))
	if pkg.Manifest, err = optional(base+".json", source.MaxManifestBytes); err != nil {
		return nil, src, err
	}
	if src.Manifest.Version == "" {
		src.Manifest.Version = p.Version
	} else if p.Version != "" && p.Version != src.Manifest.Version {
		return nil, src, fmt.Errorf("--version: the manifest already has the version %.64q", src.Manifest.Version)
	}
	if pkg.Manifest, err = complete(pkg.Manifest, src.Name, src.Manifest.Version); err != nil {
		return nil, src, err
	}
	if pkg.Readme, err = chosen(p.Readme, source.MaxReadmeBytes, filepath.Join(dir, "README.md")); err != nil {
		return nil, src, err
	}
	pkg.Licence, err = chosen(p.Licence, source.MaxLicenceBytes, filepath.Join(dir, "LICENSE"), filepath.Join(dir, "LICENCE"))
	return pkg, src, err
}

// complete returns a manifest with the plugin's name and version, because a published plugin has no
// file name. A manifest that has both stays as its author wrote it.
func complete(manifest []byte, name, version string) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if len(manifest) > 0 {
		if err := json.Unmarshal(manifest, &fields); err != nil {
			return nil, err
		}
	}
	if fields["name"] != nil && (fields["version"] != nil || version == "") {
		return manifest, nil
	}
	fields["name"], _ = json.Marshal(name) // cannot fail: strings encode as JSON
	if version != "" {
		fields["version"], _ = json.Marshal(version)
	}
	return json.MarshalIndent(fields, "", "  ")
}

// chosen reads the file at the path named. If named is empty, it reads the first existing file of
// others, and returns nil if none exists. If named is "none", it returns nil.
func chosen(named string, limit int64, others ...string) ([]byte, error) {
	switch named {
	case none:
		return nil, nil
	case "":
		for _, other := range others {
			if b, err := optional(other, limit); err != nil || b != nil {
				return b, err
			}
		}
		return nil, nil
	}
	return wasmtools.ReadFile(named, limit)
}

// optional reads a file that may be missing.
func optional(file string, limit int64) ([]byte, error) {
	b, err := wasmtools.ReadFile(file, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// sbom returns the list of the plugin's components.
func (p Packing) sbom(ctx context.Context, src wasmtools.Source) ([]byte, error) {
	if p.SBOM != "" {
		b, err := chosen(p.SBOM, source.MaxSBOMBytes)
		if err == nil && b != nil && !json.Valid(bytes.TrimSpace(b)) {
			err = fmt.Errorf("--sbom: %s is not JSON; expected CycloneDX", p.SBOM)
		}
		return b, err
	}
	project, err := ProjectIn(filepath.Dir(p.File))
	if err != nil || project.file() != absolute(p.File) {
		return nil, nil //nolint:nilerr // a module without its source has no list
	}
	return project.SBOM(ctx, src.Name, src.Manifest.Version, p.Environ)
}

// absolute returns the absolute path of a file. If the working folder is unknown, it returns the
// path unchanged.
func absolute(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	return path
}
