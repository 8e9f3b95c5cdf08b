package wasmtools

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// found is a plugin in a folder: NAME.wasm or NAME.js, with NAME.json if it has a manifest. The
// files are in the folder itself or in a subfolder NAME.
type found struct {
	path     string // path of the module or script
	manifest string // path; empty if there is none
	pin      string // path of the file that records its source; empty if the operator put the plugin there
	print    string // fingerprint of the files: it changes when they do
}

// maxPlugins limits the plugins of a folder.
const maxPlugins = 1000

// find lists the plugins in dir, sorted by path. The order decides which of two plugins with the same
// name the gateway uses. find ignores names that begin with a dot.
func find(dir string) ([]found, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder of plugins: %w", err)
	}
	var list []found
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = inFolder(path, entry.Name())
		}
		if f, ok := look(path); ok && !strings.HasPrefix(entry.Name(), ".") {
			list = append(list, f)
		}
	}
	if len(list) > maxPlugins {
		return nil, fmt.Errorf("the folder %s contains %d plugins; at most %d are allowed", dir, len(list), maxPlugins)
	}
	slices.SortFunc(list, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// inFolder returns the path of NAME.wasm or NAME.js in the subfolder path, where name is NAME. If both
// are missing, it returns path.
func inFolder(path, name string) string {
	for _, ending := range []string{".wasm", ".js"} {
		if file := filepath.Join(path, name+ending); exists(file) {
			return file
		}
	}
	return path
}

// exists reports whether a file or folder can be found at path. It returns false for every error, for example a
// folder on the way to path that the gateway may not enter.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// look returns the plugin at path and the fingerprint of its files. It returns false if path does not
// end in .wasm or .js. The file itself may be missing.
func look(path string) (found, bool) {
	ending := filepath.Ext(path)
	if ending != ".wasm" && ending != ".js" {
		return found{}, false
	}
	f := found{path: path}
	if manifest := strings.TrimSuffix(path, ending) + ".json"; exists(manifest) {
		f.manifest = manifest
	}
	if pin := strings.TrimSuffix(path, ending) + pinEnding; exists(pin) {
		f.pin = pin
	}
	for _, file := range []string{f.path, f.manifest, f.pin} {
		if info, err := os.Stat(cmp.Or(file, path)); err == nil {
			f.print += fmt.Sprintf("%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		}
	}
	return f, true
}

// MaxModuleBytes is the default of Config.ModuleBytes, the maximum size of a plugin's file in
// bytes.
const MaxModuleBytes = 64 << 20

// read reads the plugin, whose file has at most limit bytes. raw is its manifest, undecoded.
func (f found) read(limit int64) (src Source, raw []byte, err error) {
	if f.manifest != "" {
		if raw, err = ReadFile(f.manifest, maxManifestBytes); err != nil {
			return src, nil, err
		}
		if src.Manifest, err = ParseManifest(raw); err != nil {
			return src, nil, err
		}
	}
	body, err := ReadFile(f.path, limit)
	if err != nil {
		return src, nil, err
	}
	if filepath.Ext(f.path) == ".js" {
		src.Script = body
	} else {
		src.Module = body
	}
	if src.Name, err = NameOf(f.path, src.Manifest); err == nil && f.pin != "" {
		src.Origin, src.SignedBy, err = f.pinned(src.Name, body, raw)
	}
	return src, raw, err
}

// ReadSource reads the plugin at path, and the manifest beside it. The plugin is a .wasm or .js
// file of at most limit bytes. A limit of 0 means MaxModuleBytes.
func ReadSource(path string, limit int64) (Source, error) {
	f, ok := look(path)
	if !ok {
		return Source{}, fault.New("wasmtools.ReadSource", sdkapi.ValidationError, "expected a .wasm or a .js file, not %q", filepath.Base(path))
	}
	src, _, err := f.read(cmp.Or(limit, MaxModuleBytes))
	return src, err
}

// NameOf returns the name of a plugin. This is the name in its manifest. If the manifest has no
// name, it is the name of the file, with lower case letters, and with _ for every character other
// than a letter or a digit.
func NameOf(path string, m Manifest) (string, error) {
	if m.Name != "" {
		return m.Name, nil
	}
	base := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, base)
	if !pluginName.MatchString(name) {
		return "", fault.New("wasmtools.NameOf", sdkapi.ValidationError,
			"the name of the file %q is not a valid plugin name; use at most 32 characters with a letter first, or put a name into its manifest", filepath.Base(path))
	}
	return name, nil
}

// ReadFile reads a file of at most limit bytes. A larger file is an error.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var b bytes.Buffer
	if info, err := file.Stat(); err == nil && info.Size() < limit {
		b.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = b.ReadFrom(io.LimitReader(file, limit+1))
	if err == nil && int64(b.Len()) > limit {
		return nil, fault.New("wasmtools.read", sdkapi.PayloadTooLarge, "the file %s is over the limit of %d bytes", filepath.Base(path), limit)
	}
	return b.Bytes(), err
}

// readGrants reads the operator's file. A missing file grants nothing.
func readGrants(path string) (Grants, error) {
	raw, err := ReadFile(path, maxGrantsBytes)
	switch {
	case path == "", errors.Is(err, fs.ErrNotExist):
		return Grants{}, nil
	case err != nil:
		return nil, err
	}
	return ParseGrants(raw)
}
