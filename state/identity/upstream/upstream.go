// Package upstream signs the gateway's users in to the MCP servers of others, by OAuth 2.1, and stores
// the users' tokens.
//
//	store := upstream.Open(db, upstream.Config{Key: key, Servers: …})
//	url, err := store.Begin(ctx, visitor, "tickets", base)  // the browser goes to url
//	server, err := store.Finish(ctx, visitor, query)         // the browser came back with query
//	token, err := store.Token(ctx, server, "ada", "")        // for one request of ada
//	err = store.Disconnect(ctx, "ada", "tickets")
//
// A *connection* is one user's access to one server. Nobody else can use it: the database stores the
// tokens encrypted, and they open only for the user and the server of their row. A *sign-in* is the
// time from Begin to Finish. It belongs to one user and one signed-in browser, and works once.
//
//	(none) --Finish--> connected --refused refresh--> refused --Finish--> connected
//	connected, refused --Disconnect--> (none)
//
// The URLs in the metadata of servers come from strangers. Requests have limits, follow no redirects,
// and reach a private address only if the operator has named its host.
package upstream

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Times of sign-ins and tokens.
const (
	SignInAge  = 10 * time.Minute       // from Begin to Finish
	early      = time.Minute            // how long before its end an access token is refreshed
	leaseTime  = 30 * time.Second       // for one refresh; longer than askTime
	leasePause = 100 * time.Millisecond // between two looks at another gateway's refresh
)

// MaxSignIns is the maximum number of a user's sign-ins at a time; a further one replaces the oldest.
const MaxSignIns = 16

// KeyBytes is the size of Config.Key.
const KeyBytes = 32

// Server is an MCP server that users sign in to.
type Server struct {
	Name         string // prefix of the server's tools
	URL          string
	ClientID     string // of this gateway at the server's issuer; empty to register
	ClientSecret string
	Issuer       string   // the only issuer to use, whose host may be private; empty for the first that the server names
	Scopes       []string // to request; empty for those that the server names
}

// Config configures a Store.
type Config struct {
	Key     []byte // encrypts tokens; KeyBytes long, and the same on all gateways with the database
	Console string // URL of the console's page with the connections, which errors name
	// PublicURL is the URL of this gateway, if strangers can reach it by HTTPS. Then ClientPath below
	// it is the gateway's client id at issuers that load documents. Empty if there is no such URL.
	PublicURL string
	// Servers returns the servers that users sign in to. Of private addresses, requests reach only those
	// that the URLs and issuers of these servers name.
	Servers func() []Server
	Timeout time.Duration // of one request to a server or an issuer; default 10 s
}

// Store signs users in, and has their connections. Make one with Open. Its methods are safe for
// concurrent use, and several gateways may share the database. Errors are faults.
type Store struct {
	cfg    Config
	db     *database.DB
	sealer sealer
	client *http.Client
}

// Open returns the connections in db. The caller closes db. Open panics if the key has another length.
func Open(db *database.DB, cfg Config) *Store {
	cfg.Timeout = cmp.Or(cfg.Timeout, askTime)
	s := &Store{cfg: cfg, db: db, sealer: newSealer(cfg.Key)}
	s.client = newClient(cfg.Timeout, s.named)
	return s
}

// server returns the server with a name. It fails with NOT_FOUND if users sign in to no such server.
func (s *Store) server(name string) (Server, error) {
	all := s.cfg.Servers()
	i := slices.IndexFunc(all, func(v Server) bool { return v.Name == name })
	if i < 0 {
		return Server{}, fault.New("upstream", sdkapi.NotFound, "there is no MCP server %.64q to sign in to", name)
	}
	return all[i], nil
}

// SignsIn reports whether users sign in to a server.
func (s *Store) SignsIn(server string) bool {
	_, err := s.server(server)
	return err == nil
}

// named reports whether the operator has named a host with its port.
func (s *Store) named(address string) bool {
	return slices.ContainsFunc(s.cfg.Servers(), func(v Server) bool {
		return addressOf(v.URL) == address || v.Issuer != "" && addressOf(v.Issuer) == address
	})
}

// needed returns the error of a user who must sign in to a server. why says the reason.
func (s *Store) needed(server, why string) *fault.Error {
	return fault.New("upstream.Token", sdkapi.ConnectionRequired, "%s: ask your user to open %s, choose Connect at %q, and then repeat the call",
		why, s.cfg.Console, server)
}

// Console returns the URL of the console's page with the connections.
func (s *Store) Console() string { return s.cfg.Console }

// clientID returns the URL of the gateway's client document, or an empty text.
func (s *Store) clientID() string {
	if !strings.HasPrefix(s.cfg.PublicURL, "https://") {
		return ""
	}
	return strings.TrimSuffix(s.cfg.PublicURL, "/") + sdkapi.ConnectionClientPath
}

// Redirect returns the URL to which issuers send browsers back, at a gateway with the URL base.
func Redirect(base string) string {
	return strings.TrimSuffix(base, "/") + sdkapi.ConnectionCallbackPath
}
