package upstream

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/oauth2"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// State is the state of a user's connection.
type State string

// The states.
const (
	Connected State = "connected"
	Refused   State = "refused" // the user must sign in again
	None      State = "none"    // the user has never signed in, or has disconnected
)

// Connection is a server that users sign in to, with a user's connection.
type Connection struct {
	Server  string
	Host    string
	Issuer  string // host of the issuer; empty without a connection
	State   State
	Scopes  []string
	Created time.Time // zero without a connection
}

// row is a row of upstream_connections.
type row struct {
	User    string `bun:"user_id"`
	Server  string `bun:"server"`
	ID      string `bun:"id"`
	Issuer  string `bun:"issuer"`
	Scopes  string `bun:"scopes"`
	Sealed  string `bun:"sealed"`
	Created int64  `bun:"created"`
	Expires int64  `bun:"expires"`
	Version int64  `bun:"version"`
	Leased  int64  `bun:"leased"`
	Refused int64  `bun:"refused"`
}

// Token is a user's access to a server.
type Token struct {
	Connection string // id of the connection; another sign-in has another one
	Access     string // must never be logged
}

// List returns the servers that users sign in to, with the connections of a user.
func (s *Store) List(ctx context.Context, user string) ([]Connection, error) {
	var rows []row
	err := s.db.Ask(ctx, "upstream.List", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewRaw("SELECT * FROM upstream_connections WHERE user_id = ?", user).Scan(ctx, &rows)
	})
	if err != nil {
		return nil, err
	}
	mine := map[string]row{}
	for _, r := range rows {
		mine[r.Server] = r
	}
	list := []Connection{}
	for _, v := range s.cfg.Servers() {
		c := Connection{Server: v.Name, Host: hostOf(v.URL), State: None, Scopes: []string{}}
		if r, ok := mine[v.Name]; ok {
			c.State, c.Issuer, c.Scopes, c.Created = Connected, hostOf(r.Issuer), strings.Fields(r.Scopes), database.Time(r.Created)
			var a access
			if r.Refused != 0 || s.open(r, &a) != nil || a.URL != v.URL {
				c.State = Refused
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// Connected reports whether a user has a connection to a server.
func (s *Store) Connected(ctx context.Context, user, server string) (bool, error) {
	r, err := s.connection(ctx, user, server)
	return r != nil && r.Refused == 0, err
}

// connection returns a user's connection, or nil.
func (s *Store) connection(ctx context.Context, user, server string) (*row, error) {
	var rows []row
	err := s.db.Ask(ctx, "upstream.connection", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewRaw("SELECT * FROM upstream_connections WHERE user_id = ? AND server = ?", user, server).Scan(ctx, &rows)
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// open decrypts a connection.
func (s *Store) open(r row, a *access) error {
	return s.sealer.open(r.Sealed, a, "connection", r.ID, r.User, r.Server)
}

// Token returns a user's valid access token for a server. stale is a token that the server has refused,
// or empty: Token then returns another one. It refreshes a token that is stale, or ends soon; of
// concurrent callers and gateways only one does. It fails with CONNECTION_REQUIRED if the user must
// sign in.
func (s *Store) Token(ctx context.Context, v Server, user, stale string) (Token, error) {
	for {
		r, err := s.connection(ctx, user, v.Name)
		if err != nil {
			return Token{}, err
		}
		if r == nil {
			return Token{}, s.needed(v.Name, "the MCP server "+v.Name+" needs your user's own sign-in")
		}
		again := s.needed(v.Name, "the sign-in of your user to the MCP server "+v.Name+" has ended")
		var a access
		switch err := s.open(*r, &a); {
		case err != nil:
			return Token{}, again.Because(err)
		case a.URL != v.URL || r.Refused != 0:
			return Token{}, again
		}
		token := Token{r.ID, a.Access}
		lasts := time.Until(a.Ends)
		if a.Ends.IsZero() {
			lasts = 2 * early
		}
		if a.Access != stale && lasts > early {
			return token, nil
		}
		usable := a.Access != stale && lasts > 0
		switch done, err := s.refresh(ctx, *r, a, usable); {
		case err != nil && usable && fault.CodeOf(err) != sdkapi.ConnectionRequired:
			return token, nil // the issuer may respond at the next call
		case err != nil:
			return Token{}, err
		case !done && usable:
			return token, nil // another caller refreshes it
		case !done:
			if err := background.Sleep(ctx, leasePause); err != nil {
				return Token{}, err
			}
		}
	}
}

// refresh exchanges a refresh token and stores the result. It reports false if another caller does so.
// usable means that the access token is still valid.
func (s *Store) refresh(ctx context.Context, r row, a access, usable bool) (done bool, err error) {
	again := s.needed(r.Server, "the sign-in of your user to the MCP server "+r.Server+" has ended")
	if a.Refresh == "" {
		if usable {
			return false, nil
		}
		return true, errors.Join(s.refuse(ctx, r), again)
	}
	if leased, err := s.lease(ctx, r); err != nil || !leased {
		return false, err
	}
	// The caller may go; the issuer has then used up the refresh token all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Timeout)
	defer cancel()
	asking := context.WithValue(context.WithValue(ctx, oauth2.HTTPClient, s.client), resourceKey{}, a.Resource)
	token, err := a.config("", nil).TokenSource(asking, &oauth2.Token{RefreshToken: a.Refresh}).Token()
	ctx, done2 := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Timeout)
	defer done2()
	if err == nil {
		a.take(token)
		return true, s.put(ctx, r, a)
	}
	if answered, ok := errors.AsType[*oauth2.RetrieveError](err); ok && answered.Response != nil && answered.Response.StatusCode/100 == 4 && answered.Response.StatusCode != http.StatusTooManyRequests {
		return true, errors.Join(s.refuse(ctx, r), again.Because(quiet(err)))
	}
	_, freed := s.change(ctx, "UPDATE upstream_connections SET leased = 0 WHERE id = ? AND version = ?", r.ID, r.Version)
	return true, errors.Join(fault.New("upstream.Token", sdkapi.ToolError, "the issuer of the MCP server %q does not respond; try again in a minute", r.Server).Because(quiet(err)), freed)
}

// lease takes the right to refresh a connection. It reports false if another caller has it.
func (s *Store) lease(ctx context.Context, r row) (leased bool, err error) {
	err = s.db.Write(ctx, "upstream.lease", func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		result, err := tx.NewRaw("UPDATE upstream_connections SET leased = ? WHERE id = ? AND version = ? AND refused = 0 AND leased < ?",
			now+leaseTime.Microseconds(), r.ID, r.Version, now).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		leased = n > 0
		return err
	})
	return leased, err
}

// put stores the new tokens of a connection.
func (s *Store) put(ctx context.Context, r row, a access) error {
	sealed, err := s.sealer.seal(a, "connection", r.ID, r.User, r.Server)
	if err != nil {
		return fault.From(err)
	}
	n, err := s.change(ctx, "UPDATE upstream_connections SET sealed = ?, expires = ?, version = version + 1, leased = 0 WHERE id = ? AND version = ?",
		sealed, a.expires(), r.ID, r.Version)
	if err == nil && n == 0 { // the user has disconnected meanwhile
		s.revokeAccess(ctx, a)
	}
	return err
}

// refuse records that the user must sign in again.
func (s *Store) refuse(ctx context.Context, r row) error {
	_, err := s.change(ctx, "UPDATE upstream_connections SET refused = created + 1, leased = 0 WHERE id = ? AND version = ?", r.ID, r.Version)
	return err
}

// Reject records that a server refuses even a new token of a connection.
func (s *Store) Reject(ctx context.Context, connection string) error {
	_, err := s.change(ctx, "UPDATE upstream_connections SET refused = created + 1, leased = 0 WHERE id = ?", connection)
	return err
}

// change runs a statement.
func (s *Store) change(ctx context.Context, statement string, values ...any) (int64, error) {
	return s.db.Change(ctx, "upstream", func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw(statement, values...).Exec(ctx)
	})
}

// Disconnect deletes a user's connection, and revokes its tokens at the issuer if the issuer offers
// that. It fails with NOT_FOUND if there is none.
func (s *Store) Disconnect(ctx context.Context, user, server string) error {
	var rows []row
	err := s.db.Write(ctx, "upstream.Disconnect", func(ctx context.Context, tx bun.Tx) error {
		rows = nil
		return tx.NewRaw("DELETE FROM upstream_connections WHERE user_id = ? AND server = ? RETURNING *", user, server).Scan(ctx, &rows)
	})
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fault.New("upstream.Disconnect", sdkapi.NotFound, "there is no connection to %.64q; it may have been disconnected already", server)
	}
	s.revoke(ctx, rows[0])
	return nil
}

// revoke revokes the tokens of a deleted connection. A failure is no error: the gateway has forgotten
// the tokens.
func (s *Store) revoke(ctx context.Context, r row) {
	var a access
	if s.open(r, &a) == nil {
		s.revokeAccess(ctx, a)
	}
}

// revokeAccess revokes tokens (RFC 7009): the refresh token, by which issuers end the whole grant, and
// then the access token.
func (s *Store) revokeAccess(ctx context.Context, a access) {
	if a.RevokeURL == "" || checkURL("revocation_endpoint", a.RevokeURL) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Timeout)
	defer cancel()
	for kind, token := range map[string]string{"refresh_token": a.Refresh, "access_token": a.Access} {
		if token != "" {
			form := url.Values{"token": {token}, "token_type_hint": {kind}, "client_id": {a.ClientID}}
			_, _ = s.post(ctx, a.RevokeURL, form, a.ClientID, a.ClientSecret)
		}
	}
}

