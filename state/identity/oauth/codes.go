package oauth

import (
	"context"
	"crypto/subtle"
	"strings"

	"github.com/uptrace/bun"
	"golang.org/x/oauth2"
)

// Consent is what a person allowed.
type Consent struct {
	User      string // who allowed it
	Parent    string // install whose token signed the person in; may be empty. The grant ends with it
	Client    Client
	Redirect  string // URI that gets the code; the caller has checked it with Client.Allows
	Challenge string // of PKCE, by S256
	Scopes    Scopes
}

// challengeLen is the length of a S256 challenge: 32 bytes in base64url.
const challengeLen = 43

// CheckChallenge refuses a PKCE challenge that is missing, or is not by S256.
func CheckChallenge(challenge, method string) error {
	switch {
	case challenge == "" || method != "S256":
		return Refuse(InvalidRequest, "PKCE is required: send code_challenge, and code_challenge_method=S256")
	case len(challenge) != challengeLen || !isBase64URL(challenge):
		return Refuse(InvalidRequest, "code_challenge must be 43 characters of base64url")
	}
	return nil
}

// isBase64URL reports whether a text has only characters of base64url.
func isBase64URL(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// CheckResource refuses a resource other than the gateway's MCP server (RFC 8707). An empty text stands
// for the MCP server, as older clients do not send it.
func (s *Store) CheckResource(resource string) error {
	if resource != "" && strings.TrimSuffix(resource, "/") != s.Resource {
		return Refuse(InvalidTarget, "resource must be %s", s.Resource)
	}
	return nil
}

// Allow returns a code for what a person allowed. The client must exchange it within CodeAge.
func (s *Store) Allow(ctx context.Context, c Consent) (code string, err error) {
	code = newSecret(codePrefix)
	err = s.db.Write(ctx, "oauth.Allow", func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw("DELETE FROM oauth_codes WHERE expires <= ?", now-replayAge.Microseconds()).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO oauth_codes (code_hash, user_id, parent_id, client_id, client, redirect, challenge, resource, scopes, expires, install_id) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
			hashOf(code), c.User, c.Parent, c.Client.ID, c.Client.Name, c.Redirect, c.Challenge, s.Resource, c.Scopes.String(), now+CodeAge.Microseconds()).Exec(ctx)
		return err
	})
	return code, err
}

// Exchange is a client's request to exchange a code for tokens.
type Exchange struct {
	Code, ClientID, Redirect, Verifier, Resource string
}

// codeRow is a row of oauth_codes.
type codeRow struct {
	bun.BaseModel `bun:"table:oauth_codes"`

	UserID    string `bun:"user_id"`
	ParentID  string `bun:"parent_id"`
	ClientID  string `bun:"client_id"`
	Client    string `bun:"client"`
	Redirect  string `bun:"redirect"`
	Challenge string `bun:"challenge"`
	Resource  string `bun:"resource"`
	Scopes    string `bun:"scopes"`
	Expires   int64  `bun:"expires"`
	InstallID string `bun:"install_id"`
}

// spoiled is the install_id of a code that a wrong request used up.
const spoiled = "-"

// Exchange exchanges a code for the first tokens of a new grant. A code works once: a wrong request
// uses it up, and a second request ends the grant of the first, since the code was stolen.
func (s *Store) Exchange(ctx context.Context, in Exchange) (tokens Tokens, err error) {
	refusal := Refuse(InvalidGrant, "the code is unknown, used or older than %v, or it is for another client, redirect_uri or code_verifier; ask the person again", CodeAge)
	if err := s.CheckResource(in.Resource); err != nil {
		return Tokens{}, err
	}
	if !looksLike(in.Code, codePrefix) {
		return Tokens{}, refusal
	}
	hash := hashOf(in.Code)
	if row, err := s.code(ctx, hash); err != nil || row == nil { // a guessed code causes no write
		return Tokens{}, orRefusal(err, refusal)
	}
	err = s.db.Write(ctx, "oauth.Exchange", func(ctx context.Context, tx bun.Tx) (err error) {
		tokens = Tokens{}
		tokens, err = s.exchange(ctx, tx, hash, in)
		return err
	})
	if err == nil && tokens.Access == "" {
		err = refusal
	}
	return tokens, err
}

// orRefusal returns err, or the refusal if err is nil.
func orRefusal(err error, refusal *Error) error {
	if err != nil {
		return err
	}
	return refusal
}

// code returns the code with a hash, or nil.
func (s *Store) code(ctx context.Context, hash string) (*codeRow, error) {
	var rows []codeRow
	err := s.db.Ask(ctx, "oauth.code", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewSelect().Model(&rows).Where("code_hash = ?", hash).Scan(ctx)
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// exchange does the work of Exchange. It returns no tokens for a refused request.
func (s *Store) exchange(ctx context.Context, tx bun.Tx, hash string, in Exchange) (Tokens, error) {
	now, err := s.db.Now(ctx, tx)
	if err != nil {
		return Tokens{}, err
	}
	install := newID("install_")
	result, err := tx.NewRaw("UPDATE oauth_codes SET install_id = ? WHERE code_hash = ? AND install_id = ''", install, hash).Exec(ctx)
	first, err := changed(result, err)
	if err != nil {
		return Tokens{}, err
	}
	var row codeRow
	if err := tx.NewSelect().Model(&row).Where("code_hash = ?", hash).Scan(ctx); err != nil {
		return Tokens{}, err
	}
	switch {
	case !first && row.InstallID != spoiled:
		return Tokens{}, s.end(ctx, tx, row.InstallID)
	case !first:
		return Tokens{}, nil
	case now < row.Expires && s.isFor(row, in):
		if made, err := s.grant(ctx, tx, row, now); err != nil || made {
			if err != nil {
				return Tokens{}, err
			}
			return s.issue(ctx, tx, row.grant(now), ParsedScopes(row.Scopes), now)
		}
	}
	_, err = tx.NewRaw("UPDATE oauth_codes SET install_id = ? WHERE code_hash = ?", spoiled, hash).Exec(ctx)
	return Tokens{}, err
}

// isFor reports whether a request may have the tokens of a code.
func (s *Store) isFor(row codeRow, in Exchange) bool {
	proof := oauth2.S256ChallengeFromVerifier(in.Verifier)
	return row.ClientID == in.ClientID && row.Redirect == in.Redirect && row.Resource == s.Resource &&
		len(in.Verifier) >= 43 && len(in.Verifier) <= 128 && // RFC 7636, section 4.1
		subtle.ConstantTimeCompare([]byte(proof), []byte(row.Challenge)) == 1
}
