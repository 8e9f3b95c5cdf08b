// Package identity manages the users of a hosted gateway, and the installs of client programs that
// act for them.
//
//	ids := identity.Open(db)
//	install, token, err := ids.Register(ctx, "Windows") // once, for a client without a token
//	install, err = ids.Authenticate(ctx, token)         // for each request of install.User
//
// A *user* is an id that owns data. An *install* is one copy of a client program. It has a *token*,
// which it sends with each request; the database stores only the token's SHA-256. A user may have
// several installs. A revoked install cannot sign in.
package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/batch"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// User is an owner of data.
type User struct {
	ID       string // id of the user, for example user_…
	Created  time.Time
	Installs int // number of installs that are not revoked
}

// Install is one copy of a client program.
type Install struct {
	ID              string // id of the install, for example install_…
	User            string // id of the user for whom the install acts
	OperatingSystem string // operating system that the client reported; may be empty
	Created         time.Time
	LastSeen        time.Time // time of the last use, to the minute; zero if never used
	Revoked         time.Time // time of the revocation; zero if not revoked
}

// Identity stores users and installs in a database, which several gateways may share. Open creates
// it. Its methods are safe for concurrent use. Its errors are faults; STATE_UNAVAILABLE means
// that the database does not respond.
type Identity struct {
	db   *database.DB
	seen *batch.Queue[string] // ids of the installs whose LastSeen Run will update

	mu      sync.Mutex
	byToken *sql.Stmt // findToken, prepared; nil before its first use
}

// Open returns an Identity that uses db. The caller closes db.
func Open(db *database.DB) *Identity {
	return &Identity{db: db, seen: newSeen()}
}

// Register creates a user with one install, and returns the install and its token. It fails with
// the same errors as Create.
func (i *Identity) Register(ctx context.Context, operatingSystem string) (Install, string, error) {
	const op = "identity.Register"
	var install Install
	token := newToken()
	err := i.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		user, err := i.addUser(ctx, tx)
		if err == nil {
			install, err = i.addInstall(ctx, tx, user.ID, operatingSystem, token)
		}
		return err
	})
	return install, token, err
}

// Create adds an install to a user, and returns the install and its token. It fails with NOT_FOUND
// for an unknown user. operatingSystem has at most 64 printable ASCII characters; a longer or
// unprintable value fails with VALIDATION_ERROR.
func (i *Identity) Create(ctx context.Context, user, operatingSystem string) (Install, string, error) {
	var install Install
	token := newToken()
	err := i.db.Write(ctx, "identity.Create", func(ctx context.Context, tx bun.Tx) (err error) {
		install, err = i.addInstall(ctx, tx, user, operatingSystem, token)
		return err
	})
	return install, token, err
}

// maxSystem is the maximum length of an install's operating system, in bytes.
const maxSystem = 64

// unprintable reports whether r is not a printable ASCII character. Lists of installs are printed
// on terminals.
func unprintable(r rune) bool { return r < ' ' || r > '~' }

// addInstall adds an install with a token. The same statement looks up the user, so that a user who
// is being deleted gets no install.
func (i *Identity) addInstall(ctx context.Context, tx bun.Tx, user, operatingSystem, token string) (Install, error) {
	const op = "identity.Create"
	if len(operatingSystem) > maxSystem || strings.IndexFunc(operatingSystem, unprintable) >= 0 {
		return Install{}, fault.New(op, sdkapi.ValidationError, "invalid operating_system; expected at most %d printable ASCII characters", maxSystem)
	}
	now, err := i.db.Now(ctx, tx)
	if err != nil {
		return Install{}, err
	}
	install := Install{ID: newID("install_"), User: user, OperatingSystem: operatingSystem, Created: database.Time(now)}
	result, err := tx.NewRaw("INSERT INTO installs (id, user_id, token_hash, operating_system, created, last_seen, revoked) "+
		"SELECT ?, id, ?, ?, ?, 0, 0 FROM users WHERE id = ?", install.ID, hashOf(token), operatingSystem, now, user).Exec(ctx)
	return install, changedOne(result, err, op, "there is no user %q", user)
}

// Authenticate returns the install that a token belongs to. It also queues an update of the
// install's LastSeen, which Run writes. For an invalid, unknown or revoked token it fails with
// AUTH_REQUIRED, always with the same message.
func (i *Identity) Authenticate(ctx context.Context, token string) (Install, error) {
	const op = "identity.Authenticate"
	if len(token) != tokenLen || !strings.HasPrefix(token, tokenPrefix) {
		return Install{}, refused(op)
	}
	hash := hashOf(token)
	row, err := i.find(ctx, hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Install{}, refused(op)
	case err != nil:
		return Install{}, database.Fault(op, err)
	case subtle.ConstantTimeCompare([]byte(row.TokenHash), []byte(hash)) != 1, row.Revoked != 0:
		return Install{}, refused(op)
	}
	i.Saw(row.install())
	return row.install(), nil
}

