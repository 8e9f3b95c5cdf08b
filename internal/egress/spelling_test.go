package egress_test

import (
	"testing"

	"github.com/windieos/windie/internal/egress"
)

func TestSpelled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://Example.COM/A/b":       "https://example.com/A/b",
		"https://example.com./a":        "https://example.com/a",
		"https://example.com:443/a":     "https://example.com/a",
		"https://Example.com.:443/":     "https://example.com/",
		"https://example.com:80/":       "https://example.com:80/",
		"http://example.com:80/":        "http://example.com/",
		"http://example.com:443/":       "http://example.com:443/",
		"oci://Registry.Example:443/a":  "oci://registry.example/a",
		"oci://registry.example:5000/a": "oci://registry.example:5000/a",
		"https://[::1]:443/":            "https://[::1]/",
		"https://[0:0::1]:8443/":        "https://[::1]:8443/",
		// A host may go on where no slash ends it.
		"https://Example.":    "https://example.",
		"https://Example:443": "https://example:443",
		"oci://Reg*":          "oci://reg*",
		// These are not taken for others.
		"https://\u212Aexample.com/":   "https://\u212Aexample.com/", // the sign for kelvin
		"https://\u212Aexample.":       "https://\u212Aexample.",
		"https://B\u00dccher.example/": "https://B\u00dccher.example/",
		"https://1\u3002example/":      "https://1\u3002example/", // a full stop to some
		"https://0x7F.1/":              "https://0x7F.1/",
		"https://Ada@Example.com/":     "https://Ada@Example.com/",
		"https://Example.com:/":        "https://Example.com:/",
		"https://Example.com:99999/":   "https://Example.com:99999/",
		"https://Example.com../":       "https://Example.com../",
		"file:///Example.COM/A":        "file:///Example.COM/A",
		"HTTPS://Example.COM/A":        "HTTPS://Example.COM/A",
		"/srv/Example.COM":             "/srv/Example.COM",
		"":                             "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := egress.Spelled(text); got != want || egress.Spelled(want) != want {
				t.Errorf("%q, and again %q; want %q", got, egress.Spelled(want), want)
			}
		})
	}
}

func TestSameHost(t *testing.T) {
	t.Parallel()
	rule := func(host string, schemes ...string) egress.Rule { return egress.Rule{Host: host, Schemes: schemes} }
	for name, tt := range map[string]struct {
		a, b egress.Rule
		want bool
	}{
		"case":                 {rule("API.Example.com"), rule("api.example.com"), true},
		"a dot":                {rule("api.example.com."), rule("api.example.com"), true},
		"the port":             {rule("api.example.com:443"), rule("api.example.com"), true},
		"that of http":         {rule("api.example.com:80", "http"), rule("api.example.com", "HTTP"), true},
		"of the other scheme":  {rule("api.example.com:80"), rule("api.example.com"), false},
		"of one of two":        {rule("api.example.com:443", "https", "http"), rule("api.example.com", "https", "http"), false},
		"another port":         {rule("api.example.com:8443"), rule("api.example.com"), false},
		"another host":         {rule("api.example.com"), rule("example.com"), false},
		"all below":            {rule("*.Example.com"), rule("*.example.com"), true},
		"one below":            {rule("*.example.com"), rule("a.example.com"), false},
		"all":                  {rule("*"), rule("*"), true},
		"all, and one":         {rule("*"), rule("example.com"), false},
		"an address":           {rule("::1"), rule("[0::1]"), true},
		"unreadable, the same": {rule("\u212A.example"), rule("\u212A.example"), true},
		"unreadable, and k":    {rule("\u212A.example"), rule("k.example"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := egress.SameHost(tt.a, tt.b); got != tt.want || egress.SameHost(tt.b, tt.a) != tt.want {
				t.Errorf("%v", got)
			}
		})
	}
}
