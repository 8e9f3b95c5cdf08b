package files

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/agent"
)

// ours is the name prefix of unfinished files.
const ours = ".windie-"

type writeInput struct {
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"Path, relative to the working folder."`
	Text string `json:"text" maxLength:"1048576"`
}

type writeOutput struct {
	Size int64 `json:"size"`
}

// write replaces a whole file with a text of at most MaxWrite bytes, and creates missing folders.
func (f *Folder) write(_ context.Context, _ agent.Call, in writeInput) (writeOutput, error) {
	if len(in.Text) > MaxWrite {
		return writeOutput{}, agent.Failf("the text has %d bytes; the limit is %d. Use file.write_chunk", len(in.Text), MaxWrite)
	}
	return writeOutput{int64(len(in.Text))}, f.Put(in.Path, strings.NewReader(in.Text))
}

// Put copies the content of a reader to a file of the folder, atomically. A replaced file keeps its permissions. Its
// error messages are meant for people.
func (f *Folder) Put(name string, content io.Reader) error { return f.replace(name, content, nil) }

// replace works like Put. If before is not nil, it fails if the file has changed since before.
func (f *Folder) replace(name string, content io.Reader, before fs.FileInfo) error {
	inside, old, err := f.prepare(name)
	if err != nil {
		return err
	}
	beside := path.Join(path.Dir(inside), ours+rand.Text())
	file, err := f.root.OpenFile(beside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, modeBeside(old))
	if err != nil {
		return failure(name, err)
	}
	_, err = io.Copy(file, content)
	err = errors.Join(err, keepMode(file, old), file.Sync(), file.Close())
	if err == nil && before != nil {
		now, changed := f.root.Stat(inside)
		if changed != nil || !os.SameFile(now, before) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
			err = agent.Failf("somebody else changed %s meanwhile; read it again", name)
		}
	}
	if err == nil {
		err = f.root.Rename(beside, inside)
	}
	if err != nil {
		_ = f.root.Remove(beside)
		return failure(name, err)
	}
	return f.settle(path.Dir(inside))
}

// modeBeside returns the permissions for a temporary file that will replace old. If old is nil,
// they are those of any new file, less the umask.
func modeBeside(old fs.FileInfo) fs.FileMode {
	if old == nil {
		return 0o666
	}
	return 0o600
}

// keepMode copies the permissions of the replaced file to the new one.
func keepMode(file *os.File, old fs.FileInfo) error {
	if old == nil {
		return nil
	}
	return file.Chmod(old.Mode().Perm())
}

// prepare creates the folders of a file to write. It returns the file's path, and the existing file
// or nil.
func (f *Folder) prepare(name string) (inside string, old fs.FileInfo, err error) {
	if inside, err = f.changeable(name); err != nil {
		return "", nil, err
	}
	if folder := path.Dir(inside); folder != "." {
		if ofGit(f.realPlace(folder)) {
			return "", nil, agent.Failf("%s is in a folder of git, which is read-only", name)
		}
		if err := f.root.MkdirAll(folder, 0o755); err != nil {
			return "", nil, failure(name, err)
		}
	}
	info, err := f.root.Lstat(inside)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return inside, nil, nil
	case err != nil:
		return "", nil, failure(name, err)
	case !info.Mode().IsRegular():
		return "", nil, agent.Failf("%s is not a file but a %s, and stays as it is", name, kindOf(info.Mode()))
	case info.Mode().Perm()&0o200 == 0:
		return "", nil, agent.Failf("%s is write-protected; the user can allow changes with chmod u+w", name)
	}
	return inside, info, nil
}

// settle syncs a folder, so that its new entries survive a crash. If the system cannot sync folders,
// it writes the entries a little later.
func (f *Folder) settle(folder string) error {
	dir, err := f.root.Open(folder + "/.") // fails at once if a pipe has taken its place
	if err == nil {
		_ = dir.Sync()
		err = dir.Close()
	}
	return err
}

type editInput struct {
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"Path, relative to the working folder."`
	Old  string `json:"old" minLength:"1" maxLength:"1048576" doc:"Exact text to replace, with enough context that it occurs only once."`
	New  string `json:"new" maxLength:"1048576" doc:"New text. It may be empty."`
	All  bool   `json:"all,omitempty" doc:"Replace every occurrence of the old text, not only one."`
}

type editOutput struct {
	Replaced int `json:"replaced" doc:"Number of replacements."`
	Line     int `json:"line" doc:"Number of the first changed line, from 1."`
}

// edit replaces a text in a file of at most MaxWrite bytes. It fails if the text is missing, if it occurs several times
// without All, or if the file has changed since edit read it.
func (f *Folder) edit(_ context.Context, _ agent.Call, in editInput) (editOutput, error) {
	file, info, err := f.openRegular(in.Path)
	if err != nil {
		return editOutput{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxWrite+1))
	text := string(data)
	count, first := strings.Count(text, in.Old), strings.Index(text, in.Old)
	switch {
	case err != nil:
		return editOutput{}, failure(in.Path, err)
	case len(data) > MaxWrite:
		return editOutput{}, agent.Failf("%s has more than %d bytes, the limit for file.edit", in.Path, MaxWrite)
	case !utf8.Valid(data):
		return editOutput{}, agent.Failf("%s is not UTF-8 text", in.Path)
	case count == 0:
		return editOutput{}, agent.Failf("%s does not contain the text. Spaces and line ends must match exactly: read it again", in.Path)
	case count > 1 && !in.All:
		return editOutput{}, agent.Failf("%s contains the text %d times; add context, or set all to true", in.Path, count)
	// strings.Count does not count overlapping matches
	case !in.All && strings.Contains(text[first+1:], in.Old):
		return editOutput{}, agent.Failf("%s contains the text twice, overlapping; add context", in.Path)
	}
	// checked before the memory is allocated
	if size := int64(len(text)) + int64(count)*int64(len(in.New)-len(in.Old)); size > MaxWrite {
		return editOutput{}, agent.Failf("%s would have %d bytes; the limit is %d", in.Path, size, MaxWrite)
	}
	changed := strings.ReplaceAll(text, in.Old, in.New)
	line := strings.Count(text[:first], "\n") + 1
	return editOutput{count, line}, f.replace(in.Path, strings.NewReader(changed), info)
}
