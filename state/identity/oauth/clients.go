package oauth

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/uptrace/bun"
)

// Limits of clients.
const (
	MaxRedirects  = 10             // redirect URIs of one client
	maxName       = 80             // characters of a client's name
	maxClientID   = 512            // bytes of a client's id
	maxClients    = 10_000         // registrations; further ones are refused until some expire
	unusedAge     = 24 * time.Hour // of a registration that nobody has consented to
	clientIDStart = "client_"
)

// Client is a program that asks people for access.
type Client struct {
	ID           string // from its registration, or the URL of its metadata document
	Name         string // as the client says; nobody has verified it
	RedirectURIs []string
}

// Host returns the host of a client that is described at its URL. The host has been verified. It is
// empty for a registered client.
func (c Client) Host() string {
	if u, ok := readURI(c.ID, maxClientID); ok {
		return u.Host
	}
	return ""
}

// Allows reports whether the client may receive codes at a redirect URI.
func (c Client) Allows(redirect string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool { return matchesRedirect(registered, redirect) })
}

// check refuses a client with an invalid name or invalid redirect URIs, and cleans the name.
func (c *Client) check() error {
	if n := len(c.RedirectURIs); n == 0 || n > MaxRedirects {
		return Refuse(InvalidRedirect, "a client needs 1 to %d redirect_uris", MaxRedirects)
	}
	for _, uri := range c.RedirectURIs {
		if err := CheckRedirect(uri); err != nil {
			return err
		}
	}
	c.Name = cleanName(c.Name)
	return nil
}

// cleanName returns a client's name in one line, without invisible characters and of at most maxName
// characters.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, name)
	letters := []rune(strings.Join(strings.Fields(name), " "))
	return string(letters[:min(len(letters), maxName)])
}

// Register stores a client (RFC 7591). It expires after a day unless a person consents to it.
func (s *Store) Register(ctx context.Context, name string, redirects []string) (Client, error) {
	client := Client{ID: newID(clientIDStart), Name: name, RedirectURIs: redirects}
	if err := client.check(); err != nil {
		return Client{}, err
	}
	uris, err := json.Marshal(client.RedirectURIs)
	if err != nil {
		return Client{}, err // unreachable: texts always encode
	}
	return client, s.db.Write(ctx, "oauth.Register", func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw("DELETE FROM oauth_clients WHERE expires <= ?", now).Exec(ctx); err != nil {
			return err
		}
		var count int
		if err := tx.NewRaw("SELECT count(*) FROM oauth_clients").Scan(ctx, &count); err != nil {
			return err
		}
		if count >= maxClients {
			return Refuse(Unavailable, "the gateway has too many registered clients; try again tomorrow")
		}
		_, err = tx.NewRaw("INSERT INTO oauth_clients (id, name, redirect_uris, created, expires) VALUES (?, ?, ?, ?, ?)",
			client.ID, client.Name, string(uris), now, now+unusedAge.Microseconds()).Exec(ctx)
		return err
	})
}

// Client returns a client by its id: a registered one, or one that is described at its URL. It refuses
// an unknown client.
func (s *Store) Client(ctx context.Context, id string) (Client, error) {
	if strings.HasPrefix(id, "https://") {
		if s.NoDocuments {
			return Client{}, Refuse(InvalidClient, "this gateway takes no client_id that is a URL: register")
		}
		return s.documents.load(ctx, id)
	}
	unknown := Refuse(InvalidClient, "unknown client_id; register again, for example by adding the server anew")
	if len(id) > maxClientID || !strings.HasPrefix(id, clientIDStart) {
		return Client{}, unknown
	}
	var rows []struct {
		Name string `bun:"name"`
		URIs string `bun:"redirect_uris"`
	}
	err := s.db.Ask(ctx, "oauth.Client", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewRaw("SELECT name, redirect_uris FROM oauth_clients WHERE id = ? AND expires > ?", id, time.Now().UnixMicro()).Scan(ctx, &rows)
	})
	switch {
	case err != nil:
		return Client{}, err
	case len(rows) == 0:
		return Client{}, unknown
	}
	client := Client{ID: id, Name: rows[0].Name}
	return client, json.Unmarshal([]byte(rows[0].URIs), &client.RedirectURIs)
}
