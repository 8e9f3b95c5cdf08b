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

// Limits of a gateway's use of PostgreSQL.
const (
	connections    = 16 // at the same time; the listener has one more
	connectTimeout = 10 * time.Second
	finishTime     = time.Second // for a query whose caller has left, and for closing a connection
)

// connectPostgres returns the pool for a URL. It does not connect yet. Its error never contains the
// URL, because that has the password.
func connectPostgres(url string) (*DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The error of ParseConfig repeats the URL, and removes the password only if it finds it.
		return nil, fault.New("database.Open", sdkapi.StateUnavailable,
			"invalid database_url (WINDIE_DATABASE_URL); expected a PostgreSQL URL such as postgres://windie:secret@db.example/windie")
	}
	// bun writes values into the text of a statement, so a cache of prepared statements would never
	// hit.
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

// patient gives a connection the time d to finish its query after the caller's context has ended. A
// new connection costs more than nearly any query.
func patient(d time.Duration) func(*pgconn.PgConn) ctxwatch.Handler {
	return func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn(), DeadlineDelay: d}
	}
}

// connector finishes connecting even if the caller's context has ended. Otherwise callers with
// short deadlines would keep the server busy, and the pool would never get a connection.
type connector struct{ driver.Connector }

// Connect opens a connection. If ctx ends during the attempt, Connect continues the attempt for at
// most finishTime.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		_ = background.Sleep(own, finishTime)
		cancel()
	})()
	return c.Connector.Connect(own)
}

// checkEncoding refuses a database that cannot store every Unicode text.
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
		return fault.New(op, sdkapi.StateUnavailable, "the database has the encoding %s, not UTF8; create a database with: CREATE DATABASE windie ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	return nil
}

// readyPostgres checks that the server responds and accepts changes. A standby does not accept
// them.
func (db *DB) readyPostgres(ctx context.Context) error {
	const op = "database.Ready"
	var readOnly string
	if err := db.read.NewRaw("SHOW transaction_read_only").Scan(ctx, &readOnly); err != nil {
		return FaultIn(ctx, op, err)
	}
	if readOnly == "on" {
		return fault.New(op, sdkapi.StateUnavailable, "the database is read-only and may be a standby; set database_url (WINDIE_DATABASE_URL) to the primary")
	}
	return nil
}

// A listener checks a silent connection after listenCheck. After a lost connection it waits
// listenPause before it reconnects, then longer, up to listenPauseMax.
const (
	listenCheck    = 30 * time.Second
	listenPause    = 50 * time.Millisecond
	listenPauseMax = 5 * time.Second
)

// listenerSuffix ends the application name of a listening connection.
const listenerSuffix = " listener"

// MaxNotice is the maximum size of a notice, in bytes. PostgreSQL itself allows 7,999 bytes.
const MaxNotice = 7900

// Notify sends a notice to all gateways that listen on a channel. The notice is sent when the
// transaction tx commits. On SQLite it does nothing.
func (db *DB) Notify(ctx context.Context, tx bun.IDB, channel, notice string) error {
	if !db.Postgres() {
		return nil
	}
	_, err := tx.NewRaw("SELECT pg_notify(?, ?)", channel, notice).Exec(ctx)
	return err
}

// Listen receives the notices on a channel until ctx ends, and calls handle with one notice at a
// time. Notices can be lost while Listen is not connected. Therefore, Listen calls resync each time
// it has connected, including the first time. On SQLite it returns at once.
func (db *DB) Listen(ctx context.Context, channel string, resync func(), handle func(notice string)) {
	if !db.Postgres() {
		return
	}
	pause := listenPause
	for ctx.Err() == nil {
		heard := func() { pause = listenPause; resync() }
		_ = db.listen(ctx, channel, heard, handle) // until it is back, the pollers find changes
		if background.Sleep(ctx, pause) != nil {
			return
		}
		pause = min(2*pause, listenPauseMax)
	}
}

// listen does the work of Listen for one connection, and returns when that is lost. It calls heard
// once it listens.
func (db *DB) listen(ctx context.Context, channel string, heard func(), notify func(notice string)) error {
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
			notify(notice)
		}
	}
}

// wait returns the next notice. It returns an empty one if the connection was silent for
// listenCheck and the server still responds.
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

// hangUp closes conn politely, for at most finishTime.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), finishTime)
	defer cancel()
	_ = conn.Close(ctx)
}

// vacuum rebuilds an index of more than sparsePages pages that has fewer than sparseRows rows on
// each; a full page of ours has 60 to 400 rows. PostgreSQL reuses an index's empty pages but never
// returns them to the disk. An index of a table with more than denseRows rows is not rebuilt,
// because that blocks writers. If a table is locked for longer than sparseWait, its index is not
// rebuilt either.
const (
	sparsePages = 8
	sparseRows  = 16
	denseRows   = 100_000
	sparseWait  = "2s"
)

// lockTimeout is the code of a statement that waited longer than lock_timeout for a table.
const lockTimeout = "55P03"

// vacuum removes dead rows from the tables and rebuilds indexes that are mostly empty, which
// returns their space to the disk.
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

// rewrite rebuilds an index. It does nothing if the table stays locked for sparseWait.
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