// eraseBatch is the number of rows that one statement deletes.
const eraseBatch = 100

// EraseUser deletes all connections and sign-ins of a user, and returns their number. It revokes no
// tokens at issuers.
func (s *Store) EraseUser(ctx context.Context, user string) (int64, error) {
	return EraseUser(ctx, s.db, user)
}

// EraseUser is Store.EraseUser for a program that has no key.
func EraseUser(ctx context.Context, db *database.DB, user string) (total int64, err error) {
	for _, table := range []string{"upstream_sign_ins", "upstream_connections"} {
		n, err := db.ChangeAll(ctx, "upstream.EraseUser", eraseBatch, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
			id := map[string]string{"upstream_sign_ins": "state_hash", "upstream_connections": "id"}[table]
			return tx.NewRaw("DELETE FROM ?0 WHERE ?1 IN (SELECT ?1 FROM ?0 WHERE user_id = ?2 LIMIT ?3)", bun.Ident(table), bun.Ident(id), user, eraseBatch).Exec(ctx)
		})
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// quiet returns the error of a request for tokens without the body of the response, which may have
// tokens.
func quiet(err error) error {
	answered, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return err
	}
	status := 0
	if answered.Response != nil {
		status = answered.Response.StatusCode
	}
	return &refusal{status, answered.ErrorCode}
}
