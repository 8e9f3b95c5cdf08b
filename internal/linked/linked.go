// Package linked detects that the path of an open file or folder has changed: somebody has removed
// the file or replaced it by another file. If a process then still writes to the open file, the
// data is lost when the process ends.
//
//	file, err := linked.Open("/var/lib/windie/windie.db")
//	...
//	err = file.Check()
//
// A Check takes one or two microseconds, so a writer can call Check before it acknowledges a write.
package linked

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrGone is in the chain of every error that Check returns.
var ErrGone = errors.New("removed or replaced after the gateway opened it")

// Path identifies a file or folder at the time of Open. Check never fails on the zero value.
type Path struct {
	path string // absolute
	was  fs.FileInfo
}

// Open records the identity of the file or folder at path. It does not open the file.
func Open(path string) (Path, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Path{}, err
	}
	was, err := os.Stat(path)
	return Path{path, was}, err
}

// Check fails with ErrGone if the file at the path was removed or replaced since Open. It also
// fails with ErrGone if it cannot examine the path, for example without permission.
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
