package database

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
)

// How a listener deals with a server that is away: it asks whether the silence
// means anything, and comes back at first soon, then less often.
const (
	listenCheck    = 30 * time.Second
	listenPause    = 50 * time.Millisecond
	listenPauseMax = 5 * time.Second
)

// MaxNotice bounds a notice, in bytes; PostgreSQL takes 7,999.
const MaxNotice = 7900

// Notify wakes those who listen on a channel, on whichever gateway, when the
// transaction is committed. On SQLite it does nothing.
func (db *DB) Notify(ctx context.Context, tx bun.IDB, channel, notice string) error {
	if !db.Postgres() {
		return nil
	}
	_, err := tx.NewRaw("SELECT pg_notify(?, ?)", channel, notice).Exec(ctx)
	return err
}

// Listen hands each notice on a channel to its callback, one after the other,
// until ctx ends. It calls missed each time it begins to listen, also after it
// lost its connection: there may have been notices that nobody heard. On SQLite
// it returns at once.
func (db *DB) Listen(ctx context.Context, channel string, missed func(), told func(notice string)) {
	if !db.Postgres() {
		return
	}
	pause := listenPause
	for ctx.Err() == nil {
		heard := func() { pause = listenPause; missed() }
		_ = db.listen(ctx, channel, heard, told) // the poller covers until it is back
		if background.Sleep(ctx, pause) != nil {
			return
		}
		pause = min(2*pause, listenPauseMax)
	}
}

// listen is Listen for the life of one connection.
func (db *DB) listen(ctx context.Context, channel string, heard func(), told func(notice string)) error {
	config := db.postgres.Copy()
	config.RuntimeParams["application_name"] += " listener"
	config.BuildContextWatcherHandler = patient(0)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer hangUp(conn)
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	heard()
	for {
		notice, err := wait(ctx, conn)
		if err != nil {
			return err
		}
		if notice != "" {
			told(notice)
		}
	}
}

// wait returns the next notice, or an empty one when the connection was quiet
// for a while and the server is still there.
func wait(ctx context.Context, conn *pgx.Conn) (string, error) {
	quiet, cancel := context.WithTimeout(ctx, listenCheck)
	defer cancel()
	n, err := conn.WaitForNotification(quiet)
	if err == nil {
		return n.Payload, nil
	}
	if ctx.Err() != nil || quiet.Err() == nil {
		return "", err
	}
	check, stop := context.WithTimeout(ctx, connectTimeout)
	defer stop()
	return "", conn.Ping(check)
}

// hangUp says goodbye, for a moment: nothing is lost without.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), finishTime)
	defer cancel()
	_ = conn.Close(ctx)
}
