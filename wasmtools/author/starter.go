package author

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	kits "github.com/windieos/windie/sdk/plugin"
	"github.com/windieos/windie/wasmtools"
)

// templates are the files of new plugins. NAME in file names is replaced by the plugin's name.
//
//go:embed templates
var templates embed.FS

// Starter makes a folder with a small example plugin.
type Starter struct {
	language
	dir, name string
	kit       Kit
}

// Kit says where a new project finds the Go kit. The kits of the other languages are embedded in
// this program.
type Kit struct {
	Dir string // path of a copy of Windie's repository; empty: use the published module
	// true if the module is published; if not, the author must name a copy of the repository before
	// the first build
	Published bool
}

// module is the Go module that contains the Go kit.
const module = "github.com/windieos/windie"

// kitFolder is the folder of the Go kit in the repository.
var kitFolder = filepath.Join("sdk", "plugin", "go")

// NewStarter returns a Starter for a new plugin in the folder dir, which must not exist yet. lang
// names the language, for example "go". The plugin gets the name of the folder.
func NewStarter(lang, dir string, kit Kit) (*Starter, error) {
	l, err := languageNamed(lang)
	if err != nil {
		return nil, err
	}
	s := &Starter{language: l, dir: dir, name: filepath.Base(dir), kit: kit}
	return s, s.check()
}

// Checkout returns the root of a copy of Windie's repository. It uses the first of folders that is
// inside such a copy. If no folder is inside a copy, Checkout returns "".
func Checkout(folders ...string) string {
	for _, dir := range folders {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			if err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
				continue
			}
			if _, err := os.Stat(filepath.Join(dir, kitFolder)); err == nil {
				return dir
			}
		}
	}
	return ""
}

// check validates the name, the target folder and the kit. It makes the path of the kit absolute.
func (s *Starter) check() (err error) {
	if name, err := wasmtools.NameOf(s.name, wasmtools.Manifest{}); err != nil || name != s.name {
		return fmt.Errorf("invalid plugin name %.64q; expected a lower case letter, then up to 31 letters, digits and _", s.name)
	}
	if _, err := os.Lstat(s.dir); err == nil {
		return fmt.Errorf("%s already exists; choose another name, or remove it", s.dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s.kit.Dir == "" {
		return nil
	}
	if s.language.name != "go" {
		return errors.New("--kit is only for go; other languages include their kit")
	}
	given := s.kit.Dir
	if s.kit.Dir, err = filepath.Abs(given); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.kit.Dir, kitFolder)); err != nil {
		return fmt.Errorf("--kit: %s is not a copy of Windie's repository: %w", given, err)
	}
	return nil
}

// Make creates the folder with all its files. If it cannot write a file, Make removes the folder.
func (s *Starter) Make() error {
	if err := os.MkdirAll(filepath.Dir(s.dir), 0o755); err != nil { //nolint:gosec // a source tree, for others to read
		return err
	}
	err := os.Mkdir(s.dir, 0o755) //nolint:gosec // likewise
	if err != nil {
		return err
	}
	for _, folder := range []string{"all", s.language.name} {
		err = errors.Join(err, s.copy(templates, path.Join("templates", folder), "."))
	}
	if s.language.kit != "" {
		err = errors.Join(err, s.copy(kits.Files, s.language.kit, s.kitInto))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(s.dir))
	}
	return nil
}

// copy copies a tree of files to the folder into of the new plugin, and fills in templates.
func (s *Starter) copy(from fs.FS, root, into string) error {
	return fs.WalkDir(from, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		to := strings.TrimPrefix(name, root+"/")
		if plain, ok := strings.CutSuffix(to, ".tmpl"); ok {
			to = named(plain, s.name)
			if content, err = s.fill(name, content); err != nil {
				return err
			}
		}
		// embedding omits names that begin with a dot
		if to == "gitignore" || strings.HasPrefix(to, "github/") {
			to = "." + to
		}
		target := filepath.Join(s.dir, into, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil { //nolint:gosec // a source tree, for others to read
			return err
		}
		return os.WriteFile(target, content, 0o644) //nolint:gosec // likewise
	})
}

// fill executes a template with the facts of the new plugin.
func (s *Starter) fill(name string, content []byte) ([]byte, error) {
	t, err := template.New(name).Parse(string(content))
	if err != nil {
		return nil, err
	}
	var files [][2]string
	for _, f := range s.besides {
		files = append(files, [2]string{named(f[0], s.name), f[1]})
	}
	p := Project{language: s.language, plugin: s.name}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Name": s.name, "Language": s.title, "File": p.file(), "Files": files, "Kit": s.kit.Dir,
		"Setup": s.once(), "CI": s.ci, "Command": named(s.command, s.name),
	})
	return out.Bytes(), err
}

// once returns the command to run before the first build.
func (s *Starter) once() string {
	switch {
	case s.kit.Dir != "":
		return ""
	case s.language.name == "go" && !s.kit.Published:
		return "go mod edit -require=" + module + "@v0.0.0 -replace=" + module + "=DIR  # DIR: your copy of Windie's repository"
	}
	return s.setup
}

// Greet prints the commands that the author should run next. shellName is the name of this program
// in a shell. setup has commands of this program that the author must run first, for example "tool
// runtime add". They do not contain shellName.
func (s *Starter) Greet(w io.Writer, shellName string, setup ...string) {
	fmt.Fprintf(w, "%s is a plugin in %s.", s.dir, s.title)
	if s.kit.Dir != "" {
		fmt.Fprintf(w, " Its go.mod takes the kit from %s.", s.kit.Dir)
	}
	fmt.Fprintf(w, " Next:\n\n  cd %s\n", Quoted(s.dir))
	if once := s.once(); once != "" {
		fmt.Fprintln(w, " ", once)
	}
	for _, step := range append(setup, "tool build", "tool test") {
		fmt.Fprintf(w, "  %s %s\n", shellName, step)
	}
}

// Quoted returns a path as one word for a shell.
func Quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
