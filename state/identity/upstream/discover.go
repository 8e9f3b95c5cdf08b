package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Limits of scopes.
const (
	maxScopes   = 50
	maxScopeLen = 128 // bytes
)

// issuer is what a sign-in needs to know of a server's authorization server.
type issuer struct {
	meta     *oauthex.AuthServerMeta
	resource string
	scopes   []string
}

// discover finds the authorization server of a server: by the challenge of an unauthenticated request,
// or at the well-known paths.
func (s *Store) discover(ctx context.Context, v Server) (issuer, error) {
	challenges := s.challenges(ctx, v)
	resource, err := s.resource(ctx, v, challenges)
	if err != nil {
		return issuer{}, err
	}
	at := resource.AuthorizationServers[0]
	if v.Issuer != "" {
		if at = v.Issuer; !slices.Contains(resource.AuthorizationServers, at) {
			return issuer{}, fmt.Errorf("the server does not name the issuer %s of mcp.json", at)
		}
	}
	meta, err := auth.GetAuthServerMetadata(ctx, at, s.client)
	switch {
	case err != nil:
		return issuer{}, err
	case meta == nil:
		return issuer{}, fmt.Errorf("%s has no metadata of an authorization server", at)
	case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return issuer{}, fmt.Errorf("%s does not support PKCE with S256", at)
	}
	for name, text := range map[string]string{"authorization_endpoint": meta.AuthorizationEndpoint, "token_endpoint": meta.TokenEndpoint} {
		if err := checkURL(name, text); err != nil {
			return issuer{}, err
		}
	}
	return issuer{meta, resource.Resource, scopesFor(v, meta, challenges, resource)}, nil
}

// scopesFor returns the scopes to request: those of mcp.json, of the challenge, or of the resource.
func scopesFor(v Server, meta *oauthex.AuthServerMeta, challenges []oauthex.Challenge, resource *oauthex.ProtectedResourceMetadata) []string {
	scopes := slices.Clone(v.Scopes)
	for _, c := range challenges {
		if len(scopes) == 0 {
			scopes = strings.Fields(c.Params["scope"])
		}
	}
	if len(scopes) == 0 {
		scopes = slices.Clone(resource.ScopesSupported)
	}
	if len(v.Scopes) == 0 && slices.Contains(meta.ScopesSupported, "offline_access") && !slices.Contains(scopes, "offline_access") {
		scopes = append(scopes, "offline_access") // for a refresh token
	}
	scopes = slices.DeleteFunc(scopes, func(scope string) bool { return len(scope) > maxScopeLen || !isScope(scope) })
	return scopes[:min(len(scopes), maxScopes)]
}

// isScope reports whether a text is a scope (RFC 6749, section 3.3).
func isScope(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// hello is the first message of a client. Some servers refuse only messages without a token.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"windie","version":"1"}}}`

// challenges returns the challenges of a request without a token. After a failure there are no challenges: the
// well-known paths may still respond.
func (s *Store) challenges(ctx context.Context, v Server) []oauthex.Challenge {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.URL, bytes.NewReader([]byte(hello)))
	if err != nil {
		return nil
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := s.client.Do(r)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		return nil
	}
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil
	}
	return challenges
}

// resource returns the metadata of a server as a protected resource (RFC 9728).
func (s *Store) resource(ctx context.Context, v Server, challenges []oauthex.Challenge) (*oauthex.ProtectedResourceMetadata, error) {
	type place struct{ metadata, resource string }
	var places []place
	for _, c := range challenges {
		if at := c.Params["resource_metadata"]; at != "" {
			places = append(places, place{at, v.URL})
		}
	}
	if at, err := url.Parse(v.URL); err == nil {
		root := *at
		root.Path, root.RawPath, root.RawQuery = "", "", ""
		base := root.String() + "/.well-known/oauth-protected-resource"
		places = append(places, place{base + strings.TrimSuffix(at.Path, "/"), v.URL}, place{base, root.String()}, place{base, v.URL})
	}
	var failed error
	for _, p := range places[:min(len(places), 4)] {
		found, err := oauthex.GetProtectedResourceMetadata(ctx, p.metadata, p.resource, s.client)
		if err == nil && len(found.AuthorizationServers) == 0 {
			err = errors.New("the server names no authorization server")
		}
		if err == nil {
			return found, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// registered is this gateway's client at an issuer.
type registered struct {
	id, secret string
	style      oauth2.AuthStyle
}

// register returns the gateway's client at an issuer: that of mcp.json, the client document, or a new
// one (RFC 7591).
func (s *Store) register(ctx context.Context, v Server, at *oauthex.AuthServerMeta, redirect string) (registered, error) {
	switch {
	case v.ClientID != "":
		return registered{v.ClientID, v.ClientSecret, styleOf(v.ClientSecret, at.TokenEndpointAuthMethodsSupported)}, nil
	case at.ClientIDMetadataDocumentSupported && s.clientID() != "":
		return registered{s.clientID(), "", oauth2.AuthStyleInParams}, nil
	case at.RegistrationEndpoint == "":
		return registered{}, errors.New("the issuer registers no clients: set clientId of the server in mcp.json")
	}
	if err := checkURL("registration_endpoint", at.RegistrationEndpoint); err != nil {
		return registered{}, err
	}
	made, err := oauthex.RegisterClient(ctx, at.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, ClientName: "Windie", GrantTypes: []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
	}, s.client)
	if refused, ok := errors.AsType[*oauthex.ClientRegistrationError](err); ok {
		return registered{}, fmt.Errorf("the issuer refuses to register the gateway: %.64q", refused.ErrorCode)
	}
	if err != nil {
		return registered{}, errors.New("the issuer did not register the gateway") // the cause has the response, which may have a secret
	}
	return registered{made.ClientID, made.ClientSecret, styleOf(made.ClientSecret, []string{made.TokenEndpointAuthMethod})}, nil
}

// styleOf returns how a client sends its secret to the token endpoint.
func styleOf(secret string, methods []string) oauth2.AuthStyle {
	if secret == "" || slices.Contains(methods, "client_secret_post") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}
