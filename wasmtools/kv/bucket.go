package kv

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.etcd.io/bbolt"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bucket is what one plugin has stored, for one user or for all: in the file, a bucket of its
// name, which that of a user may hold, with a bucket of the entries, and their size and number,
// which change in the same transaction, so that nobody needs to count.
type Bucket struct {
	store  *Store
	plugin []byte
	user   []byte // nil for what all users share
	quota  int64  // bytes
	total  int64  // bytes that all users' buckets of the plugin may hold
}

// The names in a plugin's bucket.
var (
	entriesName = []byte("entries")
	usageName   = []byte("usage")
)

// The names beside those of plugins, which begin with a letter.
var (
	usersName  = []byte("\x00users")  // by user and plugin, what is in a bucket
	totalsName = []byte("\x00totals") // by plugin, the bytes in the buckets of users
)

// usage is how much a bucket holds.
type usage struct{ bytes, entries int64 }

// usageLen is how long a usage is in the file: two numbers of eight bytes.
const usageLen = 16

// Get returns a copy of the value under key, and whether there is one.
func (b *Bucket) Get(ctx context.Context, key string) (value []byte, found bool, err error) {
	const op = "kv.Get"
	if err := checkKey(op, key); err != nil {
		return nil, false, err
	}
	err = b.store.look(ctx, func(tx *bbolt.Tx) error {
		value, found = get(b.entries(tx), key)
		value = bytes.Clone(value) // bbolt's own goes with the transaction
		return nil
	})
	return value, found, failed(op, err)
}

// Set puts value under key. If that would take the bucket over its quota, it fails with a
// TOOL_ERROR that has ErrQuota in its chain; an invalid key or value, with VALIDATION_ERROR.
func (b *Bucket) Set(ctx context.Context, key string, value []byte) error {
	const op = "kv.Set"
	if err := checkKey(op, key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fault.New(op, sdkapi.ValidationError, "the value is too long to be stored").
			At("value", "expected at most %d bytes, not %d", MaxValue, len(value))
	}
	err := b.store.change(ctx, func(tx *bbolt.Tx) error {
		entries, err := b.create(tx)
		if err != nil {
			return err
		}
		used := b.usage(tx)
		next := usage{bytes: used.bytes + cost(key, value), entries: used.entries + 1}
		if old, found := get(entries, key); found {
			next.bytes -= cost(key, old)
			next.entries--
		}
		if next.bytes > b.quota && next.bytes > used.bytes {
			return b.full(op, used.bytes, next.bytes-used.bytes)
		}
		if all := b.totalBytes(tx); b.user != nil && next.bytes > used.bytes && all+next.bytes-used.bytes > b.total {
			return b.allFull(op, all)
		}
		if err := entries.Put([]byte(key), value); err != nil {
			return err
		}
		return b.note(tx, next)
	})
	return failed(op, err)
}

// Delete removes the entry under key. It is no error if there is none.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	const op = "kv.Delete"
	_, found, err := b.Get(ctx, key)
	if err != nil || !found {
		return err // and the disk has no work
	}
	err = b.store.change(ctx, func(tx *bbolt.Tx) error {
		entries := b.entries(tx)
		old, found := get(entries, key)
		if !found {
			return nil
		}
		used := b.usage(tx)
		next := usage{bytes: used.bytes - cost(key, old), entries: used.entries - 1}
		if err := entries.Delete([]byte(key)); err != nil {
			return err
		}
		return b.note(tx, next)
	})
	return failed(op, err)
}

// List returns the keys that begin with prefix and come after the key after,
// in the order of their bytes, limit of them at most. A limit of 0, or above
// MaxList, means MaxList. To go on, pass the last key as after.
func (b *Bucket) List(ctx context.Context, prefix, after string, limit int) (keys []string, err error) {
	const op = "kv.List"
	if limit < 0 {
		return nil, fault.New(op, sdkapi.ValidationError, "no keys can be listed").At("limit", "expected 0 or more, not %d", limit)
	}
	if limit == 0 || limit > MaxList {
		limit = MaxList
	}
	err = b.store.look(ctx, func(tx *bbolt.Tx) error {
		entries := b.entries(tx)
		if entries == nil {
			return nil
		}
		cursor := entries.Cursor()
		key, _ := cursor.Seek([]byte(max(prefix, after)))
		if string(key) == after && key != nil {
			key, _ = cursor.Next()
		}
		for ; key != nil && len(keys) < limit && strings.HasPrefix(string(key), prefix); key, _ = cursor.Next() {
			keys = append(keys, string(key))
		}
		return nil
	})
	return keys, failed(op, err)
}

// Usage returns the bucket's size, as it counts against the quota, and its entries.
func (b *Bucket) Usage(ctx context.Context) (bytes int64, entries int, err error) {
	var used usage
	err = b.store.look(ctx, func(tx *bbolt.Tx) error {
		used = b.usage(tx)
		return nil
	})
	return used.bytes, int(used.entries), failed("kv.Usage", err)
}

