package egress_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// viaProxy counts who comes to the proxy that the environment of all of these
// tests names.
var viaProxy atomic.Int64

// quiet is where servers log what these tests do to them.
var quiet = log.New(io.Discard, "", 0)

func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		viaProxy.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		if err := os.Setenv(name, proxy.URL); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	proxy.Close()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, "goleak:", err)
		code = 1
	}
	os.Exit(code)
}

// loopback resolves every host to this machine.
func loopback(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// newClient returns a client for one test. Hosts resolve to this machine.
func newClient(t testing.TB, cfg egress.Config) *egress.Client {
	t.Helper()
	if cfg.Resolver == nil {
		cfg.Resolver = loopback
	}
	client, err := egress.New(cfg)
	if err != nil {
		t.Fatal(err, fault.From(err).Details.Fields)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// serve starts a server and returns what api.test and its port are then. A
// nil handler answers 200 to all.
func serve(t testing.TB, handler http.HandlerFunc) (hostport string) {
	t.Helper()
	if handler == nil {
		handler = func(http.ResponseWriter, *http.Request) {}
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = quiet
	server.Start()
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	return "api.test:" + port
}

// inside is a rule for a server of serve.
func inside(hostport string) egress.Rule {
	return egress.Rule{Host: hostport, Schemes: []string{"http"}, Methods: []string{"GET", "HEAD", "POST", "PUT"}, Private: true}
}

// wantReason fails unless err has the reason, and a code and message to show.
func wantReason(t testing.TB, what string, err error, want egress.Reason) {
	t.Helper()
	if got := egress.ReasonOf(err); got != want {
		t.Errorf("%s: %q, expected %q (%v)", what, got, want, err)
	}
	if err == nil {
		return
	}
	var e *egress.Error
	if !errors.As(err, &e) || e.Fault.Message == "" || fault.CodeOf(err) == sdkapi.Internal {
		t.Errorf("%s: %v is not an error to show", what, err)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	client := newClient(t, egress.Config{Rules: []egress.Rule{
		{Host: "API.example.com", Path: "/v1/"},
		{Host: "api.example.com", Path: "/v1/items", Methods: []string{"post"}},
		{Host: "*.wild.example"},
		{Host: "plain.example", Schemes: []string{"http"}},
		{Host: "both.example:8443", Schemes: []string{"HTTPS", "http"}},
		{Host: "1.1.1.1"},
		{Host: "2606:4700::1111"},
		{Host: "[2606:4700::2222]:8080"},
		{Host: "words.example", Path: "/größe/a b"},
	}})
	for _, tt := range []struct {
		method, url string
		want        egress.Reason
	}{
		{"", "https://api.example.com/v1", egress.Allowed},
		{"get", "https://API.Example.com:443/v1/x?q=1#part", egress.Allowed},
		{"HEAD", "https://api.example.com./v1", egress.Allowed},
		{"POST", "https://api.example.com/v1/items", egress.Allowed},
		{"GET", "https://api.example.com/%76%31/x", egress.Allowed},
		{"GET", "https://api.example.com/v1/group%2Fproject", egress.Allowed},
		{"GET", "https://a.b.wild.example/..%2fx//y", egress.Allowed}, // no path to leave
		{"GET", "http://plain.example/", egress.Allowed},
		{"GET", "https://both.example:8443", egress.Allowed},
		{"GET", "http://both.example:8443", egress.Allowed},
		{"GET", "https://1.1.1.1/", egress.Allowed},
		{"GET", "https://[2606:4700:0::1111]/", egress.Allowed},
		{"GET", "https://[2606:4700::2222]:8080/", egress.Allowed},
		{"GET", "https://words.example/gr%C3%B6%C3%9Fe/a%20b/c", egress.Allowed},
		{"GET", "https://words.example/größe/a%20b/c", egress.Allowed},

		{"POST", "https://api.example.com/v1", egress.Denied},
		{"PUT", "https://api.example.com/v1/items", egress.Denied},
		{"GET", "https://api.example.com/", egress.Denied},
		{"GET", "https://api.example.com/v10", egress.Denied},
		{"GET", "https://api.example.com/V1", egress.Denied},
		{"GET", "https://api.example.com:444/v1", egress.Denied},
		{"GET", "http://api.example.com/v1", egress.Denied},
		{"GET", "http://api.example.com:443/v1", egress.Denied},
		{"GET", "https://wild.example/", egress.Denied},
		{"GET", "https://notwild.example/", egress.Denied},
		{"GET", "https://wild.example.evil.com/", egress.Denied},
		{"GET", "https://plain.example/", egress.Denied},
		{"GET", "http://both.example/", egress.Denied},
		{"GET", "https://1.1.1.2/", egress.Denied},
		{"GET", "https://[2606:4700::2222]/", egress.Denied},
		{"GET", "https://api.example.com.evil.com/v1", egress.Denied},

		{"CONNECT", "https://1.1.1.1/", egress.BadRequest},
		{"trace", "https://1.1.1.1/", egress.BadRequest},
		{"GET /x", "https://1.1.1.1/", egress.BadRequest},
		{"GET", "", egress.BadRequest},
		{"GET", "//1.1.1.1/", egress.BadRequest},
		{"GET", "https:1.1.1.1/", egress.BadRequest},
		{"GET", "https:///1.1.1.1/", egress.BadRequest},
		{"GET", "ftp://1.1.1.1/", egress.BadRequest},
		{"GET", "file:///etc/passwd", egress.BadRequest},
		{"GET", "https://1.1.1.1:0/", egress.BadRequest},
		{"GET", "https://1.1.1.1:65536/", egress.BadRequest},
		{"GET", "https://user:pass@1.1.1.1/", egress.BadRequest},
		{"GET", "https://@1.1.1.1/", egress.BadRequest},
		{"GET", "https://evil.com@1.1.1.1/", egress.BadRequest},
		{"GET", `https://api.example.com\@evil.com/v1`, egress.BadRequest},
		{"GET", `https:\\1.1.1.1/`, egress.BadRequest},
		{"GET", "https://1.1.1.1/\r\nHost: evil.com", egress.BadRequest},
		{"GET", "https://1.1.1.1/?a b", egress.BadRequest},
		{"GET", " https://1.1.1.1/", egress.BadRequest},
		{"GET", "https://[2606:4700::1111%25lo]/", egress.BadRequest},
		{"GET", "https://0x7f000001/", egress.BadRequest},
		{"GET", "https://1.0x1/", egress.BadRequest},
		{"GET", "https://2130706433/", egress.BadRequest},
		{"GET", `https://1.1.1.1/a\b`, egress.BadRequest},
		{"GET", "https://api..example.com/v1", egress.BadRequest},
		{"GET", "https://api.example.com../v1", egress.BadRequest},
		{"GET", "https://-_/" + strings.Repeat("x", 64<<10), egress.TooLarge},
	} {
		wantReason(t, tt.method+" "+tt.url, client.Allowed(tt.method, tt.url), tt.want)
	}
}

// TestPathsCannotLeave gives paths that some server reads as one outside of
// the rule's.
func TestPathsCannotLeave(t *testing.T) {
	t.Parallel()
	client := newClient(t, egress.Config{Rules: []egress.Rule{{Host: "api.example.com", Path: "/v1"}}})
	for _, path := range []string{
		"/v1/../admin", "/v1/..", "/v1/./../admin", "/v1/.", "/v1/..%2fadmin", "/v1/..%2Fadmin", "/v1/%2e%2e/x", "/v1/%2E%2E/x",
		"/v1/.%2e/x", "/v1/%2e./x", "/v1/%2e%2e%2fadmin", "/v1/%252e%252e/x", "/v1/%25252e%25252e%25252fx", "/v1/..%5cadmin",
		"/v1/%5c..%5cadmin", "/v1/x%5cy", "/v1//admin", "//v1/x", "/v1//", "/v1/..;/admin", "/v1/..;a=b/admin", "/v1/..%3b/admin",
		"/v1/..%00/admin", "/v1/..%20/admin", "/v1/%zz%252e%252e/x", "/v1/%c0%ae%c0%ae/x", "/v1/%ff", "/v1%2fx", "/v1%2f..%2fx",
		"/v1;/x", "/v1/%" + strings.Repeat("25", 9) + "2e.", "/v1/%" + strings.Repeat("25", 20_000),
	} {
		err := client.Allowed("GET", "https://api.example.com"+path)
		if reason := egress.ReasonOf(err); reason != egress.Denied && reason != egress.BadRequest {
			t.Errorf("%.60s: %s", path, reason)
		}
	}
	for _, path := range []string{"/v1", "/v1/", "/v1/a.b/..c/...", "/v1/a%20b", "/v1/100%25", "/v1/a;b=c", "/v1/%C3%A9", "/v1/a%2Fb"} {
		wantReason(t, path, client.Allowed("GET", "https://api.example.com"+path), egress.Allowed)
	}
}

func TestWrongRulesAreAllReported(t *testing.T) {
	t.Parallel()
	secret := func(in, key string) []egress.Secret { return []egress.Secret{{Name: "token", In: in, Key: key}} }
	for _, tt := range []struct {
		rule egress.Rule
		want string // the fields, in order
	}{
		{egress.Rule{}, "host"},
		{egress.Rule{Host: "https://a.example"}, "host"},
		{egress.Rule{Host: "a.example/v1"}, "host"},
		{egress.Rule{Host: "a.example:8080/v1"}, "host"},
		{egress.Rule{Host: "a.example:0"}, "host"},
		{egress.Rule{Host: "a.example:70000"}, "host"},
		{egress.Rule{Host: "a.*.example"}, "host"},
		{egress.Rule{Host: "*example.com"}, "host"},
		{egress.Rule{Host: "*.0.0.1"}, "host"},
		{egress.Rule{Host: "*.127.0.0.1"}, "host"},
		{egress.Rule{Host: "*.[2606:4700::1111]"}, "host"},
		{egress.Rule{Host: "*."}, "host"},
		{egress.Rule{Host: "127.1"}, "host"},
		{egress.Rule{Host: "bücher.example"}, "host"},
		{egress.Rule{Host: "user@a.example"}, "host"},
		{egress.Rule{Host: "[::ffff:1.1.1.1]"}, "host"},
		{egress.Rule{Host: "169.254.169.254", Private: true}, "host"},
		{egress.Rule{Host: "0.0.0.0", Private: true}, "host"},
		{egress.Rule{Host: "10.0.0.1"}, "private"},
		{egress.Rule{Host: "::1"}, "private"},
		{egress.Rule{Host: "*", Private: true}, "private"},
		{egress.Rule{Host: "*:8080", Private: true}, "private"},
		{egress.Rule{Host: "a.example", Schemes: []string{"https", "ftp"}}, "schemes"},
		{egress.Rule{Host: "a.example", Methods: []string{"GET", "CONNECT", "A B"}}, "methods methods"},
		{egress.Rule{Host: "a.example", Path: "v1"}, "path"},
		{egress.Rule{Host: "a.example", Path: "/v1/../x"}, "path"},
		{egress.Rule{Host: "a.example", Path: "/v%31"}, "path"},
		{egress.Rule{Host: "a.example", Path: "/v1?x"}, "path"},
		{egress.Rule{Host: "a.example", Secrets: secret("cookie", "")}, "secrets[0].in"},
		{egress.Rule{Host: "a.example", Secrets: secret("bearer", "X")}, "secrets[0].key"},
		{egress.Rule{Host: "a.example", Secrets: secret("header", "")}, "secrets[0].key"},
		{egress.Rule{Host: "a.example", Secrets: secret("header", "host")}, "secrets[0].key"},
		{egress.Rule{Host: "a.example", Secrets: secret("header", "x-forwarded-host")}, "secrets[0].key"},
		{egress.Rule{Host: "a.example", Secrets: secret("header", "A\r\nB")}, "secrets[0].key"},
		{egress.Rule{Host: "a.example", Secrets: secret("query", "")}, "secrets[0].key"},
		{egress.Rule{Host: "a.example", Secrets: []egress.Secret{{In: "bearer"}, {Name: "b", In: "header", Key: "authorization"}}}, "secrets[0].name secrets[1]"},
		{egress.Rule{Host: "*", Secrets: secret("bearer", "")}, "secrets"},
		{egress.Rule{Host: "a.example", Schemes: []string{"http"}, Secrets: secret("bearer", "")}, "secrets"},
		{egress.Rule{Host: "a.example", Schemes: []string{"https", "HTTP"}, Secrets: secret("bearer", "")}, "secrets"},
	} {
		t.Run(fmt.Sprint(tt.rule), func(t *testing.T) {
			_, err := egress.New(egress.Config{
				Rules:  []egress.Rule{{Host: "fine.example"}, tt.rule},
				Secret: func(string) (string, bool) { return "", false },
			})
			var got []string
			for _, field := range fault.From(err).Details.Fields {
				got = append(got, strings.TrimPrefix(field.Path, "rules[1]."))
			}
			if strings.Join(got, " ") != tt.want || fault.CodeOf(err) != sdkapi.ValidationError {
				t.Errorf("%+v: %s, expected %s", tt.rule, got, tt.want)
			}
		})
	}
}

func TestWrongConfigIsReported(t *testing.T) {
	t.Parallel()
	_, err := egress.New(egress.Config{
		Limits: egress.Limits{Requests: -1, Timeout: -1, Redirects: -1},
		Rules:  []egress.Rule{{Host: "a.example", Secrets: []egress.Secret{{Name: "token", In: "bearer"}}}},
	})
	if got := fmt.Sprint(fault.From(err).Details.Fields); !strings.Contains(got, "limits.requests") ||
		!strings.Contains(got, "limits.timeout") || strings.Contains(got, "redirects") || !strings.Contains(got, "rules[0].secrets") {
		t.Error(got)
	}
}

// TestTheHintAllows takes the hint of each denial at its word.
func TestTheHintAllows(t *testing.T) {
	t.Parallel()
	rules := []egress.Rule{{Host: "api.example.com", Path: "/v1"}}
	client := newClient(t, egress.Config{Rules: rules})
	for _, tt := range []struct{ method, url, hint string }{
		{"GET", "https://new.example/", `{"host":"new.example"}`},
		{"POST", "https://api.example.com/v1/x", `{"host":"api.example.com","path":"/v1/x","methods":["POST"]}`},
		{"GET", "http://api.example.com:8080/v1", `{"host":"api.example.com:8080","schemes":["http"],"path":"/v1"}`},
		{"GET", "https://api.example.com/v2/a%20b/c%2fd/e?key=k", `{"host":"api.example.com","path":"/v2/a b"}`},
		{"GET", "https://10.1.2.3/", `{"host":"10.1.2.3","private":true}`},
		{"GET", "https://[fd00::1]/", `{"host":"[fd00::1]","private":true}`},
		{"GET", "https://[fd00::1]:81/", `{"host":"[fd00::1]:81","private":true}`},
		{"GET", "https://169.254.169.254/latest", ""},
		{"GET", "https://api.example.com/v1/../v2", ""},
		{"GET", "https://new.example/v1//x", ""},
	} {
		t.Run(tt.url, func(t *testing.T) {
			err := client.Allowed(tt.method, tt.url)
			wantReason(t, tt.url, err, egress.Denied)
			var e *egress.Error
			if errors.As(err, &e); e.Hint != tt.hint {
				t.Errorf("%s %s: %s, expected %s", tt.method, tt.url, e.Hint, tt.hint)
			}
			if e.Hint == "" {
				return
			}
			var rule egress.Rule
			if err := json.Unmarshal([]byte(e.Hint), &rule); err != nil {
				t.Fatal(err)
			}
			wider := newClient(t, egress.Config{Rules: append(rules[:1:1], rule)})
			wantReason(t, "with its hint "+tt.url, wider.Allowed(tt.method, tt.url), egress.Allowed)
		})
	}
}

func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got *http.Request
	var body []byte
	host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("Keep-Alive", "timeout=5")
		_, _ = w.Write([]byte("hello"))
	})
	client := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}})
	for range 2 { // the second time there could be a cookie
		resp, err := client.Do(t.Context(), egress.Request{
			Method: "post", URL: "http://API.test.:" + strings.TrimPrefix(host, "api.test:") + "/a%2Fb?q=ä&z#frag", Body: []byte("body"),
			Header: http.Header{
				"x-mine": {"1", "2"}, "Authorization": {"Bearer guest's own"}, "content-length": {"99"}, "HOST": {"evil.com"},
				"Transfer-Encoding": {"chunked"}, "Connection": {"X-Mine"}, "Proxy-Authorization": {"x"}, "Te": {"trailers"},
				"Accept-Encoding": {"br"}, "Upgrade": {"h2c"}, "Expect": {"100-continue"},
			},
		})
		if err != nil || string(resp.Body) != "hello" || resp.Status != 200 {
			t.Fatal(resp, err)
		}
		if resp.Header.Get("Set-Cookie") != "a=b" || resp.Header.Get("Content-Length") != "" || resp.Header.Get("Keep-Alive") != "" {
			t.Error(resp.Header)
		}
	}
	if got.Host != host || got.RequestURI != "/a%2Fb?q=%C3%A4&z" || got.Method != "POST" || string(body) != "body" {
		t.Error(got.Host, got.RequestURI, got.Method, string(body))
	}
	want := "Accept-Encoding:gzip Authorization:Bearer guest's own Content-Length:4 User-Agent:windie X-Mine:1,2"
	var header bytes.Buffer
	for _, name := range []string{"Accept-Encoding", "Authorization", "Content-Length", "User-Agent", "X-Mine"} {
		fmt.Fprintf(&header, "%s:%s ", name, strings.Join(got.Header[name], ","))
	}
	if strings.TrimSpace(header.String()) != want || len(got.Header) != 5 {
		t.Error(got.Header)
	}
}

