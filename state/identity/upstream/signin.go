package upstream

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/oauth2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Visitor is a person in a signed-in browser.
type Visitor struct {
	User  string
	Visit string // id of the browser's visit
}

// signIn is the sealed data of a sign-in.
type signIn struct {
	Client   access   `json:"client"` // without tokens
	Verifier string   `json:"verifier"`
	Redirect string   `json:"redirect"`
	Names    bool     `json:"names"` // whether the issuer names itself in its redirects
	Scopes   []string `json:"scopes"`
}

// signInRow is a row of upstream_sign_ins.
type signInRow struct {
	State   string `bun:"state_hash"`
	User    string `bun:"user_id"`
	Visit   string `bun:"visit_id"`
	Server  string `bun:"server"`
	Sealed  string `bun:"sealed"`
	Expires int64  `bun:"expires"`
}

// Begin starts a sign-in of a visitor to a server, and returns the URL to which the browser must go.
// base is the URL of this gateway. Begin fails with NOT_FOUND for an unknown server, and with
// FEATURE_UNAVAILABLE if the server or its issuer cannot be used.
func (s *Store) Begin(ctx context.Context, by Visitor, server, base string) (string, error) {
	const op = "upstream.Begin"
	v, err := s.server(server)
	if err != nil {
		return "", err
	}
	unusable := func(err error) error {
		return fault.New(op, sdkapi.FeatureUnavailable, "the gateway cannot sign in to the MCP server %q; the gateway's log has the reason", v.Name).Because(brief(err))
	}
	ctx, cancel := context.WithTimeout(ctx, 3*s.cfg.Timeout)
	defer cancel()
	at, err := s.discover(ctx, v)
	if err != nil {
		return "", unusable(err)
	}
	redirect := Redirect(base)
	client, err := s.register(ctx, v, at.meta, redirect)
	if err != nil {
		return "", unusable(err)
	}
	in := signIn{
		Verifier: oauth2.GenerateVerifier(), Redirect: redirect, Names: at.meta.AuthorizationResponseIssParameterSupported, Scopes: at.scopes,
		Client: access{
			URL: v.URL, Resource: at.resource, Issuer: at.meta.Issuer, TokenURL: at.meta.TokenEndpoint, RevokeURL: at.meta.RevocationEndpoint,
			ClientID: client.id, ClientSecret: client.secret, Style: client.style,
		},
	}
	state := rand.Text()
	if err := s.putSignIn(ctx, by, v.Name, state, in); err != nil {
		return "", err
	}
	cfg := in.Client.config(redirect, at.scopes)
	cfg.Endpoint.AuthURL = at.meta.AuthorizationEndpoint
	return cfg.AuthCodeURL(state, oauth2.S256ChallengeOption(in.Verifier), oauth2.SetAuthURLParam("resource", at.resource)), nil
}

// putSignIn stores a sign-in. It deletes expired ones, and the user's oldest beyond MaxSignIns.
func (s *Store) putSignIn(ctx context.Context, by Visitor, server, state string, in signIn) error {
	hash := hashOf(state)
	sealed, err := s.sealer.seal(in, "sign-in", hash, by.User, server)
	if err != nil {
		return fault.From(err)
	}
	return s.db.Write(ctx, "upstream.Begin", func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err == nil {
			_, err = tx.NewRaw("DELETE FROM upstream_sign_ins WHERE expires <= ? OR state_hash IN "+
				"(SELECT state_hash FROM upstream_sign_ins WHERE user_id = ? ORDER BY expires DESC, state_hash LIMIT ? OFFSET ?)", now, by.User, MaxSignIns, MaxSignIns-1).Exec(ctx)
		}
		if err == nil {
			_, err = tx.NewRaw("INSERT INTO upstream_sign_ins (state_hash, user_id, visit_id, server, sealed, expires) VALUES (?, ?, ?, ?, ?, ?)",
				hash, by.User, by.Visit, server, sealed, now+SignInAge.Microseconds()).Exec(ctx)
		}
		return err
	})
}

// takeSignIn returns a visitor's sign-in and deletes it. It fails with AUTH_REQUIRED if the visitor has
// no such sign-in. A sign-in of another visitor stays, so that nobody can end it.
func (s *Store) takeSignIn(ctx context.Context, by Visitor, state string) (row signInRow, in signIn, err error) {
	hash, now := hashOf(state), int64(0)
	var rows []signInRow
	err = s.db.Write(ctx, "upstream.Finish", func(ctx context.Context, tx bun.Tx) error {
		var err error
		if now, err = s.db.Now(ctx, tx); err != nil {
			return err
		}
		rows = nil
		return tx.NewRaw("DELETE FROM upstream_sign_ins WHERE state_hash = ? AND user_id = ? AND visit_id = ? RETURNING *", hash, by.User, by.Visit).Scan(ctx, &rows)
	})
	if err != nil {
		return row, in, err
	}
	if len(rows) == 0 || rows[0].Expires <= now {
		return row, in, refused("this browser began no such sign-in, or it is over").At("query.state", "expected the state of a sign-in of this browser, at most %s old", SignInAge)
	}
	row = rows[0]
	if err := s.sealer.open(row.Sealed, &in, "sign-in", hash, row.User, row.Server); err != nil {
		return row, in, refused("the sign-in began with another key").Because(err)
	}
	return row, in, nil
}

