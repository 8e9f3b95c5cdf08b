package identity

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// A web page cannot send headers with a WebSocket, and a token in a URL would end up in logs of
// proxies and in browser histories. A ticket replaces the token: it opens one WebSocket, at one
// path, once, within TicketAge. The database stores only its SHA-256. Gateways that share the
// database accept each other's tickets.

// Limits of tickets.
const (
	// maximum time from the creation of a ticket to its use
	TicketAge = sdkapi.SocketTicketSeconds * time.Second
	// maximum number of unused tickets of one user; a further ticket replaces the oldest
	MaxTickets = 16
)

// ticketLen is the length of a ticket, in bytes.
var ticketLen = len(newSecret())

// MakeTicket creates a ticket for one WebSocket at path. The connection acts for install.
// MakeTicket returns the ticket and its expiry.
func (i *Identity) MakeTicket(ctx context.Context, user, install, path string) (ticket string, expires time.Time, err error) {
	ticket = newSecret()
	err = i.db.Write(ctx, "identity.MakeTicket", func(ctx context.Context, tx bun.Tx) error {
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		end := now + TicketAge.Microseconds()
		expires = database.Time(end)
		if _, err := tx.NewRaw("DELETE FROM socket_tickets WHERE expires <= ?", now).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO socket_tickets (ticket_hash, user_id, install_id, path, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
			hashOf(ticket), user, install, path, now, end).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("DELETE FROM socket_tickets WHERE user_id = ? AND ticket_hash NOT IN "+
			"(SELECT ticket_hash FROM socket_tickets WHERE user_id = ? ORDER BY created DESC, ticket_hash LIMIT ?)", user, user, MaxTickets).Exec(ctx)
		return err
	})
	return ticket, expires, err
}

// UseTicket consumes a ticket for a WebSocket at path, and returns the ticket's install. It fails
// with AUTH_REQUIRED if the ticket is unknown, used, expired or for another path, or if its install
// is revoked. The first use consumes the ticket, even at a wrong path, because other programs may
// then know the ticket.
func (i *Identity) UseTicket(ctx context.Context, ticket, path string) (Install, error) {
	const op = "identity.UseTicket"
	refusal := fault.New(op, sdkapi.AuthRequired, "this ticket was already used, is older than %v, or is for another path; request a new one", TicketAge)
	if len(ticket) != ticketLen {
		return Install{}, refusal
	}
	hash := hashOf(ticket)
	var kept ticketRow
	// A guessed ticket causes no write.
	err := i.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		return db.NewSelect().Model(&kept).Where("ticket_hash = ?", hash).Scan(ctx)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Install{}, refusal
	case err != nil:
		return Install{}, err
	}
	var row installRow
	good := false
	err = i.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		row, good = installRow{}, false // an earlier try may have set them
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		result, err := tx.NewRaw("DELETE FROM socket_tickets WHERE ticket_hash = ?", hash).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil || n != 1 || now >= kept.Expires || path != kept.Path {
			return err
		}
		err = tx.NewSelect().Model(&row).Where("id = ? AND user_id = ? AND revoked = 0", kept.InstallID, kept.UserID).Scan(ctx)
		good = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil // the ticket is used up in this case too
		}
		return err
	})
	if err == nil && !good {
		err = refusal
	}
	return row.install(), err
}

// ticketRow is the part of a row of socket_tickets that UseTicket reads.
type ticketRow struct {
	bun.BaseModel `bun:"table:socket_tickets"`

	UserID    string `bun:"user_id"`
	InstallID string `bun:"install_id"`
	Path      string `bun:"path"`
	Expires   int64  `bun:"expires"`
}
