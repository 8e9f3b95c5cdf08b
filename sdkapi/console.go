package sdkapi

import "time"

// Paths of the console. Browsers show its pages; only these pages use its routes.
const (
	ConsolePath      = "/console"       // path of the console's page; the files of the page are below this path
	ConsoleVisitPath = "/console/visit" // GET returns the signed-in visitor, POST signs in, DELETE signs out
	// GET lists the signed-in browsers. DELETE signs out the browser whose id follows the path.
	ConsoleVisitsPath = "/console/visits"
	// GET starts a sign-in at the OpenID provider. The provider then sends the browser to the path
	// /callback below this path.
	ConsoleOpenIDPath = "/console/openid"
	// name of a header that the console sends with every request; without it, the gateway ignores
	// the cookie
	ConsoleHeader = "X-Windie-Console"
)

// ConsoleEntry is the body of POST to ConsoleVisitPath. Exactly one field is set.
type ConsoleEntry struct {
	Code  string `json:"code,omitempty"`  // code of the link that the gateway's machine prints
	Token string `json:"token,omitempty"` // token of an install, or the operator's
}

// ConsoleVisit is the response of ConsoleVisitPath.
type ConsoleVisit struct {
	Mode    string        `json:"mode"`    // "local" or "hosted"
	Visit   *ConsoleGuest `json:"visit"`   // null if nobody is signed in
	Decides bool          `json:"decides"` // whether the visitor may approve and deny calls
	// display name of the OpenID provider; empty if there is none
	OpenID  string `json:"openid,omitempty"`
	Version string `json:"version"`
}

// ConsoleGuest is a signed-in browser.
type ConsoleGuest struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`              // person, operator, install, openid-operator or openid-user
	UserID    string    `json:"user_id,omitempty"` // user of the install, or the user whom the provider names
	Agent     string    `json:"agent"`             // the browser's User-Agent
	CreatedAt time.Time `json:"created_at"`
	SeenAt    time.Time `json:"seen_at"`
	ExpiresAt time.Time `json:"expires_at"`
	Here      bool      `json:"here"` // this browser sent the request
}

// ConsoleGuests is the response of ConsoleVisitsPath.
type ConsoleGuests struct {
	Visits []ConsoleGuest `json:"visits"` // newest first
}

// Root is the response that a program gets at the root path of a gateway.
type Root struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Console string `json:"console"`
	Docs    string `json:"docs"`
	OpenAPI string `json:"openapi"`
	Health  string `json:"health"`
}