// Finish completes a visitor's sign-in, and returns the name of the server. query is the query with
// which the issuer sent the browser back. Finish fails with AUTH_REQUIRED if the sign-in cannot be
// trusted, and with PERMISSION_DENIED if the person or the issuer refused.
func (s *Store) Finish(ctx context.Context, by Visitor, query url.Values) (server string, err error) {
	const op = "upstream.Finish"
	row, in, err := s.takeSignIn(ctx, by, query.Get("state"))
	if err != nil {
		return "", err
	}
	if iss := query.Get("iss"); (query.Has("iss") || in.Names) && iss != in.Client.Issuer {
		return "", refused("another issuer sent the browser back").At("query.iss", "expected %s", in.Client.Issuer)
	}
	if code := query.Get("error"); code != "" {
		return "", fault.New(op, sdkapi.PermissionDenied, "the issuer of the MCP server %q did not allow the access (%.64q)", row.Server, code)
	}
	if v, err := s.server(row.Server); err != nil || v.URL != in.Client.URL {
		return "", refused("the operator has changed the server since")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Timeout)
	defer cancel()
	token, err := in.Client.config(in.Redirect, nil).Exchange(context.WithValue(ctx, oauth2.HTTPClient, s.client), query.Get("code"),
		oauth2.VerifierOption(in.Verifier), oauth2.SetAuthURLParam("resource", in.Client.Resource))
	if err != nil {
		return "", refused("the issuer of the MCP server did not accept the code").Because(quiet(err))
	}
	in.Client.take(token)
	if scope, ok := token.Extra("scope").(string); ok && scope != "" {
		in.Scopes = strings.Fields(scope)
	}
	return row.Server, s.connect(ctx, row.User, row.Server, in)
}

// connect stores a user's connection, which replaces an earlier one. An earlier one is revoked.
func (s *Store) connect(ctx context.Context, user, server string, in signIn) error {
	old, err := s.connection(ctx, user, server)
	if err != nil {
		return err
	}
	id := rand.Text()
	sealed, err := s.sealer.seal(in.Client, "connection", id, user, server)
	if err != nil {
		return fault.From(err)
	}
	scopes := strings.Join(in.Scopes[:min(len(in.Scopes), maxScopes)], " ")
	err = s.db.Write(ctx, "upstream.Finish", func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err == nil {
			_, err = tx.NewRaw("DELETE FROM upstream_connections WHERE user_id = ? AND server = ?", user, server).Exec(ctx)
		}
		if err == nil {
			_, err = tx.NewRaw("INSERT INTO upstream_connections (user_id, server, id, issuer, scopes, sealed, created, expires, version, leased, refused) "+
				"VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)", user, server, id, in.Client.Issuer, scopes, sealed, now, in.Client.expires()).Exec(ctx)
		}
		return err
	})
	if err == nil && old != nil {
		s.revoke(ctx, *old)
	}
	return err
}

// refused returns the error of a sign-in that cannot be trusted.
func refused(why string) *fault.Error {
	return fault.New("upstream.Finish", sdkapi.AuthRequired, "%s; choose Connect again", why)
}

// access is the sealed data of a connection: the tokens, and where they are valid.
type access struct {
	URL          string           `json:"url"` // of the server
	Resource     string           `json:"resource"`
	Issuer       string           `json:"issuer"`
	TokenURL     string           `json:"token_url"`
	RevokeURL    string           `json:"revoke_url,omitempty"`
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	Style        oauth2.AuthStyle `json:"style"`
	Access       string           `json:"access,omitempty"`
	Refresh      string           `json:"refresh,omitempty"`
	Ends         time.Time        `json:"ends"` // of the access token; zero for unknown
}

// config returns the configuration for requests to the issuer.
func (a access) config(redirect string, scopes []string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: a.ClientID, ClientSecret: a.ClientSecret, RedirectURL: redirect, Scopes: scopes,
		Endpoint: oauth2.Endpoint{TokenURL: a.TokenURL, AuthStyle: a.Style},
	}
}

// take takes the tokens of a response. An issuer that sends no new refresh token keeps the old one.
func (a *access) take(t *oauth2.Token) {
	a.Access, a.Ends = t.AccessToken, t.Expiry
	if t.RefreshToken != "" {
		a.Refresh = t.RefreshToken
	}
}

// expires returns the stored end of the access token; 0 for unknown.
func (a access) expires() int64 {
	if a.Ends.IsZero() {
		return 0
	}
	return database.Micros(a.Ends)
}
