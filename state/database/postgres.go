package database

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of a gateway's use of PostgreSQL.
const (
	connections    = 16 // at once, and one more that listens
	connectTimeout = 10 * time.Second
	finishTime     = time.Second // for what a caller has left behind
)

func connectPostgres(url string) (*DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// Its error repeats the URL, and takes the password out only where it
		// knows which part that is.
		return nil, fault.New("database.Open", sdkapi.StateUnavailable,
			"database_url (WINDIE_DATABASE_URL) is not one of PostgreSQL, as postgres://windie:secret@db.example/windie")
	}
	// bun writes values into the text: prepared, each text would be one more statement to keep.
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.BuildContextWatcherHandler = patient(finishTime)
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTimeout)
	config.RuntimeParams["client_encoding"] = "UTF8"
	config.RuntimeParams["application_name"] = cmp.Or(config.RuntimeParams["application_name"], "windie")
	pool := sql.OpenDB(connector{stdlib.GetConnector(*config)})
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db := bun.NewDB(pool, pgdialect.New())
	return &DB{postgres: config, read: db, write: db}, nil
}

// patient has a connection finish its query when the caller's context ends: a new connection costs
// more than nearly any query.
func patient(d time.Duration) func(*pgconn.PgConn) ctxwatch.Handler {
	return func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn(), DeadlineDelay: d}
	}
}

// connector is patient with connecting, too. Otherwise callers that leave soon
// would never get the pool a connection, and keep the server busy all the same.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		_ = background.Sleep(own, finishTime)
		cancel()
	})()
	return c.Connector.Connect(own)
}

// checkEncoding refuses a database that cannot keep every text.
func (db *DB) checkEncoding(ctx context.Context) error {
	const op = "database.Open"
	if !db.Postgres() {
		return nil
	}
	var encoding string
	if err := db.read.NewRaw("SHOW server_encoding").Scan(ctx, &encoding); err != nil {
		return FaultIn(ctx, op, err)
	}
	if encoding != "UTF8" {
		return fault.New(op, sdkapi.StateUnavailable, "the database keeps text as %s; make one with: CREATE DATABASE windie ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	return nil
}

// readyPostgres sees that the server answers, and takes changes: a standby does not.
func (db *DB) readyPostgres(ctx context.Context) error {
	const op = "database.Ready"
	var readOnly string
	if err := db.read.NewRaw("SHOW transaction_read_only").Scan(ctx, &readOnly); err != nil {
		return FaultIn(ctx, op, err)
	}
	if readOnly == "on" {
		return fault.New(op, sdkapi.StateUnavailable, "the database takes no changes; it may be a standby: point the gateway at the primary")
	}
	return nil
}

// How a listener deals with a server that is away: it asks whether the silence
// means anything, and comes back at first soon, then less often.
const (
	listenCheck    = 30 * time.Second
	listenPause    = 50 * time.Millisecond
	listenPauseMax = 5 * time.Second
)

// listenerSuffix is behind the name of a connection that listens.
const listenerSuffix = " listener"

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

// Listen hands each notice on a channel to its callback, one after the other, until ctx ends. It
// calls missed whenever it begins to listen, also after a lost connection: there may have been
// notices before. On SQLite it returns at once.
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
	config.RuntimeParams["application_name"] += listenerSuffix
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

// An index is written anew if it takes more than sparsePages and has fewer than sparseRows on each,
// where ours have 60 to 400: PostgreSQL gives an index's empty pages to later rows, never back. Tables
// with more than denseRows keep theirs, as nobody can write to a table meanwhile; so do those in
// use for longer than sparseWait.
const (
	sparsePages = 8
	sparseRows  = 16
	denseRows   = 100_000
	sparseWait  = "2s"
)

// lockTimeout is what a statement fails with that waits for a table longer than it may.
const lockTimeout = "55P03"

// vacuum takes rows that no transaction sees any longer out of the tables, and gives the disk the
// room of indexes that are mostly empty.
func (db *DB) vacuum(ctx context.Context) error {
	if _, err := db.write.DB.ExecContext(ctx, "VACUUM"); err != nil {
		return err
	}
	var sparse []string
	if err := db.write.NewRaw(`SELECT quote_ident(index.relname)
		FROM pg_class AS index
		JOIN pg_index ON pg_index.indexrelid = index.oid
		JOIN pg_class AS indexed ON indexed.oid = pg_index.indrelid
		WHERE index.relnamespace = to_regnamespace(quote_ident(current_schema())) AND pg_has_role(indexed.relowner, 'USAGE')
			AND index.relpages > ? AND index.reltuples < index.relpages::float8 * ? AND indexed.reltuples BETWEEN 0 AND ?
		ORDER BY index.relname`, sparsePages, sparseRows, denseRows).Scan(ctx, &sparse); err != nil {
		return err
	}
	for _, index := range sparse {
		if err := db.rewrite(ctx, index); err != nil {
			return err
		}
	}
	return nil
}

// rewrite writes an index anew, unless its table is in use.
func (db *DB) rewrite(ctx context.Context, index string) error {
	err := db.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, "SET LOCAL lock_timeout = '"+sparseWait+"'"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "REINDEX INDEX "+index)
		return err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == lockTimeout {
		return nil
	}
	return err
}
