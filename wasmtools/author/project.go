package author

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/windieos/windie/wasmtools"
)

// Project is a folder with the source of a plugin.
type Project struct {
	language
	dir, plugin string
}

// ProjectIn returns the project in the folder dir.
func ProjectIn(dir string) (*Project, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	name, err := wasmtools.NameOf(filepath.Base(dir), wasmtools.Manifest{})
	if err != nil || name != filepath.Base(dir) {
		return nil, fmt.Errorf("the folder %s gives no name for a plugin: a lower case letter, then up to 31 letters, digits and _", filepath.Base(dir))
	}
	for _, l := range languages {
		for _, mark := range l.marks {
			if _, err := os.Stat(filepath.Join(dir, named(mark, name))); err == nil {
				return &Project{l, dir, name}, nil
			}
		}
	}
	return nil, fmt.Errorf("%s has nothing to build: expected go.mod, Cargo.toml, package.json, %[2]s.c or %[2]s.js", dir, name)
}

// named puts a plugin's name into a text.
func named(text, name string) string { return strings.ReplaceAll(text, "NAME", name) }

// Language returns the name of the language that the plugin is written in.
func (p *Project) Language() string { return p.name }

// file returns the file that a gateway loads.
func (p *Project) file() string {
	if p.command == "" {
		return filepath.Join(p.dir, p.plugin+".js")
	}
	return filepath.Join(p.dir, p.plugin+".wasm")
}
