package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Fault converts a database error to a fault. The code is STORAGE_FULL if the disk is full,
// STATE_DAMAGED if the data is damaged, and STATE_UNAVAILABLE for other errors. Fault returns nil,
// faults, context.Canceled and context.DeadlineExceeded unchanged.
func Fault(op string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return FaultIn(context.Background(), op, err)
}

// FaultIn converts an error of a database call to a fault. ctx is the context of the call. If ctx
// has ended, FaultIn returns the fault for a canceled or timed out context. Otherwise, the fault
// has one of the three codes that Fault returns, even for a timeout of the database driver.
func FaultIn(ctx context.Context, op string, err error) error {
	var known *fault.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case ended(ctx) != nil:
		return fault.From(fmt.Errorf("%s: %w", op, ended(ctx)))
	}
	if full(err) {
		return fault.New(op, sdkapi.StorageFull, "the disk of the database is full; free space there").Because(err)
	}
	if isDamage(err) {
		return fault.New(op, sdkapi.StateDamaged, "the database is damaged or not a database; stop the gateway and restore a backup (windie restore); windie doctor checks the database").Because(err)
	}
	return fault.New(op, sdkapi.StateUnavailable, "%s", advice(err)).Because(err)
}

// ended returns ctx.Err(), but already reports DeadlineExceeded when the deadline has passed. A
// connection may notice the deadline before the context does.
func ended(ctx context.Context) error {
	if end, ok := ctx.Deadline(); ok && ctx.Err() == nil && !time.Now().Before(end) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// advice returns a text for people: the likely cause of an error and its fix.
func advice(err error) string {
	code := pgCode(err)
	switch {
	case readOnly(err):
		return "the gateway cannot write to the database; give its user write permission on the file and its folder"
	case strings.HasPrefix(code, pgAuth):
		return "the database refuses the user and password; correct them in database_url (WINDIE_DATABASE_URL)"
	case code == pgNoDatabase:
		return "the database that database_url (WINDIE_DATABASE_URL) names does not exist; create it"
	case code == pgForbidden:
		return "the database user lacks a permission; make it the owner of the database"
	}
	return "the database does not respond; check that it runs and that the gateway can reach it"
}

// PostgreSQL's error codes (PostgreSQL manual, appendix A).
const (
	pgConnection    = "08" // a class
	pgAuth          = "28" // a class
	pgForbidden     = "42501"
	pgNoDatabase    = "3D000"
	pgUnique        = "23505"
	pgReadOnly      = "25006"
	pgSerialization = "40001"
	pgDeadlock      = "40P01"
	pgDiskFull      = "53100"
	pgShutdown      = "57P01"
	pgCrash         = "57P02"
	pgDamagedData   = "XX001" // such as a page whose checksum does not match
	pgDamagedIndex  = "XX002"
)

// isDamage reports whether err says that the database is damaged.
func isDamage(err error) bool {
	lite, pg := sqliteCode(err)&0xff, pgCode(err)
	return lite == sqlite3.SQLITE_NOTADB || lite == sqlite3.SQLITE_CORRUPT || pg == pgDamagedData || pg == pgDamagedIndex
}

// full reports whether err means that the disk of the database is full.
func full(err error) bool {
	return sqliteCode(err)&0xff == sqlite3.SQLITE_FULL || pgCode(err) == pgDiskFull
}

// readOnly reports whether err means that the database, its file or its folder does not accept changes.
func readOnly(err error) bool {
	code := sqliteCode(err) & 0xff
	return code == sqlite3.SQLITE_READONLY || code == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_PERM || pgCode(err) == pgReadOnly
}

// TakesNothing reports whether err means that the database can be read but not changed: its disk is
// full, or it is read-only.
func TakesNothing(err error) bool { return full(err) || readOnly(err) }

// inTheWay reports whether the database aborted a transaction in favour of another one. A retry may
// succeed.
func inTheWay(err error) bool {
	code := pgCode(err)
	return code == pgSerialization || code == pgDeadlock
}

// broken reports whether an established connection broke. It returns false if the connection could
// not be made: an immediate retry would not help.
func broken(err error) bool {
	var refused *pgconn.ConnectError
	var network net.Error
	switch code := pgCode(err); {
	case err == nil, errors.As(err, &refused):
		return false
	case strings.HasPrefix(code, pgConnection), code == pgShutdown, code == pgCrash:
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.As(err, &network) && !network.Timeout() || pgconn.SafeToRetry(err)
}

// IsDuplicate reports whether err means that a row with the same key exists.
func IsDuplicate(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || pgCode(err) == pgUnique
}

// sqliteCode returns the extended result code of SQLite, 0 for other errors.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// pgCode returns the error code of PostgreSQL, "" for other errors.
func pgCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
