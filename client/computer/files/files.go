// Package files has tools for the files below one folder: list, read, find, search, write, edit,
// move.
//
//	folder, err := files.Open("/home/ada/work", files.Rules{})
//	defer folder.Close()
//	tools := folder.Tools()
//
// Paths are relative to the folder, or absolute and below it. Neither ".." nor links lead out of
// the folder: an os.Root resolves each part of a path. The tools read and replace only regular
// files. They refuse devices, pipes and sockets, and never wait when they open a file. They replace
// a file atomically, so a killed program leaves either the old file or the new file.
//
// The content of any folder ".git" can be read but not changed, because its hooks and settings name
// programs that the user's own git would run.
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

// Limits of the tools.
const (
	MaxRead    = 256 << 10 // maximum size of one result of file.read, in bytes
	MaxWrite   = 1 << 20   // maximum size of one file.write, of one chunk, and of a file to edit, in bytes
	MaxFile    = 1 << 30   // maximum size of a file that is written in chunks, in bytes
	MaxSum     = 1 << 30   // maximum size of a file for which file.stat computes a hash, in bytes
	MaxEntries = 1000      // maximum number of entries in one result of file.list or file.find
	MaxWalk    = 200_000   // maximum number of entries that one file.find or file.grep visits
	MaxMatches = 200       // maximum number of matches in one result of file.grep
	MaxSearch  = 8 << 20   // maximum size of a file that file.grep searches, in bytes
	MaxLine    = 500       // maximum length of a line in a result of file.grep, in bytes
)

// Rules limit the tools. The zero value allows reading and writing files, but not removing them.
type Rules struct {
	ReadOnly bool // include only the tools that read
	Remove   bool // include the tool file.remove
}

// Folder is a folder with everything below it. Its methods are safe for concurrent use.
type Folder struct {
	rules Rules
	root  *os.Root
	dir   string

	parts sync.Mutex // held while the next chunk of a file is written
}

// Open returns a folder. The caller closes it.
func Open(dir string, rules Rules) (*Folder, error) {
	if dir == "" {
		return nil, errors.New("files: the folder is missing")
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

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Dir returns the absolute path of the folder.
func (f *Folder) Dir() string { return f.dir }

// Folder returns the absolute path of a subfolder in which programs can run. An empty name means
// the folder itself.
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
		return "", agent.Failf("%s is not a folder", name)
	}
	return filepath.Join(f.dir, filepath.FromSlash(inside)), nil
}

// inside converts a path of a call to the form of os.Root: relative, with slashes. The Root rejects
// any remaining "..".
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

// ofGit reports whether a path leads into a ".git" folder, in any spelling that a file system
// accepts for it.
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

// realPlace resolves the links of a path as far as it exists, so that a link to a ".git" folder is
// noticed.
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

// followOne replaces the first link of a path with its target.
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

// openRegular opens a regular file for reading. It refuses a pipe or a device without waiting.
func (f *Folder) openRegular(name string) (*os.File, fs.FileInfo, error) {
	inside := f.inside(name)
	if info, err := f.root.Stat(inside); err != nil {
		return nil, nil, failure(name, err)
	} else if !info.Mode().IsRegular() { // checked before opening: opening a device may have effects
		return nil, nil, agent.Failf("%s is a %s, not a file", name, kindOf(info.Mode()))
	}
	file, err := f.root.OpenFile(inside, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, failure(name, err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() { // it was exchanged in between
		_ = file.Close()
		return nil, nil, agent.Failf("%s is not a file", name)
	}
	return file, info, nil
}

// kindOf names the kind of a file, for the model.
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

// failure returns an error about a file, for the model.
func failure(name string, err error) error {
	var known agent.Failure
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return agent.Failf("%s does not exist", name)
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
