package sdkapi

import "time"

// Paths of the console. Its pages are for browsers; these routes are for its pages alone.
const (
	ConsolePath       = "/console"         // the page; its files are below
	ConsoleVisitPath  = "/console/visit"   // GET, POST, DELETE: the visitor; come in; leave
	ConsoleVisitsPath = "/console/visits"  // GET; DELETE with an id below: the browsers that are let in
	ConsoleOpenIDPath = "/console/openid"  // GET: begin to sign in at the OpenID provider; /callback below: come back from there
	ConsoleHeader     = "X-Windie-Console" // what the console's own requests have: without it a cookie does not count
)

// ConsoleEntry is the body of ConsoleVisitPath to POST. It has one of its fields.
type ConsoleEntry struct {
	Code  string `json:"code,omitempty"`  // of the link that the gateway's machine prints
	Token string `json:"token,omitempty"` // of an install, or the operator's
}

// ConsoleVisit is the answer of ConsoleVisitPath.
type ConsoleVisit struct {
	Mode    string        `json:"mode"`             // local or hosted
	Visit   *ConsoleGuest `json:"visit"`            // null: nobody is signed in
	Decides bool          `json:"decides"`          // whether the visitor may say yes or no to calls
	OpenID  string        `json:"openid,omitempty"` // what people call the OpenID provider at which they may sign in; empty: there is none
	Version string        `json:"version"`
}

// ConsoleGuest is a browser that is let in.
type ConsoleGuest struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`              // person, operator, install, openid-operator or openid-user
	UserID    string    `json:"user_id,omitempty"` // of an install, or whom the provider knows
	Agent     string    `json:"agent"`             // what the browser calls itself
	CreatedAt time.Time `json:"created_at"`
	SeenAt    time.Time `json:"seen_at"`
	ExpiresAt time.Time `json:"expires_at"`
	Here      bool      `json:"here"` // it is the one that asks
}

// ConsoleGuests is the answer of ConsoleVisitsPath.
type ConsoleGuests struct {
	Visits []ConsoleGuest `json:"visits"` // the newest first
}

// Root is what a program gets at the root of a gateway.
type Root struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Console string `json:"console"`
	Docs    string `json:"docs"`
	OpenAPI string `json:"openapi"`
	Health  string `json:"health"`
}
