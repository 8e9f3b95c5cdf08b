package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/windieos/windie/state/identity"
)

func TestOAuthSettings(t *testing.T) {
	t.Parallel()
	all := []string{"WINDIE_MODE=hosted", "WINDIE_PUBLIC_URL=https://windie.example", "WINDIE_OAUTH_ISSUER=https://login.example", "WINDIE_OAUTH_AUDIENCE=https://windie.example/mcp"}
	for name, tt := range map[string]struct {
		change []string
		want   string // part of the error; empty for none
	}{
		"all":               {nil, ""},
		"no audience":       {[]string{"WINDIE_OAUTH_AUDIENCE="}, "are needed together"},
		"no issuer":         {[]string{"WINDIE_OAUTH_ISSUER="}, "are needed together"},
		"plain HTTP":        {[]string{"WINDIE_OAUTH_ISSUER=http://login.example"}, "may only name this machine"},
		"no public URL":     {[]string{"WINDIE_PUBLIC_URL="}, "public_url (WINDIE_PUBLIC_URL): is needed with oauth.issuer"},
		"a local gateway":   {[]string{"WINDIE_MODE=local"}, "is for hosted mode"},
		"the gateway's own": {[]string{"WINDIE_OAUTH_ISSUER=", "WINDIE_OAUTH_AUDIENCE="}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := loadWith(t, nil, append(all, tt.change...), "")
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v; expected %q", err, tt.want)
			}
		})
	}
}

// People can connect MCP clients only where nobody else can read the tokens.
func TestOAuthNeedsHTTPS(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		environ     []string
		want        bool
		noDocuments bool
	}{
		"HTTPS":               {[]string{"WINDIE_MODE=hosted", "WINDIE_PUBLIC_URL=https://windie.example/"}, true, false},
		"this machine":        {[]string{"WINDIE_MODE=hosted", "WINDIE_PUBLIC_URL=http://127.0.0.1:8765"}, true, false},
		"no documents":        {[]string{"WINDIE_MODE=hosted", "WINDIE_PUBLIC_URL=https://windie.example", "WINDIE_OAUTH_CLIENT_DOCUMENTS=false"}, true, true},
		"plain HTTP":          {[]string{"WINDIE_MODE=hosted", "WINDIE_PUBLIC_URL=http://windie.example"}, false, false},
		"no public URL":       {[]string{"WINDIE_MODE=hosted"}, false, false},
		"local":               {[]string{"WINDIE_PUBLIC_URL=https://windie.example"}, false, false},
		"tokens of an issuer": {[]string{"WINDIE_MODE=hosted", "WINDIE_PUBLIC_URL=https://windie.example", "WINDIE_OAUTH_ISSUER=https://login.example", "WINDIE_OAUTH_AUDIENCE=x"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := loadWith(t, nil, append(tt.environ, "WINDIE_DATA_DIR="+t.TempDir()), "")
			if err != nil {
				t.Fatal(err)
			}
			if err := c.makeDirs(); err != nil {
				t.Fatal(err)
			}
			kept, err := openState(t.Context(), c, slog.New(slog.DiscardHandler), asMain)
			if err != nil {
				t.Fatal(err)
			}
			defer kept.close()
			store := c.oauth(kept.db, identity.Open(kept.db))
			if (store != nil) != tt.want || store != nil && (store.Resource != store.Issuer+"/mcp" || store.NoDocuments != tt.noDocuments) {
				t.Errorf("%+v", store)
			}
		})
	}
}
