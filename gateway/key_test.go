package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/sdkapi"
)

// testKey is the key of gateways of tests.
const testKey = "0f0e0d0c0b0a09080706050403020100f0e0d0c0b0a090807060504030201000"

// askKeyed is what a program of a person's asks, which brings the key.
func askKeyed(t *testing.T, method, url, user, body string) (status int, answer string) {
	t.Helper()
	return askWith(t, method, url, body, sdkapi.UserHeader, user, sdkapi.KeyHeader, testKey)
}

// askWith sends a request with these headers, in pairs.
func askWith(t *testing.T, method, url, body string, header ...string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(read)
}

// Locally, decisions are for who brings the key: without it they are neither
// seen nor made, whatever else a request says, and the refusal tells of no way
// that a program could take.
func TestDecisionsAskForTheKey(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Journal: memoryJournal(t), ApprovalKey: testKey})
	keyless := gatewaytest.Start(t, gateway.Config{Store: new(storetest.Memory), Journal: memoryJournal(t)})
	for _, route := range []struct{ method, path, body string }{
		{http.MethodGet, "", ""},
		{http.MethodGet, "/approval_0", ""},
		{http.MethodPost, "/approval_0", `{"approved":true}`},
		{http.MethodPost, "/approval_0", `{"approved":false}`},
		{http.MethodPost, "/approval_0", `not JSON`},
	} {
		for name, brought := range map[string]struct{ url, header, value string }{
			"nothing":            {url, "X-Nothing", ""},
			"another key":        {url, sdkapi.KeyHeader, strings.Repeat("0", len(testKey))},
			"part of the key":    {url, sdkapi.KeyHeader, testKey[:len(testKey)-1]},
			"the key as a token": {url, "Authorization", "Bearer " + testKey},
			"no key, of none":    {keyless, sdkapi.KeyHeader, ""},
			"a key, of none":     {keyless, sdkapi.KeyHeader, testKey},
		} {
			t.Run(route.method+route.path+" with "+name, func(t *testing.T) {
				status, answer := askWith(t, route.method, brought.url+sdkapi.DecisionsPath+route.path, route.body, brought.header, brought.value)
				if status != http.StatusForbidden || !strings.Contains(answer, `"KEY_REQUIRED"`) || !strings.Contains(answer, "windie approvals") {
					t.Errorf("%d %s", status, answer)
				}
				for _, way := range []string{testKey, sdkapi.KeyHeader, "approval.key", "header", url} {
					if strings.Contains(strings.ToLower(answer), strings.ToLower(way)) {
						t.Errorf("the refusal tells a program of %q: %s", way, answer)
					}
				}
			})
		}
	}
	if status, answer := askKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, "ada", ""); status != http.StatusOK || strings.TrimSpace(answer) != `{"decisions":[]}` {
		t.Errorf("with the key: %d %s", status, answer)
	}
}

// In hosted mode the user's token is what the key is locally.
func TestDecisionsOfAHostedGateway(t *testing.T) {
	t.Parallel()
	ids := gatewaytest.Identity(t)
	url := gatewaytest.Start(t, gateway.Config{Journal: memoryJournal(t), Hosted: true, Identity: ids})
	install, token, err := ids.Register(t.Context(), "Linux")
	if err != nil {
		t.Fatal(err)
	}
	status, answer := askWith(t, http.MethodGet, url+sdkapi.DecisionsPath, "", "Authorization", "Bearer "+token, sdkapi.UserHeader, install.User)
	if status != http.StatusOK {
		t.Errorf("with a token: %d %s", status, answer)
	}
	if status, answer := askKeyed(t, http.MethodGet, url+sdkapi.DecisionsPath, install.User, ""); status != http.StatusUnauthorized {
		t.Errorf("with a key and no token: %d %s", status, answer)
	}
}
