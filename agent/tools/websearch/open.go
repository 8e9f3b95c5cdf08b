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
	SearxNG = "searxng" // and compatible servers
	Brave   = "brave"   // Brave's search API, and compatible servers
)

// Config configures a Provider.
type Config struct {
	URL    string        // base URL, for example http://127.0.0.1:8888; empty: the kind's own, if it has one
	Key    string        // required by some kinds
	Limits egress.Limits // zero values mean this package's defaults
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
		denied: "does not answer in JSON: its operator allows that by search.formats in its settings.yml",
	},
	Brave: {
		open:   func(s *server) Provider { return brave{s} },
		preset: "https://api.search.brave.com", keyed: true, header: "X-Subscription-Token",
		denied: "does not accept the gateway's key",
	},
}

// Kinds returns the kinds, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Open returns a provider of a kind. It fails with VALIDATION_ERROR, which names the invalid fields
// among "kind", "url" and "key". It does not connect.
func Open(of string, cfg Config) (Provider, error) {
	f := fault.New("websearch.Open", sdkapi.ValidationError, "the web cannot be searched like this; details.fields says why")
	k, known := kinds[of]
	if !known {
		return nil, f.At("kind", "expected one of %v, not %q", Kinds(), of)
	}
	if k.keyed != (cfg.Key != "") {
		f = f.At("key", "expected %s", map[bool]string{true: "a key, which " + of + " wants", false: "none, as " + of + " takes no key"}[k.keyed])
	}
	base, err := url.Parse(cmp.Or(cfg.URL, k.preset))
	if err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		f = f.At("url", "expected a URL as http://127.0.0.1:8888, without a user, a query or a fragment")
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
		return nil, f.At("url", "expected one that can be asked: %s", fault.From(err).Details.Fields[0].Message).Because(err)
	}
	return k.open(&server{kind: of, denied: k.denied, base: base, out: out}), nil
}