// entries returns the bucket's entries, or nil if it has none yet.
func (b *Bucket) entries(tx *bbolt.Tx) *bbolt.Bucket {
	if plugin := b.home(tx); plugin != nil {
		return plugin.Bucket(entriesName)
	}
	return nil
}

// home returns the plugin's bucket, or nil if it has none yet.
func (b *Bucket) home(tx *bbolt.Tx) *bbolt.Bucket {
	if b.user == nil {
		return tx.Bucket(b.plugin)
	}
	if user := userBucket(tx, b.user); user != nil {
		return user.Bucket(b.plugin)
	}
	return nil
}

// userBucket returns what a user has, or nil for nothing.
func userBucket(tx *bbolt.Tx, user []byte) *bbolt.Bucket {
	if users := tx.Bucket(usersName); users != nil {
		return users.Bucket(user)
	}
	return nil
}

// create returns the bucket's entries, and makes place for them if need be.
func (b *Bucket) create(tx *bbolt.Tx) (*bbolt.Bucket, error) {
	path := [][]byte{b.plugin, entriesName}
	if b.user != nil {
		path = [][]byte{usersName, b.user, b.plugin, entriesName}
	}
	at, err := tx.CreateBucketIfNotExists(path[0])
	for _, name := range path[1:] {
		if err == nil {
			at, err = at.CreateBucketIfNotExists(name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("making the plugin's bucket: %w", err)
	}
	return at, nil
}

func (b *Bucket) usage(tx *bbolt.Tx) usage { return usageIn(b.home(tx)) }

// usageIn returns the usage of a plugin's bucket, which may be nil.
func usageIn(plugin *bbolt.Bucket) usage {
	if plugin == nil || len(plugin.Get(usageName)) != usageLen {
		return usage{} // the bucket does not exist, or has just been made
	}
	text := plugin.Get(usageName)
	return usage{
		bytes:   int64(binary.BigEndian.Uint64(text)),
		entries: int64(binary.BigEndian.Uint64(text[usageLen/2:])),
	}
}

// note writes what the bucket holds now, which another usage was noted for.
func (b *Bucket) note(tx *bbolt.Tx, used usage) error {
	if b.user != nil {
		if err := addTotal(tx, b.plugin, used.bytes-b.usage(tx).bytes); err != nil {
			return err
		}
	}
	text := binary.BigEndian.AppendUint64(nil, uint64(used.bytes))
	text = binary.BigEndian.AppendUint64(text, uint64(used.entries))
	return b.home(tx).Put(usageName, text)
}

// totalBytes returns the bytes in the buckets of all users of the plugin.
func (b *Bucket) totalBytes(tx *bbolt.Tx) int64 { return totalOf(tx, b.plugin) }

func totalOf(tx *bbolt.Tx, plugin []byte) int64 {
	totals := tx.Bucket(totalsName)
	if totals == nil || len(totals.Get(plugin)) != usageLen/2 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(totals.Get(plugin)))
}

func addTotal(tx *bbolt.Tx, plugin []byte, more int64) error {
	totals, err := tx.CreateBucketIfNotExists(totalsName)
	if err != nil {
		return err
	}
	return totals.Put(plugin, binary.BigEndian.AppendUint64(nil, uint64(max(0, totalOf(tx, plugin)+more))))
}

func (b *Bucket) allFull(op string, used int64) error {
	return fault.New(op, sdkapi.ToolError, "the plugin %q stores %d of the %d bytes it may store for all users together; "+
		"the operator can raise total_bytes in its grant", b.plugin, used, b.total).Because(ErrQuota)
}

func (b *Bucket) full(op string, used, more int64) error {
	return fault.New(op, sdkapi.ToolError, "the plugin %q stores %d of the %d bytes it may store, and %d more do not fit; "+
		"raise its quota, or let it delete something", b.plugin, used, b.quota, more).Because(ErrQuota)
}

// get returns the value under key until the transaction ends. entries may be nil.
func get(entries *bbolt.Bucket, key string) (value []byte, found bool) {
	if entries == nil {
		return nil, false
	}
	k, value := entries.Cursor().Seek([]byte(key))
	if string(k) != key {
		return nil, false
	}
	return value, true
}

// cost is what an entry counts.
func cost(key string, value []byte) int64 { return int64(len(key)) + int64(len(value)) + EntryCost }

func checkKey(op, key string) error {
	if key != "" && len(key) <= MaxKey && utf8.ValidString(key) {
		return nil
	}
	return fault.New(op, sdkapi.ValidationError, "the key is not 1 to %d bytes of UTF-8: it has %d", MaxKey, len(key)).
		At("key", "expected 1 to %d bytes of UTF-8, not %.*q", MaxKey, MaxKey, key)
}
