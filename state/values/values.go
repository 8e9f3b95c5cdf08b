// Package values stores the values of plugins in the database, under keys.
//
//	store := values.Open(db)
//	notes := store.Plugin("notes", 10<<20)
//	err = notes.Set(ctx, "last", []byte("2026-03-01"))
//	value, found, err := notes.Get(ctx, "last")
//
// # Words
//
// A bucket has the values of one plugin, for one user or shared by all. No plugin can read another
// plugin's bucket. An entry is a key with its value. The quota limits a bucket's size: its keys,
// its values, and EntryCost for each entry. Another limit applies to the buckets of all users of a
// plugin together.
//
// # Guarantees
//
// Each operation is atomic, except Forget and EraseUser, which may be repeated. A change is on disk
// when its call returns. Changes of one plugin's values wait for each other, also those of other
// gateways. Get and List wait for none of them.
package values

import (
	"errors"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Limits of a bucket.
const (
	MaxKey    = 512     // maximum size of a key, in bytes
	MaxValue  = 1 << 20 // maximum size of a value, in bytes
	MaxList   = 1000    // maximum number of keys in one result of List
	EntryCost = 64      // bytes that each entry adds to the size of its key and value, for the quota
)

// ErrQuota is in the chain of the error that Set returns if the bucket is full.
var ErrQuota = errors.New("the quota is used up")

// Store has the buckets of all plugins. Its methods and those of its buckets are safe for
// concurrent use, and several gateways may share the database.
type Store struct{ db *database.DB }

// Open returns the store in db. The caller closes db.
func Open(db *database.DB) *Store { return &Store{db} }

// Plugin returns the bucket that all users of a plugin share. name must not be empty. The bucket
// holds at most quota bytes. If the bucket already holds more, or if quota is 0, its values can be
// read, but Set succeeds only if it adds no bytes. The bucket exists from its first entry on.
func (s *Store) Plugin(name string, quota int64) *Bucket {
	return &Bucket{db: s.db, plugin: name, quota: quota}
}

// User returns the bucket of a plugin for one user. user must not be empty. quota is the maximum
// size of this bucket, in bytes. If the bucket already holds more, Set succeeds only if it adds no
// bytes. total is the maximum size of the buckets of all users of the plugin together, in bytes.
func (s *Store) User(name, user string, quota, total int64) *Bucket {
	return &Bucket{db: s.db, plugin: name, user: user, quota: quota, total: total}
}

// failed turns a fault of the database into STORAGE_UNAVAILABLE. It returns other errors unchanged.
func failed(op string, err error) error {
	switch fault.CodeOf(err) {
	case sdkapi.StateUnavailable, sdkapi.StateDamaged, sdkapi.StorageFull:
		return fault.New(op, sdkapi.StorageUnavailable, "the store of plugins is unavailable: %s", fault.From(err).Message).Because(err)
	}
	return err
}
