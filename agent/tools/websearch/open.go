package websearch

import (
	"cmp"
	"maps"
	"net/url"
	"slices"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// The kinds of servers.
const (
	SearxNG = "searxng" // a SearXNG server, or a compatible server
	Brave   = "brave"   // Brave's search API, or a compatible server
)

// Config configures a Provider.
type Config struct {
	// URL is the base URL of the server, for example http://127.0.0.1:8888. If it is empty and the kind has a default
	// URL, the default URL is used.
	URL    string
	Key    string        // API key; some kinds require it
	Limits egress.Limits // limits of requests to the server; a zero value means this package's default
}

// kind describes one kind of server.
type kind struct {
	preset string // its URL, if all servers have the same
	keyed  bool   // whether it needs a key
	header string // header for the key
	denied string // meaning of 401 and 403
	open   func(*server) Provider
}

var kinds = map[string]kind{
	SearxNG: {
		open:   func(s *server) Provider { return searxng{s} },
		denied: "does not return JSON: its operator must add json to search.formats in its settings.yml",
	},
	Brave: {
		open:   func(s *server) Provider { return brave{s} },
		preset: "https://api.search.brave.com", keyed: true, header: "X-Subscription-Token",
		denied: "refuses the gateway's key; check WINDIE_SEARCH_API_KEY",
	},
}

// Kinds returns the kinds, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Open returns a provider of a kind. It does not connect to the server. If a setting is invalid, it
// fails with VALIDATION_ERROR. The error names each invalid setting: "kind", "url" or "key".
func Open(of string, cfg Config) (Provider, error) {
	f := fault.New("websearch.Open", sdkapi.ValidationError, "the settings of web search are invalid; details.fields lists the problems")
	k, known := kinds[of]
	if !known {
		return nil, f.At("kind", "expected one of %v, not %q", Kinds(), of)
	}
	if k.keyed != (cfg.Key != "") {
		f = f.At("key", "expected %s", map[bool]string{true: "a key, which " + of + " requires", false: "no key: " + of + " uses none"}[k.keyed])
	}
	base, err := url.Parse(cmp.Or(cfg.URL, k.preset))
	if err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		f = f.At("url", "expected a URL such as http://127.0.0.1:8888, without user, query and fragment")
	}
	if len(f.Details.Fields) > 0 {
		return nil, f
	}
	// Requests may go only to this server, also after redirects. A URL from the operator may be
	// inside the operator's network.
	rule := egress.Rule{Host: base.Host, Schemes: []string{base.Scheme}, Methods: []string{"GET"}, Private: cfg.URL != ""}
	if k.keyed {
		rule.Secrets = []egress.Secret{{Name: "key", In: egress.Header, Key: k.header}}
	}
	out, err := egress.New(egress.Config{
		Rules:  []egress.Rule{rule},
		Limits: limits(cfg.Limits),
		Secret: func(string) (string, bool) { return cfg.Key, true },
	})
	if err != nil {
		return nil, f.At("url", "expected the URL of a reachable server: %s", fault.From(err).Details.Fields[0].Message).Because(err)
	}
	return k.open(&server{kind: of, denied: k.denied, base: base, out: out}), nil
}