// Saw queues an update of an install's LastSeen, unless the install was seen within the last minute.
func (i *Identity) Saw(install Install) {
	if time.Since(install.LastSeen) >= seenEvery {
		i.note(install.ID)
	}
}

// findToken finds an install by the hash of its token.
const findToken = "SELECT id, user_id, token_hash, operating_system, created, last_seen, revoked FROM installs WHERE token_hash = $1"

// find runs findToken, which each request needs. On SQLite the statement is prepared, because
// parsing takes five times as long as running it. PostgreSQL's driver prepares it by itself.
func (i *Identity) find(ctx context.Context, hash string) (row installRow, err error) {
	var found *sql.Row
	if i.db.Postgres() {
		found = i.db.Read().DB.QueryRowContext(ctx, findToken, hash)
	} else {
		prepared, err := i.prepared(ctx) //nolint:sqlclosecheck // it ends with the database
		if err != nil {
			return row, err
		}
		found = prepared.QueryRowContext(ctx, hash)
	}
	err = found.Scan(&row.ID, &row.UserID, &row.TokenHash, &row.OperatingSystem, &row.Created, &row.LastSeen, &row.Revoked)
	return row, err
}

// prepared returns findToken prepared for SQLite, whose parameters are ?1 instead of $1. It lasts
// until the database is closed.
func (i *Identity) prepared(ctx context.Context) (*sql.Stmt, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.byToken != nil {
		return i.byToken, nil
	}
	prepared, err := i.db.Read().DB.PrepareContext(ctx, strings.ReplaceAll(findToken, "$", "?"))
	if err == nil {
		i.byToken = prepared
	}
	return prepared, err
}

// refused returns the fault for an invalid, unknown or revoked token. Its message is always the same, so that
// it does not reveal the reason.
func refused(op string) error {
	return fault.New(op, sdkapi.AuthRequired, "the request has no valid token; send a token that this gateway issued")
}

// CreateUser creates a user without installs.
func (i *Identity) CreateUser(ctx context.Context) (User, error) {
	var user User
	err := i.db.Write(ctx, "identity.CreateUser", func(ctx context.Context, tx bun.Tx) (err error) {
		user, err = i.addUser(ctx, tx)
		return err
	})
	return user, err
}

// addUser adds a user with a new id. Its error has no fault yet; db.Write adds it.
func (i *Identity) addUser(ctx context.Context, tx bun.Tx) (User, error) {
	now, err := i.db.Now(ctx, tx)
	if err != nil {
		return User{}, err
	}
	user := User{ID: newID("user_"), Created: database.Time(now)}
	_, err = tx.NewRaw("INSERT INTO users (id, created) VALUES (?, ?)", user.ID, now).Exec(ctx)
	return user, err
}

// changedOne returns err, or NOT_FOUND if a statement changed no row.
func changedOne(result sql.Result, err error, op, format string, args ...any) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return fault.New(op, sdkapi.NotFound, format, args...)
}

// A token is tokenPrefix, by which secret scanners can recognise a leaked token, and tokenBytes of
// random data in base64url.
const (
	tokenPrefix = "wnd_install_"
	tokenBytes  = 32
)

// tokenLen is the length of a token, in bytes.
var tokenLen = len(tokenPrefix) + base64.RawURLEncoding.EncodedLen(tokenBytes)

// newToken returns a random token for an install.
func newToken() string {
	var random [tokenBytes]byte
	_, _ = rand.Read(random[:]) // Read never fails
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(random[:])
}

// hashOf returns the stored form of a secret, its SHA-256. A fast hash is safe, because the secret is random.
func hashOf(token string) string {
	return hashid.Of(token, sha256.Size)
}

// newID returns prefix with a random suffix that cannot be guessed.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }

// Limits of updating LastSeen.
const (
	seenEvery  = time.Minute     // minimum time between two updates of one install
	seenGather = time.Second     // time in which Run collects more installs after the first one
	seenTime   = 5 * time.Second // time limit for one update
	maxSeen    = 4096            // installs in the queue; if it is full, their next request adds them
)

// newSeen returns the queue of installs to update. An install is in the queue only once.
func newSeen() *batch.Queue[string] {
	return batch.New(batch.Options[string]{Most: maxSeen, Waiting: maxSeen, Gather: seenGather, Once: true})
}

// note queues an update of an install's LastSeen. It never waits: if the queue is full, the next
// request queues the install.
func (i *Identity) note(install string) { _ = i.seen.TryPut(install) }

// Run updates the LastSeen of installs until ctx ends. If Run is not called, LastSeen does not
// change.
func (i *Identity) Run(ctx context.Context) {
	i.seen.Run(ctx, func(installs []string) { i.writeSeen(context.WithoutCancel(ctx), installs) })
}