func TestHeadersThatAreRefused(t *testing.T) {
	t.Parallel()
	host := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	client := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}})
	for name, value := range map[string]string{
		"X-HTTP-Method-Override": "DELETE", "x_http_method_override": "DELETE", "X-Original-URL": "/admin", "X-Rewrite-Url": "/admin",
		"X-Forwarded-Host": "evil.com", "Forwarded": "host=evil.com", "A B": "x", "": "x", ":path": "/admin", "A\r\nB": "x", "Ä": "x",
		"X-A": "a\r\nX-B: b", "X-C": "\x00", "X-D": "a\nb",
	} {
		_, err := client.Do(t.Context(), egress.Request{URL: "http://" + host, Header: http.Header{name: {value}}})
		wantReason(t, name, err, egress.BadRequest)
	}
}

func TestTheProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Parallel()
	host := serve(t, func(http.ResponseWriter, *http.Request) {})
	client := newClient(t, egress.Config{Rules: []egress.Rule{inside(host)}})
	if resp, err := client.Do(t.Context(), egress.Request{URL: "http://" + host}); err != nil || resp.Status != 200 {
		t.Error(resp.Status, err)
	}
	if n := viaProxy.Load(); n != 0 {
		t.Errorf("the proxy saw %d requests", n)
	}
}

func TestConcurrentSessions(t *testing.T) {
	t.Parallel()
	host := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })
	var recorded atomic.Int64
	rule := inside(host)
	rule.Secrets = []egress.Secret{{Name: "token", In: "bearer"}}
	client := newClient(t, egress.Config{
		Rules:  []egress.Rule{rule},
		Secret: func(string) (string, bool) { return fmt.Sprintf("secret-%d", recorded.Load()), true }, // it changes
		Record: func(egress.Attempt) { recorded.Add(1) },
	})
	session := client.Session()
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			path := fmt.Sprintf("/%d", i)
			resp, err := session.Do(t.Context(), egress.Request{URL: "http://" + host + path})
			if egress.ReasonOf(err) != egress.TooManyRequests && (err != nil || string(resp.Body) != path) {
				t.Error(err, string(resp.Body))
			}
		})
	}
	wg.Wait()
	if got := session.Usage().Requests; got != 32 || recorded.Load() != 33 || len(session.Attempts()) != 33 {
		t.Errorf("%d requests, %d recorded", got, recorded.Load())
	}
}
