package egress_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/egress"
)

// TestRedirectsAreMadeAsBrowsersMakeThem checks the method, body and header
// that arrive behind each kind of redirect.
func TestRedirectsAreMadeAsBrowsersMakeThem(t *testing.T) {
	t.Parallel()
	host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if code := r.URL.Query().Get("code"); code != "" {
			http.Redirect(w, r, "/there#part", map[string]int{"301": 301, "302": 302, "303": 303, "307": 307, "308": 308, "300": 300, "305": 305}[code])
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Got", fmt.Sprintf("%s %s %s %s", r.Method, r.URL.Path, body, r.Header.Get("Content-Type")))
	})
	client := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}})
	for _, tt := range []struct{ method, code, want string }{
		{"GET", "301", "GET /there  "},
		{"POST", "301", "GET /there  "},
		{"POST", "302", "GET /there  "},
		{"PUT", "301", "PUT /there body text/plain"},
		{"PUT", "303", "GET /there  "},
		{"POST", "303", "GET /there  "},
		{"HEAD", "303", "HEAD /there  text/plain"},
		{"POST", "307", "POST /there body text/plain"},
		{"PUT", "308", "PUT /there body text/plain"},
		{"POST", "300", ""}, // the guest gets it
		{"POST", "305", ""},
	} {
		t.Run(fmt.Sprint(tt.method, " ", tt.code), func(t *testing.T) {
			req := egress.Request{Method: tt.method, URL: "http://" + host + "?code=" + tt.code}
			if tt.method == "POST" || tt.method == "PUT" {
				req.Body = []byte("body")
			}
			if tt.method != "GET" {
				req.Header = http.Header{"Content-Type": {"text/plain"}}
			}
			resp, err := client.Do(t.Context(), req)
			if got := resp.Header.Get("X-Got"); err != nil || got != strings.TrimSpace(tt.want) {
				t.Errorf("%s behind %s: %q, %v", tt.method, tt.code, got, err)
			}
		})
	}
}

// TestRedirectsAreAskedAboutAgain sends the request on to where it may not go.
func TestRedirectsAreAskedAboutAgain(t *testing.T) {
	t.Parallel()
	port, check := trap(t)
	host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	first := inside(host)
	first.Path, first.Methods = "/out", []string{"GET"}
	client := newClient(t, egress.Config{Rules: []egress.Rule{first, {Host: "*:" + port, Schemes: []string{"http"}}, {Host: "*"}}})
	for _, tt := range []struct {
		to    string
		want  egress.Reason
		where string // in the second Attempt
		hint  bool
	}{
		{"http://127.0.0.1:" + port + "/", egress.PrivateAddress, "127.0.0.1:" + port, true},
		{"http://inside.test:" + port + "/", egress.PrivateAddress, "inside.test:" + port, true},
		{"https://169.254.169.254/latest/meta-data", egress.PrivateAddress, "169.254.169.254", false},
		{"http://2130706433:" + port + "/", egress.BadRequest, "2130706433:" + port, false},
		{"/elsewhere", egress.Denied, host, true},
		{"/out/../elsewhere", egress.Denied, host, true},
		{"/out/..%2felsewhere", egress.Denied, host, false},
		{"file:///etc/passwd", egress.BadRequest, "", false},
		{"http://user@" + host + "/out", egress.BadRequest, host, false},
		{"http://a b/", egress.BadResponse, host, false},
		{"/out", egress.Allowed, host, false}, // without a way on, the reply is the guest's
	} {
		t.Run(tt.to, func(t *testing.T) {
			session := client.Session()
			_, err := session.Do(t.Context(), egress.Request{URL: "http://" + host + "/out?to=" + url.QueryEscape(tt.to)})
			wantReason(t, tt.to, err, tt.want)
			attempts := session.Attempts()
			if len(attempts) != 2 || attempts[0].Status != 307 || attempts[0].Decision != egress.Allowed {
				t.Fatalf("%s: %+v", tt.to, attempts)
			}
			if a := attempts[1]; a.Host != tt.where || a.Decision != tt.want || (a.Hint != "") != tt.hint {
				t.Errorf("%s: %+v", tt.to, a)
			}
		})
	}
	check()
}

func TestRedirectsAreCounted(t *testing.T) {
	t.Parallel()
	host := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) })
	for _, tt := range []struct {
		limits   egress.Limits
		want     egress.Reason
		requests int
	}{
		{egress.Limits{}, egress.TooManyRedirects, 6},
		{egress.Limits{Redirects: 1}, egress.TooManyRedirects, 2},
		{egress.Limits{Redirects: -1}, egress.Allowed, 1},
		{egress.Limits{Redirects: 9, Requests: 3}, egress.TooManyRequests, 3},
	} {
		t.Run(fmt.Sprint(tt.limits), func(t *testing.T) {
			session := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}, Limits: tt.limits}).Session()
			resp, err := session.Do(t.Context(), egress.Request{URL: "http://" + host + "/"})
			wantReason(t, fmt.Sprint(tt.limits), err, tt.want)
			if got := session.Usage().Requests; got != tt.requests {
				t.Errorf("%+v: %d requests", tt.limits, got)
			}
			if err == nil && (resp.Status != 302 || resp.Header.Get("Location") != "/x") {
				t.Error(resp)
			}
		})
	}
}

