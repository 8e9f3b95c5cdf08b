package memory

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/sdkapi"
)

// Only the gateway's user can read new files.
const (
	dirPerm  fs.FileMode = 0o700
	filePerm fs.FileMode = 0o600
)

// Paths in a user's folder, with slashes on every system.
const (
	notesDir     = "memory"
	archiveDir   = notesDir + "/archive"
	longTermPath = notesDir + "/MEMORY.md"
	lockName     = ".lock" // locked by a process that changes files
	placeName    = ".place"
	tempPrefix   = ".tmp-"
)

// maxUser bounds a user's id, in bytes.
const maxUser = 512

var (
	plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	reserved  = regexp.MustCompile(`^(con|prn|aux|nul|com\d|lpt\d)$`) // names of devices on Windows
	dailyPath = regexp.MustCompile(`^memory/(?:archive/)?(\d{4}-\d{2}-\d{2})\.md$`)
	unplain   = regexp.MustCompile(`[^a-z0-9]+`)
)

// folderOf returns the name of a user's folder. It is the id if the id has only lower-case letters, digits, _ and -.
// Other names end in a dot and a part of the id's hash, so that users never share a folder, even if the file system
// ignores case.
func folderOf(user string) string {
	if plainName.MatchString(user) && !reserved.MatchString(user) {
		return user
	}
	readable := strings.Trim(unplain.ReplaceAllString(strings.ToLower(user), "-"), "-")
	if len(readable) > 32 {
		readable = readable[:32]
	}
	return "u" + readable + "." + hashid.Of(user, 10)
}

// room is shared by the calls of one user.
type room struct {
	folder string        // its name
	owner  string        // its name in the index
	busy   chan struct{} // holds a token while a caller writes or indexes

	records    map[string]record // of the index, for the busy caller; nil if unknown
	generation int64             // of the index, as of records

	mu     sync.Mutex
	looked time.Time // last look at the files; zero after a change of our own
	user   string    // the user's id; empty if only the folder's name is known, which need not have the id
}

// payer returns the id of the user of the room, and "" if it is unknown.
func (r *room) payer() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.user
}

// roomOf returns a user's room, also if the user has no folder.
func (m *Memory) roomOf(op, user string) (*room, error) {
	if user == "" || len(user) > maxUser {
		return nil, fault.New(op, sdkapi.ValidationError, "the owner of the memory is missing or too long").At("user", "expected an id of at most %d bytes", maxUser)
	}
	r := m.room(folderOf(user))
	r.mu.Lock()
	r.user = user
	r.mu.Unlock()
	return r, nil
}

// room returns the room of a folder. While a caller has the room, all callers get the same one, also
// after the cache has dropped it: they wait for each other by it.
func (m *Memory) room(folder string) *room {
	m.roomsMu.Lock()
	defer m.roomsMu.Unlock()
	if known, ok := m.rooms.Get(folder); ok {
		return known
	}
	var r *room
	if known, ok := m.alive.Load(folder); ok {
		r = known.(weak.Pointer[room]).Value()
	}
	if r == nil {
		r = &room{folder: folder, owner: hashid.Of(m.place+"/"+folder, 10), busy: make(chan struct{}, 1)}
		if folderOf(folder) == folder {
			r.user = folder
		}
		self, alive := weak.Make(r), m.alive
		alive.Store(folder, self)
		runtime.AddCleanup(r, func(self weak.Pointer[room]) { alive.CompareAndDelete(folder, self) }, self)
	}
	m.rooms.Add(folder, r)
	return r
}

// enter waits until the room is free. The caller holds the room until it calls leave.
func (r *room) enter(ctx context.Context) (leave func(), err error) {
	select {
	case r.busy <- struct{}{}:
		return func() { <-r.busy }, nil
	case <-ctx.Done():
		return nil, fault.From(ctx.Err())
	}
}

// open opens a room's folder. It fails with fs.ErrNotExist if there is none.
func (m *Memory) open(r *room) (*os.Root, error) {
	info, err := m.root.Lstat(r.folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", r.folder)
	}
	return m.root.OpenRoot(r.folder)
}

// lockPause is the pause between attempts to lock, and lockTime the limit for all attempts.
const (
	lockPause = 5 * time.Millisecond
	lockTime  = 15 * time.Second
)

