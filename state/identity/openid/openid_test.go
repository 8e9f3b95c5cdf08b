package openid_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/openid"
	"github.com/windieos/windie/state/identity/openid/openidtest"
)

const redirect = "http://127.0.0.1:1/console/openid/callback"

// back follows a sign-in to the provider, and returns the query with which it leads back.
func back(t *testing.T, goTo string) url.Values {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, goTo, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	at, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(at.String(), redirect) {
		t.Fatalf("the provider leads to %v, %v", at, err)
	}
	return at.Query()
}

// signIn signs a person in.
func signIn(t *testing.T, p *openid.Provider, to string) (openid.Person, string, error) {
	t.Helper()
	goTo, flow, err := p.Begin(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	return p.Finish(t.Context(), flow, back(t, goTo))
}

// The settings decide whom the gateway lets in, and as whom; nobody else comes in.
func TestWhoComesIn(t *testing.T) {
	t.Parallel()
	provider := openidtest.New(t)
	for name, tt := range map[string]struct {
		claims map[string]any
		change func(*openid.Config)
		want   openid.Person
		code   sdkapi.Code
	}{
		"an operator":                        {map[string]any{"groups": []string{"staff", "ops"}}, nil, openid.Person{Operator: true, Subject: "ada"}, ""},
		"an operator of one group":           {map[string]any{"groups": "ops"}, nil, openid.Person{Operator: true, Subject: "ada"}, ""},
		"a user":                             {map[string]any{"windie_user": "user_a"}, nil, openid.Person{User: "user_a", Subject: "ada"}, ""},
		"an operator before a user":          {map[string]any{"groups": "ops", "windie_user": "user_a"}, nil, openid.Person{Operator: true, Subject: "ada"}, ""},
		"nobody":                             {nil, nil, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"another group":                      {map[string]any{"groups": []string{"op", "opsy", "OPS"}}, nil, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"groups that are no texts":           {map[string]any{"groups": []any{1, nil, map[string]any{"ops": true}}}, nil, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"two users":                          {map[string]any{"windie_user": []string{"user_a", "user_b"}}, nil, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"an empty user":                      {map[string]any{"windie_user": ""}, nil, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"no operators are named":             {map[string]any{"groups": "ops"}, func(c *openid.Config) { c.Operators = nil }, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"an empty group is none":             {map[string]any{"groups": ""}, func(c *openid.Config) { c.Operators = []string{""} }, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"no claim for users":                 {map[string]any{"windie_user": "user_a"}, func(c *openid.Config) { c.UserClaim = "" }, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"a claim in an object":               {map[string]any{"realm_access": map[string]any{"roles": []string{"ops"}}}, func(c *openid.Config) { c.OperatorClaim = "realm_access.roles" }, openid.Person{Operator: true, Subject: "ada"}, ""},
		"a claim whose name has a dot":       {map[string]any{"https://example.com/groups": "ops"}, func(c *openid.Config) { c.OperatorClaim = "https://example.com/groups" }, openid.Person{Operator: true, Subject: "ada"}, ""},
		"an email that was verified":         {map[string]any{"email": "ops", "email_verified": true}, func(c *openid.Config) { c.OperatorClaim = "email" }, openid.Person{Operator: true, Subject: "ada"}, ""},
		"an email that was not verified":     {map[string]any{"email": "ops", "email_verified": false}, func(c *openid.Config) { c.OperatorClaim = "email" }, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
		"an email of which nothing is known": {map[string]any{"email": "ops"}, func(c *openid.Config) { c.OperatorClaim = "email" }, openid.Person{Subject: "ada"}, sdkapi.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := provider.Config(redirect)
			if tt.change != nil {
				tt.change(&cfg)
			}
			provider.Is(tt.claims)
			person, to, err := signIn(t, openid.New(cfg), "gateway/health")
			if person != tt.want || fault.CodeOf(err) != tt.code || err == nil && to != "gateway/health" {
				t.Errorf("%+v to %q, %v; expected %+v, %s", person, to, err, tt.want, tt.code)
			}
		})
	}
}

// What a provider must not say, or somebody else says in its place, lets nobody in.
func TestTokensAreChecked(t *testing.T) {
	t.Parallel()
	provider := openidtest.New(t)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string, value any) func(map[string]any) {
		return func(claims map[string]any) { claims[name] = value }
	}
	for name, tt := range map[string]struct {
		lie   func(map[string]any)
		signs func([]byte) string
		sends url.Values
		in    bool
	}{
		"as it should be":                        {nil, nil, nil, true},
		"another nonce":                          {set("nonce", "another"), nil, nil, false},
		"no nonce":                               {func(c map[string]any) { delete(c, "nonce") }, nil, nil, false},
		"another audience":                       {set("aud", "another"), nil, nil, false},
		"no audience":                            {func(c map[string]any) { delete(c, "aud") }, nil, nil, false},
		"another client of several":              {func(c map[string]any) { c["aud"], c["azp"] = []string{"windie", "another"}, "another" }, nil, nil, false},
		"several clients, of which none is said": {set("aud", []string{"windie", "another"}), nil, nil, false},
		"this client of several":                 {func(c map[string]any) { c["aud"], c["azp"] = []string{"windie", "another"}, "windie" }, nil, nil, true},
		"another issuer":                         {set("iss", "http://evil.example"), nil, nil, false},
		"expired":                                {set("exp", time.Now().Add(-time.Second).Unix()), nil, nil, false},
		"without an end":                         {func(c map[string]any) { delete(c, "exp") }, nil, nil, false},
		"not yet":                                {set("nbf", time.Now().Add(time.Hour).Unix()), nil, nil, false},
		"nobody":                                 {func(c map[string]any) { delete(c, "sub") }, nil, nil, false},
		"an empty subject":                       {set("sub", ""), nil, nil, false},
		"another access token":                   {set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), nil, nil, false},
		"unsigned":                               {nil, openidtest.Unsigned, nil, false},
		"signed by another key":                  {nil, func(raw []byte) string { return openidtest.Sign(jose.ES256, other, raw) }, nil, false},
		"signed with the client's secret": {nil, func(raw []byte) string {
			return openidtest.Sign(jose.HS256, []byte(openidtest.Secret+strings.Repeat(" ", 32)), raw)
		}, nil, false},
		"no token":                        {nil, func([]byte) string { return "" }, nil, false},
		"sent back with another state":    {nil, nil, url.Values{"state": {"another"}}, false},
		"sent back without a state":       {nil, nil, url.Values{"state": {""}}, false},
		"sent back by another provider":   {nil, nil, url.Values{"iss": {"http://evil.example"}}, false},
		"sent back by nobody who says so": {nil, nil, url.Values{"iss": nil}, false},
		"sent back with another code":     {nil, nil, url.Values{"code": {"another"}}, false},
		"refused by the provider":         {nil, nil, url.Values{"error": {"access_denied"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			provider.Lies(map[string]any{"groups": "ops"}, tt.lie, tt.signs, tt.sends)
			person, _, err := signIn(t, openid.New(provider.Config(redirect)), "")
			if tt.in && err != nil || !tt.in && (fault.CodeOf(err) != sdkapi.AuthRequired || person != openid.Person{}) {
				t.Errorf("%+v, %v; expected to come in: %v", person, err, tt.in)
			}
		})
	}
}

// A flow is its browser's, is good for one sign-in, and is read by this gateway alone.
func TestFlows(t *testing.T) {
	t.Parallel()
	provider := openidtest.New(t)
	provider.Is(map[string]any{"groups": "ops"})
	p := openid.New(provider.Config(redirect))
	goTo, flow, err := p.Begin(t.Context(), strings.Repeat("x", 201))
	if err != nil {
		t.Fatal(err)
	}
	query := back(t, goTo)
	_, otherFlow, err := p.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	cfg := provider.Config(redirect)
	cfg.ClientSecret = "another secret"
	for name, tt := range map[string]struct {
		p    *openid.Provider
		flow string
	}{
		"none": {p, ""}, "of another browser": {p, otherFlow}, "changed": {p, string(flow[0]^1) + flow[1:]}, "no flow": {p, "AAAA"}, "too long": {p, flow + strings.Repeat("A", 2<<10)},
		"at a gateway with another secret": {openid.New(cfg), flow},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := tt.p.Finish(t.Context(), tt.flow, query); fault.CodeOf(err) != sdkapi.AuthRequired {
				t.Error(err)
			}
		})
	}
	if person, to, err := p.Finish(t.Context(), flow, query); err != nil || !person.Operator || to != "" {
		t.Errorf("%+v to %q, %v", person, to, err)
	}
	if _, _, err := p.Finish(t.Context(), flow, query); fault.CodeOf(err) != sdkapi.AuthRequired {
		t.Errorf("the code again: %v", err)
	}
}

// A flow ends after FlowAge, whatever the browser keeps.
func TestFlowsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := openid.New(openid.Config{Issuer: "http://127.0.0.1:1", ClientSecret: "secret"})
		for after, open := range map[time.Duration]bool{openid.FlowAge - 1: true, openid.FlowAge: false} {
			flow := openid.SealForTest(p)
			time.Sleep(after)
			if _, _, err := p.Finish(t.Context(), flow, url.Values{}); strings.Contains(err.Error(), "no sign-in began") == open {
				t.Errorf("after %v: %v", after, err)
			}
		}
	})
}

// A provider that does not answer as one, or with too much, is no reason to let anybody in.
func TestProvidersThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"of another issuer": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"issuer":"http://evil.example"}`))
		},
		"an error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/elsewhere" {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
				return
			}
			_, _ = w.Write([]byte(`{"issuer":"http://` + r.Host + `"}`)) // where the issuer's own document could lead
		},
		"too much": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"issuer":"http://` + r.Host + `"` + strings.Repeat(" ", 1<<20) + `}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			p := openid.New(openid.Config{Issuer: server.URL, ClientID: "windie", ClientSecret: "secret", Redirect: redirect})
			if _, _, err := p.Begin(t.Context(), ""); fault.CodeOf(err) != sdkapi.FeatureUnavailable {
				t.Error(err)
			}
		})
	}
}

// Each setting that decides who comes in changes the proof, by which visits end.
func TestProof(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, change := range map[string]func(*openid.Config){
		"as it is": func(*openid.Config) {}, "issuer": func(c *openid.Config) { c.Issuer += "/x" }, "client": func(c *openid.Config) { c.ClientID = "x" }, "secret": func(c *openid.Config) { c.ClientSecret = "x" },
		"claim": func(c *openid.Config) { c.OperatorClaim = "x" }, "operators": func(c *openid.Config) { c.Operators = []string{"x"} }, "user": func(c *openid.Config) { c.UserClaim = "x" },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := openid.Config{Issuer: "https://login.example", ClientID: "windie", ClientSecret: "secret"}
			change(&cfg)
			proof := openid.New(cfg).Proof()
			if other, there := seen[proof]; there || proof == "" {
				t.Errorf("%s has the proof of %s", name, other)
			}
			seen[proof] = name
		})
	}
	var none *openid.Provider
	if none.Proof() != "" || none.Name() != "" {
		t.Error("no provider has a proof or a name")
	}
	if name := openid.New(openid.Config{Issuer: "https://login.example/realm", ClientSecret: "x"}).Name(); name != "login.example" {
		t.Errorf("a provider without a name is called %s", name)
	}
}
