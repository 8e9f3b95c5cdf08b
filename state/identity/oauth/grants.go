package oauth

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Grant is a client that a user has connected.
type Grant struct {
	Install  string // id of the grant
	User     string
	ClientID string
	Client   string // name of the client
	Redirect string // URI that got the code
	Scopes   Scopes
	Created  time.Time
	Seen     time.Time // time of the last request, to the minute; zero for never
	Expires  time.Time
}

// grantRow is a row of oauth_grants, with the time at which its install was seen.
type grantRow struct {
	bun.BaseModel `bun:"table:oauth_grants"`

	InstallID string `bun:"install_id,pk"`
	UserID    string `bun:"user_id"`
	ParentID  string `bun:"parent_id"`
	ClientID  string `bun:"client_id"`
	Client    string `bun:"client"`
	Redirect  string `bun:"redirect"`
	Resource  string `bun:"resource"`
	Scopes    string `bun:"scopes"`
	Created   int64  `bun:"created"`
	Expires   int64  `bun:"expires"`
}

// grant returns the grant that a code begins.
func (r codeRow) grant(now int64) grantRow {
	return grantRow{
		InstallID: r.InstallID, UserID: r.UserID, ParentID: r.ParentID, ClientID: r.ClientID, Client: r.Client, Redirect: r.Redirect,
		Resource: r.Resource, Scopes: r.Scopes, Created: now, Expires: now + GrantAge.Microseconds(),
	}
}

// grant stores the grant that a code begins. It reports false if the user is deleted, or if the install
// that signed the person in is revoked.
func (s *Store) grant(ctx context.Context, tx bun.Tx, code codeRow, now int64) (bool, error) {
	if err := s.makeRoom(ctx, tx, code.UserID, now); err != nil {
		return false, err
	}
	if code.ParentID != "" {
		// The statement also locks the row, so that a concurrent revocation sees the grant.
		result, err := tx.NewRaw("UPDATE installs SET revoked = revoked WHERE id = ? AND revoked = 0", code.ParentID).Exec(ctx)
		if there, err := changed(result, err); err != nil || !there {
			return false, err
		}
	}
	// No token has this hash.
	result, err := tx.NewRaw("INSERT INTO installs (id, user_id, token_hash, operating_system, created, last_seen, revoked) "+
		"SELECT ?, id, ?, ?, ?, 0, 0 FROM users WHERE id = ?", code.InstallID, hashOf(newSecret("")), labelOf(code.Client), now, code.UserID).Exec(ctx)
	if there, err := changed(result, err); err != nil || !there {
		return false, err
	}
	row := code.grant(now)
	if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
		return false, err
	}
	_, err = tx.NewRaw("UPDATE oauth_clients SET expires = ? WHERE id = ?", row.Expires, code.ClientID).Exec(ctx)
	return true, err
}

// labelOf returns the text that lists of installs show for a client: at most 64 printable ASCII
// characters.
func labelOf(client string) string {
	label := "MCP client"
	if client != "" {
		label += ": " + strings.ReplaceAll(printable(client), "?", "")
	}
	return label[:min(len(label), 64)]
}

// maxEnded is the maximum number of expired grants that one call of makeRoom ends.
const maxEnded = 20

// makeRoom ends expired grants, and the oldest grants of a user who has MaxGrants.
func (s *Store) makeRoom(ctx context.Context, tx bun.Tx, user string, now int64) error {
	var old, most []string
	err := tx.NewRaw("SELECT install_id FROM oauth_grants WHERE expires <= ? ORDER BY expires LIMIT ?", now, maxEnded).Scan(ctx, &old)
	if err == nil {
		err = tx.NewRaw("SELECT install_id FROM oauth_grants WHERE user_id = ? ORDER BY created DESC, install_id LIMIT ? OFFSET ?", user, maxEnded, MaxGrants-1).Scan(ctx, &most)
	}
	for _, install := range append(old, most...) {
		if err == nil {
			err = s.end(ctx, tx, install)
		}
	}
	return err
}

// end ends a grant with all that it opened. An ended grant is no error.
func (s *Store) end(ctx context.Context, tx bun.Tx, install string) error {
	var there int
	if err := tx.NewRaw("SELECT count(*) FROM oauth_grants WHERE install_id = ?", install).Scan(ctx, &there); err != nil || there == 0 {
		return err
	}
	return s.ids.RevokeIn(ctx, tx, install)
}

// Grants returns the clients that a user has connected, newest first.
func (s *Store) Grants(ctx context.Context, user string) (list []Grant, err error) {
	var rows []struct {
		grantRow

		Seen int64 `bun:"last_seen"`
	}
	err = s.db.Ask(ctx, "oauth.Grants", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewRaw("SELECT g.*, i.last_seen FROM oauth_grants g JOIN installs i ON i.id = g.install_id "+
			"WHERE g.user_id = ? AND g.expires > ? AND i.revoked = 0 ORDER BY g.created DESC, g.install_id LIMIT ?", user, time.Now().UnixMicro(), MaxGrants).Scan(ctx, &rows)
	})
	for _, r := range rows {
		g := Grant{
			Install: r.InstallID, User: r.UserID, ClientID: r.ClientID, Client: r.Client, Redirect: r.Redirect, Scopes: ParsedScopes(r.Scopes),
			Created: database.Time(r.Created), Expires: database.Time(r.Expires),
		}
		if r.Seen > 0 {
			g.Seen = database.Time(r.Seen)
		}
		list = append(list, g)
	}
	return list, err
}

// End ends a grant of a user. It fails with NOT_FOUND if the user has no such grant.
func (s *Store) End(ctx context.Context, install, user string) error {
	const op = "oauth.End"
	return s.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		var there int
		err := tx.NewRaw("SELECT count(*) FROM oauth_grants WHERE install_id = ? AND user_id = ?", install, user).Scan(ctx, &there)
		switch {
		case err != nil:
			return err
		case there == 0:
			return fault.New(op, sdkapi.NotFound, "there is no such connected client; it may have been disconnected already")
		}
		return s.end(ctx, tx, install)
	})
}

// changed reports whether a statement changed a row.
func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}
