package oauth

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// Kinds of tokens.
const (
	kindAccess  = "access"
	kindRefresh = "refresh"
)

// refreshesHour is the maximum number of exchanges of one grant's refresh tokens per hour.
const refreshesHour = 60

// Tokens are an access token and a refresh token.
type Tokens struct {
	Access, Refresh string
	Scopes          Scopes        // of the access token
	Lasts           time.Duration // of the access token
}

// Access is what an access token allows.
type Access struct {
	Install string // id of the grant; empty for a token of another issuer
	User    string
	Scopes  Scopes
	Expires time.Time
}

// ParsedScopes returns the scopes that the database has, or a token of another issuer. It ignores
// scopes that do not exist.
func ParsedScopes(text string) Scopes { return scopesIn(strings.Fields(text)) }

// issue stores new tokens of a grant. The refresh token has all scopes of the grant.
func (s *Store) issue(ctx context.Context, tx bun.Tx, g grantRow, scopes Scopes, now int64) (Tokens, error) {
	if _, err := tx.NewRaw("DELETE FROM oauth_tokens WHERE expires <= ?", now).Exec(ctx); err != nil {
		return Tokens{}, err
	}
	tokens := Tokens{Access: newSecret(AccessPrefix), Refresh: newSecret(refreshPrefix), Scopes: scopes, Lasts: AccessAge}
	for _, token := range []struct {
		secret, kind, scopes string
		age                  time.Duration
	}{{tokens.Access, kindAccess, scopes.String(), AccessAge}, {tokens.Refresh, kindRefresh, g.Scopes, RefreshAge}} {
		_, err := tx.NewRaw("INSERT INTO oauth_tokens (token_hash, install_id, kind, scopes, expires, used) VALUES (?, ?, ?, ?, ?, 0)",
			hashOf(token.secret), g.InstallID, token.kind, token.scopes, min(now+token.age.Microseconds(), g.Expires)).Exec(ctx)
		if err != nil {
			return Tokens{}, err
		}
	}
	return tokens, nil
}

// tokenRow is a token with its grant and its install.
type tokenRow struct {
	grantRow

	Kind    string `bun:"kind"`
	May     string `bun:"may"`
	Ends    int64  `bun:"ends"`
	Used    int64  `bun:"used"`
	Seen    int64  `bun:"last_seen"`
	Revoked int64  `bun:"revoked"`
}

// token returns the token with a hash, or nil.
func (s *Store) token(ctx context.Context, hash string) (*tokenRow, error) {
	var rows []tokenRow
	err := s.db.Ask(ctx, "oauth.token", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewRaw("SELECT g.*, t.kind, t.scopes AS may, t.expires AS ends, t.used, i.last_seen, i.revoked FROM oauth_tokens t "+
			"JOIN oauth_grants g ON g.install_id = t.install_id JOIN installs i ON i.id = t.install_id WHERE t.token_hash = ?", hash).Scan(ctx, &rows)
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// good reports whether a token is valid for the resource of s at this time.
func (s *Store) good(t *tokenRow, kind string) bool {
	return t != nil && t.Kind == kind && t.Revoked == 0 && t.Resource == s.Resource && time.Now().UnixMicro() < t.Ends
}

// Authenticate returns what an access token allows. It fails with AUTH_REQUIRED for a token that is
// unknown, expired, revoked or for another resource, always with the same message.
func (s *Store) Authenticate(ctx context.Context, token string) (Access, error) {
	const op = "oauth.Authenticate"
	refused := fault.New(op, sdkapi.AuthRequired, "the access token is invalid or has expired; refresh it, or connect the client again").
		At("header.Authorization", "expected Bearer and a valid access token for %s", s.Resource)
	if !looksLike(token, AccessPrefix) {
		return Access{}, refused
	}
	row, err := s.token(ctx, hashOf(token))
	if err != nil {
		return Access{}, err
	}
	if !s.good(row, kindAccess) {
		return Access{}, refused
	}
	s.ids.Saw(identity.Install{ID: row.InstallID, LastSeen: database.Time(row.Seen)})
	return Access{Install: row.InstallID, User: row.UserID, Scopes: ParsedScopes(row.May), Expires: database.Time(row.Ends)}, nil
}

// Refresh is a client's request to exchange a refresh token for new tokens.
type Refresh struct {
	Token, ClientID, Resource string
	Scopes                    Scopes // of the new access token; empty for all of the grant
}

// Refresh exchanges a refresh token for new tokens. A refresh token works once: a second use ends the
// grant with all its tokens, since one of the two users is a thief.
func (s *Store) Refresh(ctx context.Context, in Refresh) (tokens Tokens, err error) {
	refusal := Refuse(InvalidGrant, "the refresh token is unknown, used, expired or of another client; ask the person again")
	if err := s.CheckResource(in.Resource); err != nil {
		return Tokens{}, err
	}
	if !looksLike(in.Token, refreshPrefix) {
		return Tokens{}, refusal
	}
	hash := hashOf(in.Token)
	row, err := s.token(ctx, hash)
	if err != nil || !s.good(row, kindRefresh) || row.ClientID != in.ClientID {
		return Tokens{}, orRefusal(err, refusal)
	}
	all := ParsedScopes(row.Scopes)
	if !all.Has(in.Scopes...) {
		return Tokens{}, Refuse(InvalidScope, "the person has not allowed all of these scopes; ask the person again")
	}
	if len(in.Scopes) == 0 {
		in.Scopes = all
	}
	if row.Used == 0 && !s.refreshes.Take(row.InstallID, 1).OK {
		return Tokens{}, Refuse(Unavailable, "the client refreshes too often; try again in a few minutes")
	}
	err = s.db.Write(ctx, "oauth.Refresh", func(ctx context.Context, tx bun.Tx) error {
		tokens = Tokens{}
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		result, err := tx.NewRaw("UPDATE oauth_tokens SET used = ? WHERE token_hash = ? AND used = 0", now, hash).Exec(ctx)
		first, err := changed(result, err)
		switch {
		case err != nil:
			return err
		case !first:
			return s.end(ctx, tx, row.InstallID)
		}
		tokens, err = s.issue(ctx, tx, row.grantRow, in.Scopes, now)
		return err
	})
	if err == nil && tokens.Access == "" {
		err = refusal
	}
	return tokens, err
}

// Revoke ends the grant of a client's token, of either kind, with all that it opened (RFC 7009). An
// unknown token is no error. It refuses another client's token.
func (s *Store) Revoke(ctx context.Context, token, clientID string) error {
	if !looksLike(token, AccessPrefix) && !looksLike(token, refreshPrefix) {
		return nil
	}
	row, err := s.token(ctx, hashOf(token))
	switch {
	case err != nil || row == nil:
		return err
	case row.ClientID != clientID:
		return Refuse(InvalidClient, "the token belongs to another client")
	}
	return s.db.Write(ctx, "oauth.Revoke", func(ctx context.Context, tx bun.Tx) error { return s.end(ctx, tx, row.InstallID) })
}
