// Package kv keeps what plugins want to remember, under keys, in one file.
//
//	store, err := kv.Open("/var/lib/windie/plugins.db")
//	if err != nil { ... }
//	defer store.Close()
//	notes := store.Plugin("notes", 10<<20)
//	err = notes.Set(ctx, "last", []byte("2026-03-01"))
//	value, found, err := notes.Get(ctx, "last")
//
// # Words
//
// A bucket is what one plugin has, for one user or for all; no plugin sees another's. An entry is a
// key with its value. The quota bounds a bucket's size: its keys, its values, and EntryCost for each
// entry. Another bounds the buckets of all users of a plugin together.
//
// # What holds
//
// Each operation happens whole or not at all, and what Set, Delete and Forget
// did is on the disk when they return. They wait for each other, across all
// plugins, and each for the disk; Get, List and Usage wait for none of them.
//
// The file is up to about three times as large as what lies in it. It does not
// shrink, as room that comes free is used again, until ForgetUser writes it anew.
package kv

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/internal/linked"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
)

// What a bucket takes.
const (
	MaxKey    = 512     // bytes
	MaxValue  = 1 << 20 // bytes
	MaxList   = 1000    // keys that List returns at once
	EntryCost = 64      // bytes that an entry counts besides its key and value
)

// ErrQuota is in the chain of the fault that Set returns when a bucket is full.
var ErrQuota = errors.New("the quota is used up")

// lockWait is how long Open waits for a gateway that is just closing the file.
const lockWait = 2 * time.Second

// ErrInUse is in the chain of Open's error where another gateway has the file.
var ErrInUse = berrors.ErrTimeout

// Store is the file. Several goroutines may call its methods, and its buckets', at once.
type Store struct {
	path    string
	swap    sync.RWMutex // held for writing while db and file change
	db      *bbolt.DB
	file    linked.Path
	writing chan struct{} // holds a token while a change is made; unlike bbolt's own lock, waiting for it can end
}

// Open opens the store at path, or creates it with its folder. One gateway at a time can
// have a file open. The caller closes the store.
func Open(path string) (*Store, error) {
	if err := newfile.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("kv: creating the folder: %w", err)
	}
	db, err := openFile(path)
	switch {
	case errors.Is(err, ErrInUse):
		return nil, fmt.Errorf("kv: another gateway has %s open; stop it, or give this one another file: %w", path, err)
	case err != nil:
		return nil, fmt.Errorf("kv: opening %s: %w", path, err)
	}
	file, err := linked.Open(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("kv: opening %s: %w", path, err), db.Close())
	}
	return &Store{db: db, path: path, file: file, writing: make(chan struct{}, 1)}, nil
}

func openFile(path string) (*bbolt.DB, error) {
	return bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType})
}

// Plugin returns the bucket of a plugin that all users share. The plugin's name is not empty. It holds up
// to quota bytes; with 0, or less than it holds by now, it can be read, and
// written to where that adds nothing. A bucket begins with its first entry.
func (s *Store) Plugin(name string, quota int64) *Bucket {
	return &Bucket{store: s, plugin: []byte(name), quota: quota}
}

// User returns the bucket of a plugin for a user, who is not empty. It is otherwise as Plugin's;
// the buckets of all users of the plugin hold up to total bytes together.
func (s *Store) User(name, user string, quota, total int64) *Bucket {
	return &Bucket{store: s, plugin: []byte(name), user: []byte(user), quota: quota, total: total}
}

// Forget removes all that a plugin has stored for anybody, which may be nothing.
func (s *Store) Forget(plugin string) error {
	const op = "kv.Forget"
	err := s.change(context.Background(), func(tx *bbolt.Tx) error {
		err := tx.DeleteBucket([]byte(plugin))
		if err != nil && !errors.Is(err, berrors.ErrBucketNotFound) {
			return err
		}
		if totals := tx.Bucket(totalsName); totals != nil {
			err = totals.Delete([]byte(plugin))
		} else {
			err = nil
		}
		users := tx.Bucket(usersName)
		if err != nil || users == nil {
			return err
		}
		return users.ForEachBucket(func(user []byte) error {
			err := users.Bucket(user).DeleteBucket([]byte(plugin))
			if errors.Is(err, berrors.ErrBucketNotFound) {
				return nil
			}
			return err
		})
	})
	return failed(op, err)
}

// Close waits for what is under way and closes the file. What is called later
// fails with STORAGE_UNAVAILABLE. Close may be called again.
func (s *Store) Close() error {
	s.swap.RLock()
	defer s.swap.RUnlock()
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("kv: closing the file: %w", err)
	}
	return nil
}

// Ready reports whether the file is the one that was opened. Its error says what to do.
func (s *Store) Ready() error {
	s.swap.RLock()
	defer s.swap.RUnlock()
	return s.ready()
}

// ready is Ready for those who hold swap.
func (s *Store) ready() error {
	if err := s.file.Check(); err != nil {
		return fault.New("kv.Ready", sdkapi.StorageUnavailable, "the file in which plugins keep values was removed or replaced while the gateway runs; "+
			"put it back, or restore a backup, and start the gateway again").Because(err)
	}
	return nil
}

// change runs do in a durable transaction, unless ctx ends before it begins. It fails if the file
// was removed or replaced: what was written to it would be gone with the process.
func (s *Store) change(ctx context.Context, do func(*bbolt.Tx) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil { // both may have been ready
		return err
	}
	release, err := hold(ctx, s.path, filelock.Shared)
	if err != nil {
		return err
	}
	defer release()
	s.swap.RLock()
	defer s.swap.RUnlock()
	if err := s.db.Update(do); err != nil {
		return err
	}
	return s.ready()
}

// look runs do in a transaction that sees the store as it is now.
func (s *Store) look(ctx context.Context, do func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.swap.RLock()
	defer s.swap.RUnlock()
	return s.db.View(do)
}

// failed turns the error of a transaction into a fault.
func failed(op string, err error) error {
	switch _, known := errors.AsType[*fault.Error](err); {
	case err == nil || known:
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.From(fmt.Errorf("%s: %w", op, err))
	}
	return fault.New(op, sdkapi.StorageUnavailable, "what plugins store cannot be reached; check that the file "+
		"is still there and that its disk has room").Because(err)
}
