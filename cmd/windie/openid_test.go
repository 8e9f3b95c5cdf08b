package main

import (
	"strings"
	"testing"

	"github.com/windieos/windie/state/identity/openid/openidtest"
)

// The settings of the OpenID provider are refused where they would let in nobody, or somebody whom they do not name.
func TestOpenIDSettings(t *testing.T) {
	t.Parallel()
	all := []string{"WINDIE_PUBLIC_URL=https://windie.example", "WINDIE_OIDC_ISSUER=https://login.example", "WINDIE_OIDC_CLIENT_ID=windie", "WINDIE_OIDC_CLIENT_SECRET=secret", "WINDIE_OIDC_OPERATORS=ops"}
	for name, tt := range map[string]struct {
		change []string
		wants  string // empty: the settings are right
	}{
		"as they should be":                {nil, ""},
		"a provider on this machine":       {[]string{"WINDIE_OIDC_ISSUER=http://127.0.0.1:9000"}, ""},
		"users of a hosted gateway":        {[]string{"WINDIE_MODE=hosted", "WINDIE_OIDC_OPERATORS=", "WINDIE_OIDC_USER_CLAIM=sub"}, ""},
		"users of a local gateway":         {[]string{"WINDIE_OIDC_USER_CLAIM=sub"}, "oidc.user_claim (WINDIE_OIDC_USER_CLAIM): is for hosted mode"},
		"a provider that others listen to": {[]string{"WINDIE_OIDC_ISSUER=http://login.example"}, "may only name this machine"},
		"no URL":                           {[]string{"WINDIE_OIDC_ISSUER=login.example"}, "is not a URL such as https://login.example.com"},
		"a URL with a password":            {[]string{"WINDIE_OIDC_ISSUER=https://a:b@login.example"}, "is not a URL such as https://login.example.com"},
		"no secret":                        {[]string{"WINDIE_OIDC_CLIENT_SECRET="}, "WINDIE_OIDC_CLIENT_SECRET): are needed"},
		"no client":                        {[]string{"WINDIE_OIDC_CLIENT_ID="}, "WINDIE_OIDC_CLIENT_SECRET): are needed"},
		"no public URL":                    {[]string{"WINDIE_PUBLIC_URL="}, "public_url (WINDIE_PUBLIC_URL): is needed with oidc.issuer"},
		"nobody":                           {[]string{"WINDIE_OIDC_OPERATORS="}, "without both nobody comes in"},
		"no claim":                         {[]string{"WINDIE_OIDC_OPERATOR_CLAIM="}, ""}, // the default
		"no issuer":                        {[]string{"WINDIE_OIDC_ISSUER="}, "oidc.issuer (WINDIE_OIDC_ISSUER): is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := loadWith(t, nil, append(all[:len(all):len(all)], tt.change...), "")
			if tt.wants == "" && err != nil || tt.wants != "" && (err == nil || !strings.Contains(err.Error(), tt.wants)) {
				t.Errorf("%v; expected %q", err, tt.wants)
			}
			if tt.wants == "" && (c.openID() == nil || c.openID().Proof() == "") {
				t.Error("there is no provider")
			}
		})
	}
}

// The doctor asks the provider.
func TestDoctorAsksTheProvider(t *testing.T) {
	t.Parallel()
	provider := openidtest.New(t)
	for url, fine := range map[string]bool{provider.URL: true, "http://127.0.0.1:1": false} {
		t.Run(url, func(t *testing.T) {
			c, err := loadWith(t, nil, []string{"WINDIE_PUBLIC_URL=http://127.0.0.1:2", "WINDIE_OIDC_ISSUER=" + url, "WINDIE_OIDC_CLIENT_ID=windie", "WINDIE_OIDC_CLIENT_SECRET=secret", "WINDIE_OIDC_OPERATORS=ops"}, "")
			if err != nil {
				t.Fatal(err)
			}
			if said, err := c.checkProvider(t.Context()); (err == nil) != fine || !strings.Contains(said, strings.TrimPrefix(url, "http://")) {
				t.Errorf("%q, %v", said, err)
			}
		})
	}
	if said, err := (&config{}).checkProvider(t.Context()); err != nil || !strings.Contains(said, "disabled") {
		t.Errorf("without a provider: %q, %v", said, err)
	}
}
