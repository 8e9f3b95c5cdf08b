// Package files has the files below one folder, as tools: list, read, find, search, write, edit, move.
//
//	folder, err := files.Open("/home/ada/work", files.Rules{})
//	defer folder.Close()
//	tools := folder.Tools()
//
// Paths are relative to the folder, or absolute and below it. Nothing leaves the folder: neither ".." nor links do, as
// os.Root resolves each part of a path by itself. Only regular files are read and replaced: a device, a pipe or a
// socket is refused, and opening one never waits. A file is replaced whole or not at all, so that a program that is
// killed leaves the old file or the new one.
//
// What git keeps, in any folder ".git", can be read and not changed: its hooks and settings name programs that the
// user's own git would run.
package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"github.com/windieos/windie/agent"
)

// Bounds of what the tools take and give.
const (
	MaxRead    = 256 << 10 // bytes of one answer of file.read
	MaxWrite   = 1 << 20   // bytes of one file.write, of one chunk, and of a file that is edited
	MaxFile    = 1 << 30   // bytes of a file that is written by chunks
	MaxSum     = 1 << 30   // bytes of a file whose sum file.stat computes
	MaxEntries = 1000      // of one file.list, and of one file.find
	MaxWalk    = 200_000   // entries that one file.find or file.grep looks at
	MaxMatches = 200       // of one file.grep
	MaxSearch  = 8 << 20   // bytes of a file that file.grep looks into
	MaxLine    = 500       // bytes of a line that file.grep shows
)

// Rules say what the tools may do. The zero value lets files be read and written, and nothing be removed.
type Rules struct {
	ReadOnly bool // nothing is changed: only the tools that read are there
	Remove   bool // with file.remove
}

// Folder is a folder and all below it. Its methods are safe for concurrent use.
type Folder struct {
	rules Rules
	root  *os.Root
	dir   string

	parts sync.Mutex // held while a file's next chunk is written
}

// Open returns a folder. The caller closes it.
func Open(dir string, rules Rules) (*Folder, error) {
	if dir == "" {
		return nil, errors.New("files: no folder is named")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{rules: rules, root: root, dir: dir}, nil
}

// Close gives back the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Dir returns the absolute path of the folder.
func (f *Folder) Dir() string { return f.dir }

// Folder returns the absolute path of a folder below, for programs to run in; empty means the folder itself.
func (f *Folder) Folder(name string) (string, error) {
	if name == "" {
		name = "."
	}
	inside := f.inside(name)
	info, err := f.root.Stat(inside)
	if err != nil {
		return "", failure(name, err)
	}
	if !info.IsDir() {
		return "", agent.Failf("%s is no folder", name)
	}
	return filepath.Join(f.dir, filepath.FromSlash(inside)), nil
}

// inside returns a path of a call as os.Root takes it: relative, with slashes. Root refuses what is left of "..".
func (f *Folder) inside(name string) string {
	if rest, below := strings.CutPrefix(name, f.dir+string(filepath.Separator)); below {
		name = rest
	} else if name == f.dir {
		name = "."
	}
	return path.Clean(filepath.ToSlash(name))
}

// changeable returns a path that may be changed, or a Failure.
func (f *Folder) changeable(name string) (string, error) {
	inside := f.inside(name)
	switch {
	case inside == ".":
		return "", agent.Failf("%s is the working folder itself; name a path in it", name)
	case ofGit(inside):
		return "", agent.Failf("%s belongs to git: use the git tools", name)
	}
	return inside, nil
}

// ofGit reports whether a path leads into a folder of git, in any spelling that a file system takes for ".git".
func ofGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) { // ignored by the file systems of macOS
				return -1
			}
			return r
		}, part)
		part, _, _ = strings.Cut(part, ":") // a stream, on Windows
		part = strings.TrimRight(part, ". ")
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1") {
			return true
		}
	}
	return false
}

// realPlace returns a path with its links followed as far as it exists, so that a link to a folder of git is noticed.
func (f *Folder) realPlace(name string) string {
	for range 40 { // as many links as a system follows
		next, changed := f.followOne(name)
		if !changed {
			return name
		}
		name = next
	}
	return name
}

// followOne replaces the first link of a path by what it names.
func (f *Folder) followOne(name string) (string, bool) {
	parts := strings.Split(name, "/")
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		info, err := f.root.Lstat(at)
		if err != nil {
			return name, false
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		to, err := f.root.Readlink(at)
		if err != nil || path.IsAbs(filepath.ToSlash(to)) {
			return name, false
		}
		return path.Join(path.Dir(at), filepath.ToSlash(to), strings.Join(parts[i+1:], "/")), true
	}
	return name, false
}

// openRegular opens a regular file to read. A pipe or a device is refused, and is not waited for.
func (f *Folder) openRegular(name string) (*os.File, fs.FileInfo, error) {
	inside := f.inside(name)
	if info, err := f.root.Stat(inside); err != nil {
		return nil, nil, failure(name, err)
	} else if !info.Mode().IsRegular() { // before it is opened: opening a device may do something
		return nil, nil, agent.Failf("%s is no file, but %s", name, kindOf(info.Mode()))
	}
	file, err := f.root.OpenFile(inside, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, failure(name, err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() { // it was exchanged in between
		_ = file.Close()
		return nil, nil, agent.Failf("%s is no file", name)
	}
	return file, info, nil
}

// kindOf names what a path is, for the model.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "link"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// failure is an error about a file, for the model.
func failure(name string, err error) error {
	var known agent.Failure
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return agent.Failf("there is no %s", name)
	case errors.Is(err, fs.ErrExist):
		return agent.Failf("%s exists already", name)
	case errors.Is(err, fs.ErrPermission):
		return agent.Failf("%s is not accessible", name)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return agent.Failf("%s: %v", name, err)
}
