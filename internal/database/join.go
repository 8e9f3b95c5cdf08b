package database

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/sdkapi"
)

// lockSuffix is what the file beside that of SQLite has behind its name which
// those lock who use it. It is empty, and stays.
const lockSuffix = "-lock"

// How long Join waits for one that has just found itself alone.
const (
	joinTime  = 10 * time.Second
	joinPause = 5 * time.Millisecond
)

// Join notes that the caller uses the database until it calls leave, or its
// process ends, however it does. Where nobody else has joined, alone is called
// first, and nobody can join before it returns: the records there of work under
// way belong to processes that are gone. Whoever keeps such records must join.
// On PostgreSQL, and on disks without locks, nobody is ever alone.
func (db *DB) Join(ctx context.Context, alone func(ctx context.Context) error) (leave func(), err error) {
	const op = "database.Join"
	if db.Postgres() {
		return func() {}, nil
	}
	file, err := os.OpenFile(db.path+lockSuffix, os.O_RDWR|os.O_CREATE, filePerm)
	if err == nil {
		err = join(ctx, file, alone)
	}
	switch {
	case err == nil, errors.Is(err, errors.ErrUnsupported):
		return func() { _ = file.Close() }, nil // nothing was written
	case file != nil:
		_ = file.Close() // likewise
	}
	if errors.As(err, new(*fault.Error)) {
		return nil, err
	}
	return nil, fault.New(op, sdkapi.StateUnavailable, "the file %s cannot be locked; see that it belongs to the gateway's user, and that no other gateway hangs", db.path+lockSuffix).Because(err)
}

// join locks a file for itself, and then, as every process does that is not
// alone, with others. Between the two nobody has begun anything.
func join(ctx context.Context, file *os.File, alone func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	if held, err := filelock.Try(file, filelock.Exclusive); err != nil {
		return err
	} else if held {
		if err := alone(ctx); err != nil {
			return err
		}
	}
	for {
		held, err := filelock.Try(file, filelock.Shared)
		if held || err != nil {
			return err
		}
		if err := background.Sleep(ctx, joinPause); err != nil {
			return err
		}
	}
}
