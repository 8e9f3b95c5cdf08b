package kv

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/internal/linked"
)

// UsageOf returns the size of what plugins have stored for a user, as it counts against quotas,
// and the number of entries. What all users share is not counted.
func (s *Store) UsageOf(ctx context.Context, user string) (bytes int64, entries int, err error) {
	var sum usage
	err = s.look(ctx, func(tx *bbolt.Tx) error {
		sum = usage{}
		plugins := userBucket(tx, []byte(user))
		if plugins == nil {
			return nil
		}
		return plugins.ForEachBucket(func(plugin []byte) error {
			used := usageIn(plugins.Bucket(plugin))
			sum.bytes += used.bytes
			sum.entries += used.entries
			return nil
		})
	})
	return sum.bytes, int(sum.entries), failed("kv.UsageOf", err)
}

// Users lists the users for whom plugins have stored something.
func (s *Store) Users(ctx context.Context) (list []string, err error) {
	err = s.look(ctx, func(tx *bbolt.Tx) error {
		list = nil
		users := tx.Bucket(usersName)
		if users == nil {
			return nil
		}
		return users.ForEachBucket(func(user []byte) error {
			list = append(list, string(user))
			return nil
		})
	})
	return list, failed("kv.Users", err)
}

// ForgetUser removes all that plugins have stored for a user, which may be nothing, and writes the
// file anew: no byte is left of that in it, nor of what was deleted or replaced before. Others wait
// meanwhile. What all users share stays. After an error it may be called again.
func (s *Store) ForgetUser(ctx context.Context, user string) error {
	const op = "kv.ForgetUser"
	err := s.change(ctx, func(tx *bbolt.Tx) error {
		users, plugins := tx.Bucket(usersName), userBucket(tx, []byte(user))
		if plugins == nil {
			return nil
		}
		err := plugins.ForEachBucket(func(plugin []byte) error {
			return addTotal(tx, plugin, -usageIn(plugins.Bucket(plugin)).bytes)
		})
		if err != nil {
			return err
		}
		return users.DeleteBucket([]byte(user))
	})
	if err == nil {
		err = s.rewrite(ctx)
	}
	return failed(op, err)
}

// copyBytes is the size of a transaction of rewrite.
const copyBytes = 4 << 20

// rewrite puts a new file with what is in the store in the place of the old one, whose free pages
// still hold what was there before. It is in use before the old one is closed, so that no other
// gateway can come between. A copy that is being made is waited for.
func (s *Store) rewrite(ctx context.Context) error {
	release, err := hold(ctx, s.path, filelock.Shared)
	if err != nil {
		return err
	}
	defer release()
	s.swap.Lock()
	defer s.swap.Unlock()
	path := s.path + ".new"
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of a rewrite that broke off
		return err
	}
	fresh, err := openFile(path)
	if err != nil {
		return fmt.Errorf("making the new file: %w", err)
	}
	if err = bbolt.Compact(fresh, s.db, copyBytes); err == nil {
		err = fresh.Sync()
	}
	if err == nil {
		err = os.Rename(path, s.path)
	}
	if err != nil {
		_ = fresh.Close()
		_ = os.Remove(path)
		if errors.Is(err, berrors.ErrDatabaseNotOpen) {
			return err
		}
		return fmt.Errorf("writing the new file: %w", err)
	}
	old := s.db
	s.db = fresh
	s.file, err = linked.Open(s.path)
	return errors.Join(err, old.Close())
}
