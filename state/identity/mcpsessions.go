package identity

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// A session of an MCP client is in the memory of one gateway. The database stores the session's
// first message, so that another process can start the session again under the same id. It stores
// only the SHA-256 of the id.

// Limits of sessions of MCP clients.
const (
	MaxMCPSessions = 64             // maximum number of sessions of one user; if one more starts, the oldest ends
	MaxMCPStart    = 16 << 10       // maximum size of a session's first message, in bytes
	mcpSessionID   = 64             // maximum length of an id, in bytes; the gateway's ids have 26
	mcpLinger      = 24 * time.Hour // time after the expiry for which a session stays in the database
)

// MCPSession is the stored part of an MCP client's session.
type MCPSession struct {
	ID      string
	User    string
	Install string // install whose token began the session; empty in local mode
	Start   []byte // the client's first message: JSON of at most MaxMCPStart bytes
}

// KeepMCPSession stores a session. age is the time until the session expires. If the user has more
// than MaxMCPSessions, KeepMCPSession deletes the oldest sessions.
func (i *Identity) KeepMCPSession(ctx context.Context, s MCPSession, age time.Duration) error {
	return i.db.Write(ctx, "identity.KeepMCPSession", func(ctx context.Context, tx bun.Tx) error {
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		// An expired session may still be in use, by a long call at another gateway.
		if _, err := tx.NewRaw("DELETE FROM mcp_sessions WHERE expires <= ?", now-mcpLinger.Microseconds()).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO mcp_sessions (id_hash, user_id, install_id, start, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
			hashOf(s.ID), s.User, s.Install, string(s.Start), now, now+age.Microseconds()).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("DELETE FROM mcp_sessions WHERE user_id = ? AND id_hash NOT IN "+
			"(SELECT id_hash FROM mcp_sessions WHERE user_id = ? ORDER BY created DESC, id_hash LIMIT ?)", s.User, s.User, MaxMCPSessions).Exec(ctx)
		return err
	})
}

// FindMCPSession returns a session of a user. It returns nil if the session is unknown, has ended
// or expired, or belongs to another user. It also returns nil if the session's install is revoked.
func (i *Identity) FindMCPSession(ctx context.Context, id, user string) (*MCPSession, error) {
	if id == "" || len(id) > mcpSessionID {
		return nil, nil
	}
	var row mcpSessionRow
	err := i.db.Ask(ctx, "identity.FindMCPSession", func(ctx context.Context, db *bun.DB) error {
		return db.NewSelect().Model(&row).Where("id_hash = ? AND user_id = ?", hashOf(id), user).Scan(ctx)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case !time.Now().Before(database.Time(row.Expires)):
		return nil, nil
	}
	if row.InstallID != "" {
		if gone, err := i.Revoked(ctx, user, row.InstallID); err != nil || gone {
			return nil, err
		}
	}
	return &MCPSession{ID: id, User: user, Install: row.InstallID, Start: []byte(row.Start)}, nil
}

// UsedMCPSession extends a session of a user. age is the new time until the session expires,
// counted from now. UsedMCPSession reports whether the session exists.
func (i *Identity) UsedMCPSession(ctx context.Context, id, user string, age time.Duration) (there bool, err error) {
	err = i.db.Write(ctx, "identity.UsedMCPSession", func(ctx context.Context, tx bun.Tx) error {
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		result, err := tx.NewRaw("UPDATE mcp_sessions SET expires = ? WHERE id_hash = ? AND user_id = ?", now+age.Microseconds(), hashOf(id), user).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		there = n == 1
		return err
	})
	return there, err
}

// EndMCPSession deletes a session of a user. It does nothing if the session does not exist.
func (i *Identity) EndMCPSession(ctx context.Context, id, user string) error {
	return i.db.Write(ctx, "identity.EndMCPSession", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("DELETE FROM mcp_sessions WHERE id_hash = ? AND user_id = ?", hashOf(id), user).Exec(ctx)
		return err
	})
}

// mcpSessionRow is the part of a row of mcp_sessions that FindMCPSession reads.
type mcpSessionRow struct {
	bun.BaseModel `bun:"table:mcp_sessions"`

	InstallID string `bun:"install_id"`
	Start     string `bun:"start"`
	Expires   int64  `bun:"expires"`
}
