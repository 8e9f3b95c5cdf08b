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

// A page cannot send headers with a WebSocket, and a token in an address would stay in logs of proxies and in
// histories of browsers. A ticket stands in for the token: it opens one socket, at one path, once and soon. The
// database has only its SHA-256, so that each gateway that shares the database takes the tickets of the others.

// Bounds of tickets.
const (
	TicketAge  = sdkapi.SocketTicketSeconds * time.Second // from the moment a ticket is made to its use
	MaxTickets = 16                                       // of one user that nobody has used yet: the oldest end
)

// ticketLen is the length of a ticket, in bytes.
var ticketLen = len(newSecret())

// MakeTicket keeps a ticket for one WebSocket at path, which acts for install.
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

// UseTicket uses a ticket up, and returns the install that the socket at path acts for. It fails with AUTH_REQUIRED
// for a ticket that is unknown, used, too old or for another path, and for one of a revoked install. A ticket is used
// up by the first who brings it, also at a wrong path: whoever that is, the ticket is no secret any more.
func (i *Identity) UseTicket(ctx context.Context, ticket, path string) (Install, error) {
	const op = "identity.UseTicket"
	refusal := fault.New(op, sdkapi.AuthRequired, "this ticket was used already, is older than %v, or is for another path; ask for another", TicketAge)
	if len(ticket) != ticketLen {
		return Install{}, refusal
	}
	hash := hashOf(ticket)
	var kept ticketRow
	err := i.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error { // a guess costs no writing
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
			return nil // the ticket is used up all the same
		}
		return err
	})
	if err == nil && !good {
		err = refusal
	}
	return row.install(), err
}

type ticketRow struct {
	bun.BaseModel `bun:"table:socket_tickets"`

	UserID    string `bun:"user_id"`
	InstallID string `bun:"install_id"`
	Path      string `bun:"path"`
	Expires   int64  `bun:"expires"`
}
