package oauth

import (
	"slices"
	"strings"
)

// The scopes: what a client may do at the MCP server.
const (
	ScopeScreens  = "screens"  // read screens: the tools that read pictures, and artifacts
	ScopeTools    = "tools"    // call the other tools
	ScopeRisky    = "risky"    // call tools that can change something, besides the scope of the tool's kind
	ScopeComputer = "computer" // see and use the gateway's computer
)

// maxScope is the maximum length of a list of scopes, in bytes.
const maxScope = 256

// AllScopes lists the scopes, in the order of their risk.
func AllScopes() []string { return []string{ScopeScreens, ScopeTools, ScopeRisky, ScopeComputer} }

// DefaultScopes are the scopes of a client that requests no scopes.
func DefaultScopes() Scopes { return Scopes{ScopeScreens, ScopeTools} }

// Scopes is a set of scopes in the order of AllScopes.
type Scopes []string

// ParseScopes parses the parameter scope of a request. It ignores offline_access, since every client
// gets a refresh token. It refuses scopes that do not exist. An empty text has no scopes.
func ParseScopes(text string) (Scopes, error) {
	if len(text) > maxScope {
		return nil, Refuse(InvalidScope, "scope is longer than %d bytes", maxScope)
	}
	names := strings.Fields(text)
	for _, name := range names {
		if name != "offline_access" && !slices.Contains(AllScopes(), name) {
			return nil, Refuse(InvalidScope, "unknown scope; expected some of: %s", strings.Join(AllScopes(), " "))
		}
	}
	return scopesIn(names), nil
}

// scopesIn returns the scopes that names has.
func scopesIn(names []string) (scopes Scopes) {
	for _, scope := range AllScopes() {
		if slices.Contains(names, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// String returns the scopes, separated by spaces.
func (s Scopes) String() string { return strings.Join(s, " ") }

// Has reports whether s has all the other scopes.
func (s Scopes) Has(others ...string) bool {
	return !slices.ContainsFunc(others, func(scope string) bool { return !slices.Contains(s, scope) })
}

// With returns s and the other scopes.
func (s Scopes) With(others ...string) Scopes {
	return scopesIn(slices.Concat(s, others))
}
