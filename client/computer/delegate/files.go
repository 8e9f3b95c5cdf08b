package delegate

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// MaxFiles is the maximum number of files in a folder that are watched for changes. Further files
// are ignored.
const MaxFiles = 50_000

// unwatched are folders in which programs store generated files.
var unwatched = []string{".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", ".cache", "target"}

// state identifies a version of a file: it differs after a change.
type state struct {
	size int64
	when time.Time
	mode fs.FileMode
}

// snapshot returns the state of each file below a folder, by relative path.
func snapshot(dir string) map[string]state {
	files := map[string]state{}
	walk(dir, func(path string, d fs.DirEntry) bool {
		info, err := d.Info()
		name, outside := filepath.Rel(dir, path)
		if err == nil && outside == nil {
			files[filepath.ToSlash(name)] = state{info.Size(), info.ModTime(), info.Mode()}
		}
		return true
	})
	return files
}

// walk visits at most MaxFiles files below a folder, until visit returns false. It does not follow
// links, and skips unreadable entries.
func walk(dir string, visit func(path string, d fs.DirEntry) bool) {
	visited := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // it is left out
		case d.IsDir():
			if slices.Contains(unwatched, d.Name()) && path != dir {
				return filepath.SkipDir
			}
			return nil
		case visited >= MaxFiles || !visit(path, d):
			return filepath.SkipAll
		}
		visited++
		return nil
	})
}

// changes lists the differences between two snapshots, each after the word created, changed or
// removed, sorted by path.
func changes(before, after map[string]state) (list []string) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, old := before[name]
		is, now := after[name]
		switch {
		case len(list) == MaxListed:
			return append(list, "…")
		case !old:
			list = append(list, "created "+name)
		case !now:
			list = append(list, "removed "+name)
		case was != is:
			list = append(list, "changed "+name)
		}
	}
	return list
}

// filesEvery is the interval of looking for missing files.
const filesEvery = 250 * time.Millisecond

// missing returns the named files that do not appear within a time. It looks at least once.
func missing(ctx context.Context, dir string, names []string, within time.Duration) []string {
	if len(names) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return names
	}
	defer root.Close()
	tick := time.NewTicker(filesEvery)
	defer tick.Stop()
	for limit := time.After(within); ; {
		if names = lacking(ctx, root, names); len(names) == 0 {
			return nil
		}
		select { // a look may have taken longer than a tick
		case <-limit:
			return names
		default:
		}
		select {
		case <-tick.C:
		case <-limit:
			return names
		case <-ctx.Done():
			return names
		}
	}
}

// lacking returns the named files that do not exist. A name without a folder matches a file in any
// folder below root.
func lacking(ctx context.Context, root *os.Root, names []string) []string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := root.Lstat(name)
		return err == nil
	})
	if len(names) == 0 {
		return nil
	}
	there := map[string]bool{}
	walk(root.Name(), func(path string, _ fs.DirEntry) bool {
		there[filepath.Base(path)] = true
		return ctx.Err() == nil
	})
	// names with a folder are never in there
	return slices.DeleteFunc(names, func(name string) bool { return there[name] })
}
