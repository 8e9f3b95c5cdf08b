// Package linked detects that the path of an open file or folder has changed: somebody has removed
// it, or put another one in its place. Data that is then written to the open file is lost when the
// process ends.
//
//	file, err := linked.Open("/var/lib/windie/windie.db")
//	...
//	err = file.Check()
//
// A Check takes a microsecond or two, so a writer can make one before it acknowledges each write.
package linked

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrGone is in the error chain of every error that Check returns.
var ErrGone = errors.New("the file or folder was removed or replaced after the gateway opened it")

// Path identifies a file or folder at the time of Open. The zero value identifies nothing, and its
// Check never fails.
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

// Check fails with ErrGone if the path no longer exists, or if it now leads to a different file or
// folder than at the time of Open. It also fails with ErrGone if the path cannot be examined, for
// example for lack of permission.
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
