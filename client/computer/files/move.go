package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
)

type mkdirInput struct {
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"Path, relative to the working folder."`
}

type doneOutput struct {
	Path string `json:"path" doc:"Path, relative to the working folder."`
}

// mkdir creates a folder and its parents. An existing folder is no error.
func (f *Folder) mkdir(_ context.Context, _ agent.Call, in mkdirInput) (doneOutput, error) {
	inside, err := f.changeable(in.Path)
	if err != nil {
		return doneOutput{}, err
	}
	if ofGit(f.realPlace(inside)) {
		return doneOutput{}, agent.Failf("%s is in a folder of git, which is read-only", in.Path)
	}
	if err := f.root.MkdirAll(inside, 0o755); err != nil {
		return doneOutput{}, failure(in.Path, err)
	}
	return doneOutput{inside}, nil
}

type moveInput struct {
	From    string `json:"from" minLength:"1" maxLength:"4096" doc:"Old path, relative to the working folder."`
	To      string `json:"to" minLength:"1" maxLength:"4096" doc:"New path. Missing folders are created."`
	Replace bool   `json:"replace,omitempty" doc:"Replace an existing file at the new path."`
}

// move moves a file, a folder or a link, and creates missing folders. It moves a link itself, not its target. Only with
// Replace does it replace a file.
func (f *Folder) move(_ context.Context, _ agent.Call, in moveInput) (doneOutput, error) {
	from, err := f.changeable(in.From)
	if err != nil {
		return doneOutput{}, err
	}
	to, err := f.changeable(in.To)
	if err != nil {
		return doneOutput{}, err
	}
	if ofGit(f.realPlace(path.Dir(from))) || ofGit(f.realPlace(path.Dir(to))) {
		return doneOutput{}, agent.Failf("the path is in a folder of git, which is read-only")
	}
	what, err := f.root.Lstat(from)
	if err != nil {
		return doneOutput{}, failure(in.From, err)
	}
	if there, err := f.root.Lstat(to); err == nil {
		names, err := f.names(path.Dir(to))
		switch {
		case err != nil:
			return doneOutput{}, failure(in.To, err)
		case isOtherCase(from, to, what, there, names): // the new name is free
		case !in.Replace:
			return doneOutput{}, agent.Failf("%s exists already; set replace to overwrite it", in.To)
		case os.SameFile(what, there):
			return doneOutput{}, agent.Failf("%s and %s are the same file; nothing was moved", in.From, in.To)
		}
	}
	if folder := path.Dir(to); folder != "." {
		if err := f.root.MkdirAll(folder, 0o755); err != nil {
			return doneOutput{}, failure(in.To, err)
		}
	}
	if err := f.root.Rename(from, to); err != nil {
		return doneOutput{}, failure(in.From, err)
	}
	return doneOutput{to}, nil
}

// isOtherCase reports whether a new name is the old one in another case, on a disk that ignores case: the disk then shows
// the old file under the new name too. names are the names in the folder of the new name. If the new name is among them,
// it is a second name of the file.
func isOtherCase(from, to string, what, there fs.FileInfo, names []string) bool {
	return strings.EqualFold(from, to) && os.SameFile(what, there) && !slices.Contains(names, path.Base(to))
}

// names lists the names in a folder.
func (f *Folder) names(folder string) ([]string, error) {
	dir, err := f.root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

type removeInput struct {
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"Path, relative to the working folder."`
}

// remove removes a file, a link or an empty folder. It does not follow a link.
func (f *Folder) remove(_ context.Context, _ agent.Call, in removeInput) (doneOutput, error) {
	inside, err := f.changeable(in.Path)
	if err != nil {
		return doneOutput{}, err
	}
	if ofGit(f.realPlace(path.Dir(inside))) {
		return doneOutput{}, agent.Failf("%s is in a folder of git, which is read-only", in.Path)
	}
	switch err := f.root.Remove(inside); {
	case errors.Is(err, fs.ErrExist):
		return doneOutput{}, agent.Failf("%s is not empty; remove its content first", in.Path)
	case err != nil:
		return doneOutput{}, failure(in.Path, err)
	}
	return doneOutput{inside}, nil
}
