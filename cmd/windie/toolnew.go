package main

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

	"github.com/spf13/cobra"

	kits "github.com/windieos/windie/sdk/plugin"
	"github.com/windieos/windie/wasmtools"
)

// templates are the files of new plugins: those of each language, and those
// that all have. In the names of files NAME stands for the plugin's.
//
//go:embed templates
var templates embed.FS

func toolNewCommand() *cobra.Command {
	var kit string
	cmd := &cobra.Command{
		Use:   "new LANGUAGE NAME",
		Short: "Make a folder with a small plugin to start from",
		Long: "Makes a folder NAME with a plugin of one tool, its manifest, its tests and the kit of the language: " + languageNames() + ".\n" +
			"NAME is a lower case letter, then up to 31 letters, digits and _.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, known := languageNamed(args[0])
			if !known {
				return fmt.Errorf("there is no kit for %.40q; choose one of: %s", args[0], languageNames())
			}
			s := starter{language: l, dir: args[1], name: filepath.Base(args[1])}
			if err := s.check(kit); err != nil {
				return err
			}
			if err := s.make(); err != nil {
				return err
			}
			s.greet(cmd.OutOrStdout())
			return nil
		},
	}
	cmd.Flags().StringVar(&kit, "kit", "", "for go: use the kit in this copy of Windie's repository, `DIR`, in place of a published one")
	return cmd
}

// starter makes a new plugin.
type starter struct {
	language
	dir, name, kit string
}

// check refuses what no plugin can be made of.
func (s *starter) check(kit string) (err error) {
	if name, err := wasmtools.NameOf(s.name, wasmtools.Manifest{}); err != nil || name != s.name {
		return fmt.Errorf("%.64q is no name for a plugin: expected a lower case letter, then up to 31 letters, digits and _", s.name)
	}
	if _, err := os.Lstat(s.dir); err == nil {
		return fmt.Errorf("%s is there already; choose another name, or remove it", s.dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if kit == "" {
		return nil
	}
	if s.language.name != "go" {
		return errors.New("--kit is for go; the others bring their kit along")
	}
	if s.kit, err = filepath.Abs(kit); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.kit, "sdk", "plugin", "go")); err != nil {
		return fmt.Errorf("--kit: %s is no copy of Windie's repository: %w", kit, err)
	}
	return nil
}

// make writes all files, or leaves nothing behind.
func (s *starter) make() error {
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

// copy copies a tree of files to a folder of the new one. Templates are filled
// in, and lose their ending.
func (s *starter) copy(from fs.FS, root, into string) error {
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
		if to == "gitignore" { // embedding leaves out what begins with a dot
			to = ".gitignore"
		}
		target := filepath.Join(s.dir, into, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil { //nolint:gosec // a source tree, for others to read
			return err
		}
		return os.WriteFile(target, content, 0o644) //nolint:gosec // likewise
	})
}

// fill fills in a template.
func (s *starter) fill(name string, content []byte) ([]byte, error) {
	t, err := template.New(name).Parse(string(content))
	if err != nil {
		return nil, err
	}
	var files [][2]string
	for _, f := range s.besides {
		files = append(files, [2]string{named(f[0], s.name), f[1]})
	}
	p := project{s.language, "", s.name}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Name": s.name, "Language": s.title, "File": p.file(), "Files": files, "Kit": s.kit,
		"Setup": s.once(), "Command": named(s.command, s.name),
	})
	return out.Bytes(), err
}

// once is what the author runs before the first build.
func (s *starter) once() string {
	if s.kit != "" {
		return ""
	}
	return s.setup
}

// greet tells what to type next.
func (s *starter) greet(w io.Writer) {
	fmt.Fprintf(w, "%s is a plugin in %s. Next:\n\n  cd %[1]s\n", s.dir, s.title)
	if once := s.once(); once != "" {
		fmt.Fprintln(w, " ", once)
	}
	fmt.Fprintln(w, "  windie tool build\n  windie tool test")
}
