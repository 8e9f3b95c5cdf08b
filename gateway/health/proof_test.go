package health_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A gateway with a key proves its identity to a caller whose challenge has 16 to 64 characters.
func TestProof(t *testing.T) {
	t.Parallel()
	const key = "the key of approvals"
	keyed := doorstest.Working()
	keyed.ApprovalKey = key
	with, without := gatewaytest.Start(t, keyed), gatewaytest.Start(t, doorstest.Working())
	for name, tt := range map[string]struct {
		url, challenge string
		proves         bool
	}{
		"the shortest challenge": {with, strings.Repeat("a", 16), true},
		"the longest challenge":  {with, strings.Repeat("Z", 64), true},
		"no challenge":           {with, "", false},
		"a shorter one":          {with, strings.Repeat("a", 15), false},
		"a longer one":           {with, strings.Repeat("a", 65), false},
		"another character":      {with, strings.Repeat("a", 16) + ".", false},
		"a gateway without key":  {without, strings.Repeat("a", 16), false},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			port, _ := strconv.Atoi(at.Port())
			resp, err := doorstest.Asks(t.Context(), http.MethodGet, tt.url+sdkapi.HealthPath, "", sdkapi.ChallengeHeader, tt.challenge)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			want := ""
			if tt.proves {
				want = sdkapi.Proof(key, tt.challenge, port)
			}
			if got := resp.Header.Get(sdkapi.ProofHeader); got != want {
				t.Errorf("the proof is %q, want %q", got, want)
			}
		})
	}
}
