package database

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Fault makes an error of the database a fault: STORAGE_FULL where it has no
// room, and else STATE_UNAVAILABLE. What is a fault already stays one, as does
// the end of a context.
func Fault(op string, err error) error {
	var known *fault.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case full(err):
		return fault.New(op, sdkapi.StorageFull, "there is no room to keep state in; make some on the disk of the database").Because(err)
	case readOnly(err):
		return fault.New(op, sdkapi.StateUnavailable, "the database cannot be written to; let the gateway's user write to it and its folder").Because(err)
	}
	return fault.New(op, sdkapi.StateUnavailable, "the database does not answer; see that it runs and can be reached").Because(err)
}

// Codes of PostgreSQL (its manual, appendix A).
const (
	pgUnique   = "23505"
	pgDiskFull = "53100"
	pgReadOnly = "25006"
)

func full(err error) bool {
	return sqliteCode(err)&0xff == sqlite3.SQLITE_FULL || pgCode(err) == pgDiskFull
}

func readOnly(err error) bool {
	code := sqliteCode(err) & 0xff
	return code == sqlite3.SQLITE_READONLY || code == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_PERM || pgCode(err) == pgReadOnly
}

// IsDuplicate reports whether err says that a row with that key is there.
func IsDuplicate(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || pgCode(err) == pgUnique
}

// sqliteCode returns the extended result code, 0 for none.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

func pgCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