// hearing is a server that records what it received, and sends on what asks for
// it.
type hearing struct {
	mu   sync.Mutex
	said []string
}

func (h *hearing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, fmt.Sprint(r.Host, r.RequestURI, r.Header))
	if to := r.Header.Get("X-To"); to != "" && !strings.HasPrefix(r.URL.Path, "/end") {
		// Like many a server, it keeps the query; "ECHO" asks for the secret in another place.
		to = strings.ReplaceAll(to, "ECHO", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		w.Header().Set("Location", to+"?"+r.URL.RawQuery)
		w.WriteHeader(http.StatusFound)
	}
}

// take returns what was heard since.
func (h *hearing) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	said := h.said
	h.said = nil
	return said
}

// TestSecretsStayWithTheirHost sends requests with secrets on to another host
// and to another path, where no rule names them.
func TestSecretsStayWithTheirHost(t *testing.T) {
	t.Parallel()
	server := &hearing{}
	host := serve(t, server.ServeHTTP)
	other := "other.test:" + strings.TrimPrefix(host, "api.test:")
	withSecrets := inside(host)
	withSecrets.Path = "/with"
	withSecrets.Secrets = []egress.Secret{{Name: "bearer", In: "bearer"}, {Name: "key", In: "query", Key: "key"}, {Name: "head", In: "header", Key: "X-Key"}}
	without, end := inside(other), inside(host)
	end.Path = "/end"
	client := newClient(t, egress.Config{
		Rules:  []egress.Rule{withSecrets, without, end},
		Secret: func(name string) (string, bool) { return "SECRET-" + name, true },
	})
	for _, tt := range []struct {
		to    string
		want  egress.Reason
		heard int // times, by a caller without a secret
	}{
		{"http://" + other + "/end", egress.Allowed, 1},
		{"/end", egress.Allowed, 1},
		{"/end/ECHO", egress.Denied, 0},
		{"http://" + other + "/end/ECHO", egress.Denied, 0},
		{"http://ECHO." + other + "/end", egress.Denied, 0},
		{"http://" + other + "/end#ECHO", egress.Denied, 0},
	} {
		t.Run(tt.to, func(t *testing.T) {
			_, err := client.Do(t.Context(), egress.Request{
				URL:    "http://" + host + "/with?a=b&key=mine&k%65y=mine",
				Header: http.Header{"X-To": {tt.to}, "Authorization": {"mine"}, "x-key": {"mine"}, "Cookie": {"a=mine"}},
			})
			wantReason(t, tt.to, err, tt.want)
			if err != nil && strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s: %v", tt.to, err)
			}
			said := server.take()
			for _, secret := range []string{"Authorization:[Bearer SECRET-bearer]", "/with?a=b&key=SECRET-key ", "X-Key:[SECRET-head]"} {
				if !strings.Contains(strings.Replace(said[0], "map", " map", 1), secret) {
					t.Errorf("%s: %s is not in %s", tt.to, secret, said[0])
				}
			}
			if strings.Contains(strings.ReplaceAll(said[0], "a=mine", ""), "mine") {
				t.Errorf("the guest's own are sent too: %s", said[0])
			}
			if len(said)-1 != tt.heard || strings.Contains(fmt.Sprint(said[1:]), "SECRET") {
				t.Errorf("%s: heard %q", tt.to, said[1:])
			}
			if tt.to == "http://"+other+"/end" && (strings.Contains(said[1], "Cookie") || strings.Contains(said[1], "Authorization")) {
				t.Errorf("what the guest showed one host, the other heard: %s", said[1])
			}
		})
	}
}

// TestSecretsAreLookedAtForEachHop goes on to where the same secret, and to
// where another, is put in.
func TestSecretsAreLookedAtForEachHop(t *testing.T) {
	t.Parallel()
	server := &hearing{}
	host := serve(t, server.ServeHTTP)
	first, second := inside(host), inside(host)
	first.Path, first.Secrets = "/first", []egress.Secret{{Name: "one", In: "query", Key: "key"}}
	second.Path, second.Secrets = "/end", []egress.Secret{{Name: "two", In: "query", Key: "key"}, {Name: "basic", In: "basic"}}
	client := newClient(t, egress.Config{
		Rules:  []egress.Rule{first, second},
		Secret: func(name string) (string, bool) { return "SECRET:" + name, true },
	})
	_, err := client.Do(t.Context(), egress.Request{URL: "http://" + host + "/first", Header: http.Header{"X-To": {"/end"}}})
	wantReason(t, "two hops", err, egress.Allowed)
	said := server.take()
	if len(said) != 2 || !strings.Contains(said[0], "/first?key=SECRET%3Aone") || !strings.Contains(said[1], "/end?key=SECRET%3Atwo") ||
		!strings.Contains(said[1], "Authorization:[Basic U0VDUkVUOmJhc2lj]") || strings.Contains(said[1], "one") {
		t.Errorf("%q", said)
	}
}