// writeSeen updates the LastSeen of installs. It ignores errors: each install's next request queues
// it again.
func (i *Identity) writeSeen(ctx context.Context, installs []string) {
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	slices.Sort(installs) // all gateways lock rows in the same order
	_ = i.db.Write(ctx, "identity.seen", func(ctx context.Context, tx bun.Tx) error {
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		// Another gateway may have written a later time.
		_, err = tx.NewRaw("UPDATE installs SET last_seen = ? WHERE id IN (?) AND last_seen <= ?",
			now, bun.List(installs), now-int64(seenEvery/time.Microsecond)).Exec(ctx)
		return err
	})
}

// pageSize is the maximum number of rows in one query of a list.
const pageSize = 500

// userRow is a row of users with the number of installs that are not revoked.
type userRow struct {
	ID       string
	Created  int64
	Installs int
}

// installRow is a row of installs. Times are in microseconds since 1970; 0 means never.
type installRow struct {
	bun.BaseModel `bun:"table:installs"`

	ID              string `bun:"id,pk"`
	UserID          string `bun:"user_id"`
	TokenHash       string `bun:"token_hash"`
	OperatingSystem string `bun:"operating_system"`
	Created         int64  `bun:"created"`
	LastSeen        int64  `bun:"last_seen"`
	Revoked         int64  `bun:"revoked"`
}

// install returns the install without the hash of its token.
func (r installRow) install() Install {
	return Install{
		ID: r.ID, User: r.UserID, OperatingSystem: r.OperatingSystem,
		Created: database.Time(r.Created), LastSeen: timeOrZero(r.LastSeen), Revoked: timeOrZero(r.Revoked),
	}
}

// timeOrZero returns the time of a number of microseconds since 1970. 0 stands for the zero time.
func timeOrZero(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return database.Time(micros)
}

// Users yields all users, oldest first. At the first error, it yields the error and stops. Users
// who are created or deleted during the call may be included or missing.
func (i *Identity) Users(ctx context.Context) iter.Seq2[User, error] {
	return i.UsersAfter(ctx, time.Time{}, "")
}

// UsersAfter yields, oldest first, all users who were created after a given user. created and id
// are the creation time and the id of the given user, who may be deleted. At the first error,
// UsersAfter yields the error and stops.
func (i *Identity) UsersAfter(ctx context.Context, created time.Time, id string) iter.Seq2[User, error] {
	first := userRow{ID: id}
	if !created.IsZero() {
		first.Created = database.Micros(created)
	}
	return pagedAfter(first, "identity.Users", func(after userRow) (page []userRow, err error) {
		err = i.db.Read().NewRaw("SELECT id, created, (SELECT count(*) FROM installs WHERE user_id = users.id AND revoked = 0) AS installs "+
			"FROM users WHERE created > ? OR created = ? AND id > ? ORDER BY created, id LIMIT ?",
			after.Created, after.Created, after.ID, pageSize).Scan(ctx, &page)
		return page, err
	}, func(r userRow) User { return User{ID: r.ID, Created: database.Time(r.Created), Installs: r.Installs} })
}

// User returns a user. It fails with NOT_FOUND for an unknown user.
func (i *Identity) User(ctx context.Context, user string) (User, error) {
	const op = "identity.User"
	var rows []userRow
	err := i.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewRaw("SELECT id, created, (SELECT count(*) FROM installs WHERE user_id = users.id AND revoked = 0) AS installs FROM users WHERE id = ?", user).Scan(ctx, &rows)
	})
	if err != nil {
		return User{}, err
	}
	if len(rows) == 0 {
		return User{}, fault.New(op, sdkapi.NotFound, "there is no user %q", user)
	}
	return User{ID: rows[0].ID, Created: database.Time(rows[0].Created), Installs: rows[0].Installs}, nil
}

// List yields the installs of a user, or of all users if user is empty. The oldest install is
// first, and revoked installs are included. At the first error, List yields the error and stops.
// For an unknown user it yields nothing.
func (i *Identity) List(ctx context.Context, user string) iter.Seq2[Install, error] {
	return paged("identity.List", func(after installRow) (page []installRow, err error) {
		query := i.db.Read().NewSelect().Model(&page).Where("created > ? OR created = ? AND id > ?", after.Created, after.Created, after.ID).
			Order("created", "id").Limit(pageSize)
		if user != "" {
			query = query.Where("user_id = ?", user)
		}
		err = query.Scan(ctx)
		return page, err
	}, installRow.install)
}

// paged yields the items of the pages that next returns, until a page is not full. It holds no
// connection between pages, so a slow reader does not block others.
func paged[Row, Item any](op string, next func(after Row) ([]Row, error), item func(Row) Item) iter.Seq2[Item, error] {
	var first Row
	return pagedAfter(first, op, next, item)
}

// pagedAfter is paged that begins after a given row.
func pagedAfter[Row, Item any](first Row, op string, next func(after Row) ([]Row, error), item func(Row) Item) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		last := first
		for {
			page, err := next(last)
			if err != nil {
				var none Item
				yield(none, database.Fault(op, err))
				return
			}
			for _, last = range page {
				if !yield(item(last), nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}
