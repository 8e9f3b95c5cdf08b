// Package values keeps what plugins want to remember, under keys, in the database.
//
//	store := values.Open(db)
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
// Each operation happens whole or not at all, but for Forget and EraseUser, which may be called
// again. What was written is on the disk when the call returns. Changes of one plugin's values wait
// for each other, also those of several gateways; Get and List wait for none of them.
package values

import (
	"errors"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
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

// Store has the buckets of all plugins. Several goroutines may call its methods, and its buckets', at
// once, and several gateways may share the database.
type Store struct{ db *database.DB }

// Open returns the store in db, which stays the caller's.
func Open(db *database.DB) *Store { return &Store{db} }

// Plugin returns the bucket of a plugin that all users share. The plugin's name is not empty. It holds up
// to quota bytes; with 0, or less than it holds by now, it can be read, and
// written to where that adds nothing. A bucket begins with its first entry.
func (s *Store) Plugin(name string, quota int64) *Bucket {
	return &Bucket{db: s.db, plugin: name, quota: quota}
}

// User returns the bucket of a plugin for a user, who is not empty. It is otherwise as Plugin's;
// the buckets of all users of the plugin hold up to total bytes together.
func (s *Store) User(name, user string, quota, total int64) *Bucket {
	return &Bucket{db: s.db, plugin: name, user: user, quota: quota, total: total}
}

// failed says of a fault of the database what does not work. Other errors stay as they are.
func failed(op string, err error) error {
	switch fault.CodeOf(err) {
	case sdkapi.StateUnavailable, sdkapi.StateDamaged, sdkapi.StorageFull:
		return fault.New(op, sdkapi.StorageUnavailable, "what plugins store cannot be reached: %s", fault.From(err).Message).Because(err)
	}
	return err
}
