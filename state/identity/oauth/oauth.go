// Package oauth lets MCP clients act for the users of a hosted gateway, by OAuth 2.1: it keeps the
// clients, the codes and the tokens of an authorization server.
//
//	store := oauth.Open(db, ids, oauth.Config{Issuer: "https://windie.example.com", …})
//	client, err := store.Client(ctx, request.ClientID)       // registered, or described at its URL
//	code, err := store.Allow(ctx, oauth.Consent{…})          // a person allowed the client
//	tokens, err := store.Exchange(ctx, oauth.Exchange{…})    // the client brings the code
//	access, err := store.Authenticate(ctx, tokens.Access)    // for each request of the client
//
// A *grant* is what one consent began: an install of the user, whose tokens change. The *family* of a
// grant is all its tokens. Revoking the install ends the grant and everything that it opened. The
// *resource* is the URL of the gateway's MCP server; a token is valid for one resource.
//
// The database stores only the SHA-256 of codes and tokens.
package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/internal/ratelimit"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// Lifetimes.
const (
	CodeAge    = time.Minute          // from a consent to the exchange of its code
	AccessAge  = time.Hour            // of an access token
	RefreshAge = 30 * 24 * time.Hour  // of a refresh token; each exchange issues a new one
	GrantAge   = 180 * 24 * time.Hour // after which a person must consent again
	replayAge  = time.Hour            // how long a used code is remembered, so that a second use ends its grant
)

// MaxGrants is the maximum number of grants of one user; a further one ends the oldest.
const MaxGrants = 100

// Config configures a Store.
type Config struct {
	Issuer   string // URL of the authorization server: the gateway's public URL
	Resource string // URL of the gateway's MCP server
	// Documents loads the metadata documents of clients. Default: a client that connects only to
	// public addresses, by HTTPS.
	Documents *egress.Client
	// NoDocuments refuses clients that are described at URLs, for a gateway that reaches no public
	// addresses. Clients then register.
	NoDocuments bool
}

// Store keeps clients, grants and tokens in a database, which several gateways may share. Make one
// with Open. Its methods are safe for concurrent use. The refusal of a client's request is an *Error.
// Other errors are faults; STATE_UNAVAILABLE means that the database does not respond.
type Store struct {
	Config

	db        *database.DB
	ids       *identity.Identity
	documents documents
	refreshes *ratelimit.Limiter // by grant
}

// Open returns a Store that uses db and the users of ids. The caller closes db.
func Open(db *database.DB, ids *identity.Identity, cfg Config) *Store {
	if cfg.Documents == nil {
		cfg.Documents = publicDocuments()
	}
	return &Store{Config: cfg, db: db, ids: ids, documents: documents{client: cfg.Documents}, refreshes: ratelimit.New(refreshesHour, time.Hour)}
}

// Prefixes by which secret scanners, and the gateway, recognise tokens. They are followed by
// secretBytes of random data in base64url.
const (
	AccessPrefix  = "wnd_mcp_"
	refreshPrefix = "wnd_refresh_"
	codePrefix    = "wnd_code_"
	secretBytes   = 32
)

// newSecret returns a random code or token.
func newSecret(prefix string) string {
	var random [secretBytes]byte
	_, _ = rand.Read(random[:]) // Read never fails
	return prefix + base64.RawURLEncoding.EncodeToString(random[:])
}

// looksLike reports whether a text has the form of a secret with a prefix.
func looksLike(secret, prefix string) bool {
	return len(secret) == len(prefix)+base64.RawURLEncoding.EncodedLen(secretBytes) && strings.HasPrefix(secret, prefix)
}

// hashOf returns the stored form of a secret. A fast hash is safe, because the secret is random.
func hashOf(secret string) string { return hashid.Of(secret, sha256.Size) }

// newID returns prefix with a random suffix that cannot be guessed.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }
