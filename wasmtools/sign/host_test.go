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
		"a dot":                    {"oci://plugins.example/*", "oci://plugins.example./a", true},
		"the port of the source":   {"oci://registry.example/*", "oci://registry.example:443/a", true},
		"the port of the rule":     {"oci://plugins.example:443/*", "oci://plugins.example/a", true},
		"another port":             {"oci://registry.example/*", "oci://registry.example:5000/a", false},
		"no port":                  {"oci://registry.example:5000/*", "oci://registry.example/a", false},
		"any port":                 {"oci://Registry.example:*", "oci://registry.example:443/a", true},
		"another host":             {"oci://registry.example/*", "oci://registry.example.org/a", false},
		"whatever begins so":       {"oci://Registry.example*", "oci://registry.example.org/a", true},
		"below, by a dot":          {"oci://registry.*", "oci://registry/a", false},
		"case of a path":           {"oci://registry.example/Tools/*", "oci://registry.example/tools/a", false},
		"case of a file":           {"file:///srv/*", "file:///SRV/a", false},
		"a sign that looks like k": {"oci://k.example/*", "oci://\u212A.example/a", false},
		"that sign in the rule":    {"oci://\u212A.example/*", "oci://k.example/a", false},
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
