package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
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
	// bun writes values into the text: prepared, each text would be one more
	// statement to keep.
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.BuildContextWatcherHandler = patient(finishTime)
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	config.RuntimeParams["client_encoding"] = "UTF8"
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "windie"
	}
	pool := sql.OpenDB(connector{stdlib.GetConnector(*config)})
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db := bun.NewDB(pool, pgdialect.New())
	return &DB{postgres: config, read: db, write: db}, nil
}

// patient has a connection finish what it is asked when the caller's context
// ends: cutting it off would cost the connection, and making a new one costs
// more than nearly everything that is asked.
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

// readyPostgres sees that the server answers, and takes changes: a standby
// does not.
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
