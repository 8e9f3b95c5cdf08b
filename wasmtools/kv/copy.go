package kv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"github.com/windieos/windie/internal/filelock"
)

// pauseSuffix is what the file beside that of a store has behind its name which is locked while the
// store changes, or is copied. It is empty, and stays.
const pauseSuffix = "-lock"

// hold locks a store's file against copies, or against changes, until release.
func hold(ctx context.Context, path string, kind filelock.Kind) (release func(), err error) {
	return filelock.Hold(ctx, path+pauseSuffix, kind)
}

// Copy copies the store at path to a new file, as it is at one moment, also while a gateway has it
// open: changes wait meanwhile. It fails with fs.ErrNotExist if there is no store, and for one that
// is damaged.
func Copy(ctx context.Context, path, to string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	release, err := hold(ctx, path, filelock.Exclusive)
	if err != nil {
		return fmt.Errorf("kv: waiting for changes of %s to end: %w", path, err)
	}
	err = copyFile(path, to)
	release()
	if err != nil {
		return fmt.Errorf("kv: copying %s: %w", path, err)
	}
	return Check(to)
}

func copyFile(path, to string) error {
	from, err := os.Open(path) // now, as a store may be written anew in its place
	if err != nil {
		return err
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Check reports whether the file of a store that nobody has open is whole. It changes nothing.
func Check(path string) (err error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("kv: opening %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.View(func(tx *bbolt.Tx) error {
		var first error
		for problem := range tx.Check() { // to the end, as its goroutine waits
			if first == nil {
				first = fmt.Errorf("kv: %s is damaged: %w", path, problem)
			}
		}
		return first
	})
}

// Alone keeps gateways from opening the store at path until leave. It fails with ErrInUse while one
// has it open. There need not be a store.
func Alone(path string) (leave func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return func() {}, nil
	case err != nil:
		return nil, err
	}
	leave = func() { _ = file.Close() } // nothing was written
	// bbolt locks its file in the same way.
	switch held, err := filelock.Try(file, filelock.Exclusive); {
	case held, errors.Is(err, errors.ErrUnsupported):
		return leave, nil
	default:
		leave()
		return nil, fmt.Errorf("kv: a gateway has %s open; stop it first: %w", path, ErrInUse)
	}
}
