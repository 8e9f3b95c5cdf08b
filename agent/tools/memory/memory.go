// Package memory stores and searches the notes of agents. The notes are Markdown files that people
// can read and edit.
//
//	notes, err := memory.Open(db, memory.Options{Dir: "/var/lib/windie/memory"})
//	defer notes.Close()
//	wrote, err := notes.Write(ctx, "ada", memory.Entry{Kind: memory.Daily, Text: "The invoice is paid."})
//	found, err := notes.Search(ctx, "ada", memory.Search{Query: "invoices"})
//
// Each user has a folder, the workspace, and in it:
//
//	memory/MEMORY.md               notes that stay true
//	memory/2026-02-11.md           a day's notes
//	memory/archive/2026-02-11.md   old notes
//
// An entry is a note under a heading with its time and source. People and programs may edit and add
// files.
//
// The files are the source of truth. The database has an index of the files. A search first updates
// the index, at most every half second. The index consists of chunks: passages of some hundred
// words with their line numbers.
package memory

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/linked"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Bounds of the memory.
const (
	MaxEntry  = 64 << 10 // maximum size of an entry's text, in bytes
	MaxSource = 200      // maximum size of an entry's source, in bytes
	MaxFile   = 10 << 20 // maximum size of a file that can be changed and searched, in bytes
	MaxFiles  = 50_000   // maximum number of files of one user
	maxDepth  = 8        // of nested folders
	maxRooms  = 1024     // rooms in the cache
)

// Defaults of Options.
const (
	DefaultKeepDays  = 90
	DefaultSoftBytes = 64 << 10
)

// freshFor is how long a search trusts the last look at the files.
const freshFor = 500 * time.Millisecond

// Kind is the purpose of a file.
type Kind string

// The kinds.
const (
	LongTerm Kind = "long_term" // the file MEMORY.md
	Daily    Kind = "daily"     // a file with the notes of one day, also in the archive
	Other    Kind = "other"     // other Markdown files in the folder
)

// Options configure a memory. Dir is required. If another field is zero, its default applies.
type Options struct {
	Dir       string       // folder that contains a folder for each user; Open creates it
	KeepDays  int          // age in days at which daily files are archived; negative means never
	MaxBytes  int64        // maximum size of one user's files after a Write, in bytes; 0 means no limit
	SoftBytes int64        // size of MEMORY.md above which Write warns, in bytes; negative means never
	Embedder  Embedder     // model that allows Search to search by meaning; may be nil
	Space     string       // name of the Embedder's model; vectors of different models are not compared
	Log       *slog.Logger // log for failures; may be nil

	now func() time.Time // for tests
}

// Memory is the memory of all users. Its methods are safe for concurrent use, and several processes
// may share the folder and the database.
type Memory struct {
	opts  Options
	db    *database.DB
	root  *os.Root
	here  linked.Path // root
	place string      // id of the folder, for a database that indexes several

	roomsMu sync.Mutex
	rooms   *lru.Cache[string, *room] // the last used
	// weak pointers to the rooms that a caller or the cache has, by folder
	alive *sync.Map

	outage outage // of the embedder
}

// Open opens the memory in a folder. The caller closes the memory first and then the database.
func Open(db *database.DB, opts Options) (*Memory, error) {
	const op = "memory.Open"
	opts.KeepDays = cmp.Or(opts.KeepDays, DefaultKeepDays)
	opts.SoftBytes = cmp.Or(opts.SoftBytes, DefaultSoftBytes)
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	if opts.now == nil {
		opts.now = time.Now
	}
	dir, err := filepath.Abs(opts.Dir)
	if err == nil {
		err = os.MkdirAll(dir, dirPerm)
	}
	if err != nil {
		return nil, unusable(op, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unusable(op, err)
	}
	m := &Memory{opts: opts, db: db, root: root, alive: new(sync.Map)}
	if m.here, err = linked.Open(dir); err == nil {
		m.place, err = placeOf(root)
	}
	if err != nil {
		_ = root.Close()
		return nil, unusable(op, err)
	}
	m.rooms, _ = lru.New[string, *room](maxRooms) // it fails for sizes below 1
	return m, nil
}

// Close closes the folder. It may be called twice.
func (m *Memory) Close() error { return m.root.Close() }

// Ready fails if the folder was deleted or replaced since Open. Its error says what to do.
func (m *Memory) Ready() error {
	if err := m.here.Check(); err != nil {
		return fault.New("memory.Ready", sdkapi.StorageUnavailable, "the memory folder was deleted or replaced while the gateway was running; put it back or restore a backup, then restart the gateway").Because(err)
	}
	return nil
}

// unusable returns the fault for an error of the file system.
func unusable(op string, err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.From(err)
	case artifacts.Full(err):
		return fault.New(op, sdkapi.StorageFull, "the disk of the memory folder is full; free some space").Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the memory folder is unusable; check that it exists, and that the gateway's user owns it and all its files").Because(err)
}

// notFound returns the fault for a file that does not exist, or that callers must not read.
func notFound(op, name string) *fault.Error {
	return fault.New(op, sdkapi.MemoryNotFound, "there is no memory file %q", name)
}

// missing reports whether err says that a file does not exist or must not be read.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoFile) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}