// lock excludes other processes from changing a folder until the caller closes the result.
func lock(ctx context.Context, root *os.Root) (io.Closer, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	file, err := root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, filePerm)
	if err != nil {
		return nil, err
	}
	for {
		ok, err := filelock.Try(file, filelock.Exclusive)
		if ok {
			return file, nil
		}
		if err == nil {
			err = background.Sleep(ctx, lockPause)
		}
		if err != nil {
			_ = file.Close() // nothing was written
			return nil, err
		}
	}
}

// errNoFile is the error of reading a link or another special file.
var errNoFile = errors.New("the file is a link or not a regular file")

// openNote opens a file for reading, and describes it. It does not follow links, as a link could lead to another file
// of the folder.
func openNote(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	named, err := root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, nil, errNoFile
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(named, info) {
		err = errNoFile
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, nil, err
	}
	return file, info, nil
}

// read reads a whole file, and describes it. For a file of more than MaxFile bytes the error is errTooLarge.
func read(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	file, info, err := openNote(root, name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if info.Size() > MaxFile {
		return nil, info, errTooLarge
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err == nil && len(text) > MaxFile {
		err = errTooLarge
	}
	return text, info, err
}

var errTooLarge = errors.New("the file is too large")

// found is the size and the time of a file, without its content.
type found struct {
	size     int64
	modified int64 // nanoseconds since 1970
}

// look lists the Markdown files in a user's folder, by path, without opening them. More than MaxFiles files are an
// error, STORAGE_FULL.
func look(ctx context.Context, root *os.Root) (map[string]found, error) {
	files := map[string]found{}
	err := walk(root, func(name string, info fs.FileInfo) error {
		if len(files) >= MaxFiles {
			return fault.New("memory.look", sdkapi.StorageFull, "the memory folder contains more files than the limit of %d; move some files out of the folder", MaxFiles)
		}
		files[name] = found{info.Size(), info.ModTime().UnixNano()}
		return ctx.Err()
	})
	return files, err
}

// walk calls do for each Markdown file in a user's folder. It skips links, names that start with a dot, and files that
// disappear meanwhile.
func walk(root *os.Root, do func(name string, info fs.FileInfo) error) error {
	return walkAll(root, func(name string, entry fs.DirEntry) error {
		if strings.HasPrefix(entry.Name(), ".") || !strings.EqualFold(path.Ext(name), ".md") {
			return nil
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return do(name, info)
	})
}

// walkAll calls do for each file in the folders of a user's notes. It skips links, and folders whose name starts with a
// dot.
func walkAll(root *os.Root, do func(name string, entry fs.DirEntry) error) error {
	return fs.WalkDir(root.FS(), notesDir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") || strings.Count(name, "/") >= maxDepth) {
			return fs.SkipDir
		}
		if err == nil && entry.Type().IsRegular() {
			return do(name, entry)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// list returns the entries of a folder, unsorted. A missing folder has none.
func list(root *os.Root, dir string) ([]fs.DirEntry, error) {
	file, err := root.Open(filepath.FromSlash(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.ReadDir(-1)
}

// kindOf returns a file's kind, and the day of a daily file.
func kindOf(name string) (Kind, time.Time) {
	if name == longTermPath {
		return LongTerm, time.Time{}
	}
	if m := dailyPath.FindStringSubmatch(name); m != nil {
		if day, err := time.Parse(time.DateOnly, m[1]); err == nil {
			return Daily, day
		}
	}
	return Other, time.Time{}
}

// placeOf returns the id of the folder of memories, and creates the id if needed. With it, a database can index the
// folders of several gateways.
func placeOf(root *os.Root) (string, error) {
	for {
		text, err := root.ReadFile(placeName)
		if id := strings.TrimSpace(string(text)); err == nil && id != "" {
			return id, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		temp := tempPrefix + rand.Text()
		if err := writeNew(root, temp, []byte(rand.Text()+"\n")); err != nil {
			return "", err
		}
		err = root.Link(temp, placeName) // Link keeps an id that another process has created
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = root.Rename(temp, placeName) // for file systems without links
		}
		_ = root.Remove(temp) // if it is still there
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}
