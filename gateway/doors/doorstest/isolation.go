package doorstest

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/state/identity"
)

// OperatorsToken is the operator's token in the configuration that Hosted returns.
const OperatorsToken = "a token that nobody guesses"

// Hosted returns the configuration of a hosted gateway that has all parts, and the gateway's identities.
func Hosted(t *testing.T) (gateway.App, *identity.Identity) {
	t.Helper()
	cfg := WithPlugins(t)
	talking, _ := Scripted(t)
	cfg.Sessions, cfg.Journal, cfg.Models = talking.Sessions, talking.Journal, talking.Models
	cfg.Audit = gatewaytest.Audit(t)
	cfg.Memory, cfg.Embeddings, cfg.Digests = gatewaytest.Memory(t, memory.Options{}), CountingService(), new(digest.Digester)
	cfg.Identity, cfg.Hosted, cfg.OperatorToken = gatewaytest.Identity(t), true, OperatorsToken
	return cfg, cfg.Identity
}

// Registered registers an install. It returns the install and its token.
func Registered(t *testing.T, ids *identity.Identity) (identity.Install, string) {
	t.Helper()
	install, token, err := ids.Register(t.Context(), "Windows")
	if err != nil {
		t.Fatal(err)
	}
	return install, token
}

// Route is an operation in the API document.
type Route struct {
	Method, Path string
	Asks         []string // names of the security schemes that the route requires
}

// String returns the method and the path, separated by a space.
func (r Route) String() string { return r.Method + " " + r.Path }

// RoutesOf returns the operations in a gateway's API document, in random order. The test fails if an operation
// documents the status 401 without a security scheme, or has a security scheme without the status 401.
func RoutesOf(t *testing.T, url string) []Route {
	t.Helper()
	_, body := Get(t, url+"/openapi.json")
	var doc struct {
		Paths map[string]map[string]struct {
			Security []map[string][]string
			Statuses []int `json:"x-statuses"`
		}
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	var routes []Route
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			r := Route{Method: strings.ToUpper(method), Path: path}
			for _, scheme := range operation.Security {
				r.Asks = append(r.Asks, slices.Sorted(maps.Keys(scheme))...)
			}
			asksWho := len(r.Asks) > 0 && !slices.Equal(r.Asks, []string{"key"}) // without the key of runs: 403
			if told := slices.Contains(operation.Statuses, http.StatusUnauthorized); told != asksWho {
				t.Errorf("%s asks for %v, and documents a 401: %v", r, r.Asks, told)
			}
			routes = append(routes, r)
		}
	}
	return routes
}

// PathParameter matches a parameter in the path of a route, such as {id}.
var PathParameter = regexp.MustCompile(`\{[^}]+\}`)
