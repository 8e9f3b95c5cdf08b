package shelf_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/shelf"
)

// A newer version under another tag than the one that is followed is found, by its number.
func TestNewer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		manifest string // its version; "" for none
		tag      string // that it was added by
		others   string
		want     string
	}{
		"another tag":                       {"0.1.0", "0.1.0", "0.2.0 0.10.0 0.9.0", "0.10.0"},
		"no other tag":                      {"0.1.0", "0.1.0", "", ""},
		"only older ones":                   {"1.2.0", "1.2.0", "1.1.0 v1.0", ""},
		"behind a tag that moves":           {"0.1.0", "stable", "0.2.0", "0.2.0"},
		"with a v":                          {"0.1.0", "v0.1.0", "v0.2.0", "v0.2.0"},
		"two numbers":                       {"1.2.0", "1.2", "1.3", "1.3"},
		"before a release":                  {"0.1.0", "0.1.0", "0.2.0-rc.1", ""},
		"before a release, and here too":    {"0.2.0-rc.1", "0.2.0-rc.1", "0.2.0-rc.2", "0.2.0-rc.2"},
		"the manifest has no number":        {"", "0.1.0", "0.2.0", "0.2.0"},
		"the manifest has an old one":       {"0.0.1", "0.2.0", "0.1.0", ""},
		"nothing here has a number":         {"", "stable", "0.2.0", ""},
		"a number alone, a day, a commit":   {"1.2.0", "1.2.0", "2 20260101 1234567 latest", ""},
		"what is no reference is no answer": {"0.1.0", "0.1.0", "0.2.0+x 0.3.0-" + strings.Repeat("a", 200), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			manifest := `{"name":"repeat"}`
			if tt.manifest != "" {
				manifest = `{"name":"repeat","version":"` + tt.manifest + `"}`
			}
			m.mustAdd(shelf.Request{Reference: m.push("tools/a:"+tt.tag, pkg(manifest))})
			m.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if r.URL.Path != "/v2/tools/a/tags/list" {
					next.ServeHTTP(w, r)
					return
				}
				tags := append(strings.Fields(tt.others), tt.tag)
				_, _ = w.Write([]byte(`{"name":"tools/a","tags":["` + strings.Join(tags, `","`) + `"]}`))
			})
			reference := ""
			if tt.want != "" {
				reference = m.oci("tools/a:" + tt.want)
			}
			if tag, at, err := m.shelf().Newer(t.Context(), "repeat"); err != nil || tag != tt.want || at != reference {
				t.Errorf("newer is %q at %q, %v; want %q", tag, at, err, tt.want)
			}
		})
	}
}
