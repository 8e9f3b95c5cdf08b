package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// maxShown limits a file whose changes are shown, in bytes.
const maxShown = 1 << 20

// files records the changes that calls made to files below the root.
type files struct {
	root *os.Root

	mu      sync.Mutex
	changes []*change          // by path, in the order of the first change
	calls   map[string]*change // by call
}

// change is the change of one file.
type change struct {
	path          string
	before, after content
}

// content is the content of a file at one time.
type content struct {
	there bool
	text  string
	large bool // too large, or not text, so not shown

	size    int64     // size of a file that is not shown, if known
	changed time.Time // modification time of a file that is not shown, if known
}

// newFiles returns the files of a root that was opened by its absolute path.
func newFiles(root *os.Root) *files { return &files{root: root, calls: map[string]*change{}} }

// Arguments of tools: those that name a file, and texts that never do.
var (
	fileNames = []string{"path", "file", "file_path", "from", "source", "to", "destination", "target"}
	textNames = []string{"text", "content", "contents", "old", "new", "encoding", "sha256"}
)

// paths returns the files that a call's arguments name, relative to the root.
func (f *files) paths(arguments json.RawMessage) (paths []string) {
	var in map[string]any
	if json.Unmarshal(arguments, &in) != nil {
		return nil
	}
	for _, name := range fileNames {
		if text, ok := in[name].(string); ok && text != "" {
			if clean := f.inside(text); fs.ValidPath(clean) && clean != "." && !slices.Contains(paths, clean) {
				paths = append(paths, clean)
			}
		}
	}
	return paths
}

// inside returns a path relative to the root, in the form of the file tools. An absolute path below
// the root is converted.
func (f *files) inside(name string) string {
	if rest, below := strings.CutPrefix(name, f.root.Name()+string(filepath.Separator)); below {
		name = rest
	}
	return path.Clean(filepath.ToSlash(name))
}

// places returns the files that a call's arguments name, relative to the root. ok is false if the
// call may touch others too: if a path cannot be placed, or if an unknown argument may name files.
func (f *files) places(arguments json.RawMessage) (paths []string, ok bool) {
	var in map[string]any
	if json.Unmarshal(arguments, &in) != nil {
		return nil, false
	}
	for name, value := range in {
		switch value := value.(type) {
		case bool, float64:
		case string:
			known := slices.Contains(textNames, name) || slices.Contains(fileNames, name) && f.placed(value)
			if !known {
				return nil, false
			}
		default: // a list or an object may name anything
			return nil, false
		}
	}
	return f.paths(arguments), true
}

// placed reports whether a path certainly leads to the file below the root that it names: it has no
// "..", no separator of another system, and no link on its way.
func (f *files) placed(name string) bool {
	inside := f.inside(name)
	if inside == "." || !filepath.IsLocal(inside) || strings.Contains(inside, `\`) || slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "..") {
		return false
	}
	for at := inside; at != "."; at = path.Dir(at) {
		info, err := f.root.Lstat(at)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return false
		case err == nil && info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0: // Windows has links that are irregular
			return false
		}
	}
	return true
}

// read returns the content of a file. It opens only regular files: opening a device may have
// effects, and a pipe blocks.
func (f *files) read(name string) content {
	info, err := f.root.Stat(name)
	if err != nil {
		return content{there: !errors.Is(err, fs.ErrNotExist), large: !errors.Is(err, fs.ErrNotExist)}
	}
	unshown := content{there: true, large: true, size: info.Size(), changed: info.ModTime()}
	if !info.Mode().IsRegular() || info.Size() > maxShown {
		return unshown
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return unshown
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		return unshown
	}
	data, err := io.ReadAll(io.LimitReader(file, maxShown+1))
	if err != nil || len(data) > maxShown || !utf8.Valid(data) {
		return unshown
	}
	return content{there: true, text: string(data)}
}

// watch records the state of the files before a call. The caller calls note after the call, which
// records the changes.
func (f *files) watch(call string, arguments json.RawMessage) (note func()) {
	paths := f.paths(arguments)
	before := make([]content, len(paths))
	for i, p := range paths {
		before[i] = f.read(p)
	}
	return func() {
		for i, p := range paths {
			if after := f.read(p); after != before[i] {
				f.note(call, &change{p, before[i], after})
			}
		}
	}
}

// note records a change. The call's entry is its last changed file. The file's entry keeps its
// first state.
func (f *files) note(call string, c *change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[call] = c
	for _, all := range f.changes {
		if all.path == c.path {
			all.after = c.after
			return
		}
	}
	whole := *c
	f.changes = append(f.changes, &whole)
}

// of returns the change of a call, or nil.
func (f *files) of(call string) *change {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[call]
}

// all returns the files that differ from their first state.
func (f *files) all() (list []change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.changes {
		if c.before != c.after {
			list = append(list, *c)
		}
	}
	return list
}

// summary lists the files that differ from their first state.
func (f *files) summary() (list []written) {
	for _, c := range f.all() {
		w := written{Path: c.path, Change: c.kind()}
		w.Added, w.Removed = c.lines()
		list = append(list, w)
	}
	return list
}

// written is a file in a summary.
type written struct {
	Path    string `json:"path"`
	Change  string `json:"change"` // created, changed or removed
	Added   int    `json:"added"`  // lines
	Removed int    `json:"removed"`
}

// kind returns created, removed or changed.
func (c *change) kind() string {
	switch {
	case !c.before.there:
		return "created"
	case !c.after.there:
		return "removed"
	}
	return "changed"
}

// diff returns the change as a unified diff, or "" if it cannot be shown.
func (c *change) diff() string {
	if c.before.large || c.after.large {
		return ""
	}
	from, to := "a/"+c.path, "b/"+c.path
	if !c.before.there {
		from = "/dev/null"
	}
	if !c.after.there {
		to = "/dev/null"
	}
	return udiff.Unified(from, to, c.before.text, c.after.text)
}

// lines counts the added and removed lines.
func (c *change) lines() (added, removed int) {
	at := 0
	for line := range strings.Lines(c.diff()) {
		at++
		switch {
		case at <= 2: // the names of the file
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

// planned returns the change that a pending call would make, if its arguments have a path and the
// file's whole text. Otherwise it returns nil.
func (f *files) planned(arguments json.RawMessage) *change {
	var in map[string]any
	paths := f.paths(arguments)
	if json.Unmarshal(arguments, &in) != nil || len(paths) != 1 {
		return nil
	}
	for _, name := range []string{"text", "content", "contents"} {
		if text, ok := in[name].(string); ok {
			return &change{paths[0], f.read(paths[0]), content{there: true, text: text}}
		}
	}
	return nil
}

// counted formats the line counts of a change.
func counted(added, removed int) string { return fmt.Sprintf("+%d −%d", added, removed) }
