// Package memory keeps what agents are to remember as Markdown that people can
// read and edit, and finds it again.
//
//	notes, err := memory.Open(db, memory.Options{Dir: "/var/lib/windie/memory"})
//	defer notes.Close()
//	wrote, err := notes.Write(ctx, "ada", memory.Entry{Kind: memory.Daily, Text: "The invoice is paid."})
//	found, err := notes.Search(ctx, "ada", memory.Search{Query: "invoices"})
//
// Each user has a folder, the workspace, and in it:
//
//	memory/MEMORY.md               what is to be known for long
//	memory/2026-02-11.md           a day's notes
//	memory/archive/2026-02-11.md   those of days long ago
//
// An entry is one note, under a heading with its time and its source. People
// and other programs may edit these files, and put other Markdown beside them.
//
// The files are the truth. The index, in the database, is made from them, and
// only makes searching quick: a search first looks which files have changed since
// the last one, unless that was done within the last half second. The index knows
// files by chunks, passages of some hundred words with the lines they are on.
package memory

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of what is kept.
const (
	MaxEntry  = 64 << 10 // bytes of an entry's text
	MaxSource = 200      // bytes of what an entry says it is from
	MaxFile   = 10 << 20 // bytes of a file that is written to and searched
	MaxFiles  = 50_000   // of one user
	maxDepth  = 8        // of folders in folders
	maxRooms  = 1024     // users that are remembered between calls
)

// Defaults of Options.
const (
	DefaultKeepDays  = 90
	DefaultSoftBytes = 64 << 10
)

// freshFor is how long a search trusts the last look at the files. What other
// programs write is found so much later at most.
const freshFor = 500 * time.Millisecond

// Kind says what a file is for.
type Kind string

// The kinds.
const (
	LongTerm Kind = "long_term" // MEMORY.md
	Daily    Kind = "daily"     // a day's notes, those in the archive too
	Other    Kind = "other"     // whatever else somebody has put there
)

// Options say how memory works. Dir is needed; zero values take the defaults.
type Options struct {
	Dir       string       // with a folder for each user; it is made if need be
	KeepDays  int          // after which daily files are archived; negative: never
	SoftBytes int64        // of MEMORY.md, beyond which writing to it warns; negative: never
	Embedder  Embedder     // to search by meaning too; may be nil
	Space     string       // which model Embedder asks: vectors of different ones are not compared
	Log       *slog.Logger // may be nil

	now func() time.Time // for tests
}

// Memory is everybody's. Its methods may be called from several goroutines,
// and several processes may share the folder and the database.
type Memory struct {
	opts  Options
	db    *database.DB
	index index
	root  *os.Root
	place string // which folder this is, for a database that indexes several
	rooms *lru.Cache[string, *room]

	outage outage // of the embedder
}

// Open opens the memory in a folder. The caller closes it, and the database
// after that.
func Open(db *database.DB, opts Options) (*Memory, error) {
	const op = "memory.Open"
	if opts.KeepDays == 0 {
		opts.KeepDays = DefaultKeepDays
	}
	if opts.SoftBytes == 0 {
		opts.SoftBytes = DefaultSoftBytes
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
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
	m := &Memory{opts: opts, db: db, index: indexOf(db), root: root}
	if m.place, err = placeOf(root); err != nil {
		_ = root.Close()
		return nil, unusable(op, err)
	}
	m.rooms, _ = lru.New[string, *room](maxRooms) // it fails for sizes below 1
	return m, nil
}

// Close gives the folder back. It may be called twice.
func (m *Memory) Close() error { return m.root.Close() }

// unusable is the fault of a file system. Where there is no room, it says so.
func unusable(op string, err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.From(err)
	case artifacts.Full(err):
		return fault.New(op, sdkapi.StorageFull, "the disk of the memory folder has no room left; make some there").Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the memory folder cannot be used; check that it exists, "+
		"and that it and all in it belong to the user the gateway runs as").Because(err)
}

// notFound is the fault of a path under which the user has no memory.
func notFound(op, name string) *fault.Error {
	return fault.New(op, sdkapi.MemoryNotFound, "there is no memory at %q", name)
}

// missing reports whether err says that a file is not there, or not one that
// may be read: a path that leads out of the folder is nobody's business.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoFile)
}
