package sdkapi

import "time"

// The routes of OAuth for MCP clients, on hosted gateways with a public URL. OAuth defines their
// requests and responses, so no API document lists them.
const (
	OAuthResourcePath  = "/.well-known/oauth-protected-resource"   // RFC 9728; also below it, MCPPath
	OAuthServerPath    = "/.well-known/oauth-authorization-server" // RFC 8414
	OAuthPath          = "/oauth"
	OAuthAuthorizePath = OAuthPath + "/authorize" // leads the browser to the console, where the person decides
	OAuthTokenPath     = OAuthPath + "/token"
	OAuthRegisterPath  = OAuthPath + "/register" // RFC 7591
	OAuthRevokePath    = OAuthPath + "/revoke"   // RFC 7009
)

// The console's routes of OAuth.
const (
	// GET describes the request of a client whose query it has. POST allows or denies the request.
	ConsoleConsentPath = "/console/authorize"
	// GET lists the clients that the user has connected. DELETE disconnects the client whose id follows
	// the path.
	ConsoleClientsPath = "/console/clients"
)

// OAuthResource describes the MCP server as a protected resource (RFC 9728).
type OAuthResource struct {
	Resource             string   `json:"resource"`
	ResourceName         string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Scopes               []string `json:"scopes_supported"`
}

// OAuthServer describes the authorization server (RFC 8414).
type OAuthServer struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	Scopes                []string `json:"scopes_supported"`
	IssInResponse         bool     `json:"authorization_response_iss_parameter_supported"`
	ClientDocuments       bool     `json:"client_id_metadata_document_supported"`
}

// OAuthRegistration is the request to register a client, and with an id the response.
type OAuthRegistration struct {
	ClientID      string   `json:"client_id,omitempty"`
	IssuedAt      int64    `json:"client_id_issued_at,omitempty"` // seconds since 1970
	ClientName    string   `json:"client_name,omitempty"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types,omitempty"`
	ResponseTypes []string `json:"response_types,omitempty"`
	AuthMethod    string   `json:"token_endpoint_auth_method,omitempty"` // always none in responses
}

// OAuthTokens is the response of OAuthTokenPath.
type OAuthTokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"` // Bearer
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// OAuthError is the response to a refused request.
type OAuthError struct {
	Error       string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

// ConsoleConsent describes the request of a client, which a person may allow.
type ConsoleConsent struct {
	Client       string   `json:"client"`                // name of the client, which nobody has verified
	ClientHost   string   `json:"client_host,omitempty"` // verified host of the client's document
	RedirectURI  string   `json:"redirect_uri"`
	RedirectHost string   `json:"redirect_host,omitempty"`
	RedirectApp  string   `json:"redirect_app,omitempty"` // instead of a host: the scheme of the app on the person's machine that gets the access
	Local        bool     `json:"local"`                  // the redirect leads to the person's own machine
	Scopes       []string `json:"scopes"`
	UserID       string   `json:"user_id"`
	Proof        string   `json:"proof"` // the decision must have it
}

// ConsoleConsentDecision is a person's decision about a request.
type ConsoleConsentDecision struct {
	Query  string   `json:"query"` // of the client's request
	Proof  string   `json:"proof"`
	Allow  bool     `json:"allow"`
	Scopes []string `json:"scopes"` // some of those requested
}

// ConsoleConsentResult is where the browser goes after a decision.
type ConsoleConsentResult struct {
	Location string `json:"location"`
}

// ConsoleClient is a client that the user has connected.
type ConsoleClient struct {
	ID           string     `json:"id"`
	Client       string     `json:"client"`
	ClientHost   string     `json:"client_host,omitempty"`
	RedirectHost string     `json:"redirect_host,omitempty"`
	RedirectApp  string     `json:"redirect_app,omitempty"` // as in ConsoleConsent
	Scopes       []string   `json:"scopes"`
	CreatedAt    time.Time  `json:"created_at"`
	SeenAt       *time.Time `json:"seen_at,omitempty"`
	ExpiresAt    time.Time  `json:"expires_at"`
}

// ConsoleClients is the response of ConsoleClientsPath.
type ConsoleClients struct {
	Clients []ConsoleClient `json:"clients"` // newest first
}

// Paths of the users' connections to MCP servers of others.
const (
	// GET lists the servers that users sign in to. POST with a server's name below the path begins a
	// sign-in, DELETE disconnects. POST to the path itself completes a sign-in.
	ConsoleConnectionsPath = "/console/connections"
	ConnectionCallbackPath = "/oauth/callback"             // issuers send browsers back to it
	ConnectionClientPath   = "/oauth/client-metadata.json" // describes the gateway as a client, for issuers
)

// ConsoleConnection is a server that users sign in to, with the user's connection.
type ConsoleConnection struct {
	Server    string     `json:"server"`
	Host      string     `json:"host"`
	Issuer    string     `json:"issuer,omitempty"` // host at which the user signed in
	State     string     `json:"state"`            // connected, refused (sign in again) or none
	Scopes    []string   `json:"scopes"`
	CreatedAt *time.Time `json:"created_at,omitempty"`
}

// ConsoleConnections is the response of ConsoleConnectionsPath.
type ConsoleConnections struct {
	Connections []ConsoleConnection `json:"connections"`
}

// ConsoleConnectionStart is where the browser goes to sign in.
type ConsoleConnectionStart struct {
	Location string `json:"location"`
}

// ConsoleConnectionResult is the query with which an issuer sent the browser back.
type ConsoleConnectionResult struct {
	Query string `json:"query"`
}

// ConsoleConnectionDone names the server of a completed sign-in.
type ConsoleConnectionDone struct {
	Server string `json:"server"`
}

// OAuthClient describes the gateway as a client of issuers, at ConnectionClientPath.
type OAuthClient struct {
	ClientID      string   `json:"client_id"`
	ClientName    string   `json:"client_name"`
	ClientURI     string   `json:"client_uri"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
}
