// Package linked notices when a file or folder that a process has open is no longer what its path
// names: somebody removed it, or put another one in its place. What is written to it then is lost
// when the process ends.
//
//	file, err := linked.Open("/var/lib/windie/windie.db")
//	...
//	err = file.Check()
//
// A Check costs a microsecond or two, so that a writer can make one before it acknowledges a write.
package linked

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrGone is in the chain of each error of Check.
var ErrGone = errors.New("it was removed or replaced since it was opened")

// Path is a file or folder as it was when it was opened. The zero value is never gone.
type Path struct {
	path string // absolute
	was  fs.FileInfo
}

// Open notes what path names now. It opens nothing.
func Open(path string) (Path, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Path{}, err
	}
	was, err := os.Stat(path)
	return Path{path, was}, err
}

// Check fails, with ErrGone, if the path names something else by now, or nothing. A path that
// cannot be looked at for another reason, as that it has no more permission, is gone too.
func (p Path) Check() error {
	if p.was == nil {
		return nil
	}
	now, err := os.Stat(p.path)
	if err == nil && os.SameFile(p.was, now) {
		return nil
	}
	return errors.Join(fmt.Errorf("%s: %w", p.path, ErrGone), err)
}
