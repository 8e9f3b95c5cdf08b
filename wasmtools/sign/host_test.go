package sign_test

import (
	"testing"

	"github.com/windieos/windie/wasmtools/sign"
)

// A rule is for its host however that is written, and for no other.
func TestRulesAndHosts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rule, source string
		want         bool
	}{
		"case of the source":       {"oci://registry.example/*", "oci://Registry.EXAMPLE/a", true},
		"case of the rule":         {"oci://Registry.EXAMPLE/*", "oci://registry.example/a", true},
		"a dot":                    {"https://plugins.example/*", "https://plugins.example./a.wasm", true},
		"the port of the source":   {"oci://registry.example/*", "oci://registry.example:443/a", true},
		"the port of the rule":     {"https://plugins.example:443/*", "https://plugins.example/a.wasm", true},
		"that of http":             {"http://plugins.example/*", "http://plugins.example:80/a.wasm", true},
		"another port":             {"oci://registry.example/*", "oci://registry.example:5000/a", false},
		"no port":                  {"oci://registry.example:5000/*", "oci://registry.example/a", false},
		"any port":                 {"oci://Registry.example:*", "oci://registry.example:443/a", true},
		"another host":             {"oci://registry.example/*", "oci://registry.example.org/a", false},
		"whatever begins so":       {"oci://Registry.example*", "oci://registry.example.org/a", true},
		"below, by a dot":          {"oci://registry.*", "oci://registry/a", false},
		"case of a path":           {"oci://registry.example/Tools/*", "oci://registry.example/tools/a", false},
		"case of a file":           {"file:///srv/*", "file:///SRV/a", false},
		"a sign that looks like k": {"https://k.example/*", "https://\u212A.example/a.wasm", false},
		"that sign in the rule":    {"https://\u212A.example/*", "https://k.example/a.wasm", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sign.Policy{Rules: []sign.Rule{{Source: tt.rule, Signature: sign.Required}}}
			if got := p.For(tt.source).Signature == sign.Required; got != tt.want {
				t.Errorf("%v", got)
			}
		})
	}
}
