package sign_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/wasmtools/sign"
)

// TestOpenRefuses opens releases that are not whole, or not of their key.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	_, key, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	release, signature := sign.Sign(key, sign.Release{Name: "weather", Version: "1.0.0", Files: map[string]string{"module": "aa", "manifest": "bb"}})
	files := map[string]string{"module": "aa", "manifest": "bb"}
	if _, err := sign.Open(release, signature, files); err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(release), `"1.0.0"`, `"1.0.1"`, 1)
	newer := strings.Replace(string(release), `"v":1`, `"v":2`, 1)
	keyless := strings.Replace(string(release), sign.Public(key), "nobody", 1)
	for _, tt := range []struct {
		name, release string
		files         map[string]string
		want          string
	}{
		{"changed", other, files, "the content was changed, or another key signed it"},
		{"of a newer form", newer, files, "has the format 2, and this program supports format 1"},
		{"without a key", keyless, files, `invalid minisign public key "nobody"`},
		{"with an exchanged file", string(release), map[string]string{"module": "cc", "manifest": "bb"}, "the plugin's module differs from the signed content"},
		{"without a file", string(release), map[string]string{"module": "aa"}, "lacks the signed file manifest, module"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := sign.Open([]byte(tt.release), signature, tt.files); err == nil || !strings.Contains(fault.From(err).Message, tt.want) {
				t.Errorf("%v; want %q", err, tt.want)
			}
		})
	}
}
