package egress_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/egress"
)

// fuzzRules name hosts in each way that a rule can.
var fuzzRules = []egress.Rule{
	{Host: "api.example.com", Schemes: []string{"http", "https"}, Path: "/v1"},
	{Host: "*.example.org", Schemes: []string{"http"}, Path: "/a/b"},
	{Host: "example.net:8080", Schemes: []string{"http"}},
	{Host: "1.1.1.1"},
	{Host: "[2606:4700::1111]:81", Schemes: []string{"http"}},
}

// named says by itself what fuzzRules allow of an address to connect to.
func named(address string) (pathPrefix string, ok bool) {
	switch {
	case address == "api.example.com:80", address == "api.example.com:443":
		return "/v1", true
	case strings.HasSuffix(address, ".example.org:80"):
		return "/a/b", true
	case address == "example.net:8080", address == "1.1.1.1:443", address == "[2606:4700::1111]:81":
		return "", true
	}
	return "", false
}

// dialled sends a GET as net/http does, and returns the address it would
// connect to and, without TLS, the path it asks for.
func dialled(t *testing.T, rawURL string) (address, asked string) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, rawURL, http.NoBody)
	if err != nil {
		t.Fatalf("%q is allowed, but net/http cannot read it: %v", rawURL, err)
	}
	lines := make(chan string, 1)
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(_ context.Context, _, addr string) (net.Conn, error) {
		address = addr
		if req.URL.Scheme == "https" {
			lines <- ""
			return nil, errors.New("not over TLS")
		}
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			buf := make([]byte, 64<<10)
			n, _ := theirs.Read(buf)
			line, _, _ := strings.Cut(string(buf[:n]), "\r\n")
			lines <- line
			_, _ = io.WriteString(theirs, "HTTP/1.0 204 No Content\r\n\r\n")
		}()
		return ours, nil
	}}
	defer transport.CloseIdleConnections()
	if resp, err := transport.RoundTrip(req); err == nil {
		_ = resp.Body.Close()
	}
	select {
	case line := <-lines:
		asked = strings.TrimSuffix(strings.TrimPrefix(line, "GET "), " HTTP/1.1")
	default: // it did not even connect
	}
	return address, asked
}

// FuzzAllowed holds what is allowed against what net/http makes of the URL:
// it connects to a host that a rule names, and asks for a path below the
// rule's, however often that is unescaped and cleaned. What is denied is
// allowed by its hint.
func FuzzAllowed(f *testing.F) {
	for _, host := range append(spellings, "api.example.com", "API.EXAMPLE.COM.", "a.example.org", "example.net:8080", "1.1.1.1",
		"[2606:4700::1111]:81", "api.example.com:443", "api.example.com:", "user@api.example.com", "api.example.com@evil.com") {
		f.Add("http://" + host + "/v1/x")
		f.Add("https://" + host + "/a/b?c=d#e")
	}
	for _, p := range []string{"/v1/..%2fadmin", "/v1/%2e%2e/x", `/v1/\..\x`, "/v1//x", "/v1/..;/x", "/v1/%252e%252e/x", "/v1?/../x", "/v1#/../x", "/v1/a%2fb"} {
		f.Add("http://api.example.com" + p)
	}
	client := newClient(f, egress.Config{Rules: fuzzRules})
	f.Fuzz(func(t *testing.T, rawURL string) {
		err := client.Allowed("GET", rawURL)
		if err != nil {
			checkHint(t, err, rawURL)
			return
		}
		address, asked := dialled(t, rawURL)
		host, port, _ := net.SplitHostPort(strings.ToLower(address))
		address = net.JoinHostPort(strings.TrimSuffix(host, "."), port) // that dot is the one difference in spelling
		prefix, ok := named(address)
		if !ok {
			t.Fatalf("%q goes to %s", rawURL, address)
		}
		if asked != "" && prefix != "" {
			checkAsked(t, asked, prefix)
		}
	})
}

func checkAsked(t *testing.T, asked, prefix string) {
	t.Helper()
	p, _, _ := strings.Cut(asked, "?")
	for range 10 {
		cleaned := path.Clean(strings.ReplaceAll(p, `\`, "/"))
		if cleaned != prefix && !strings.HasPrefix(cleaned, prefix+"/") {
			t.Fatalf("%q can be read as %q", asked, cleaned)
		}
		next, err := url.PathUnescape(p)
		if err != nil {
			return
		}
		p = next
	}
}

func checkHint(t *testing.T, err error, rawURL string) {
	t.Helper()
	var e *egress.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: %v", rawURL, err)
	}
	if e.Hint == "" {
		return
	}
	var rule egress.Rule
	if err := json.Unmarshal([]byte(e.Hint), &rule); err != nil {
		t.Fatal(err)
	}
	client, err := egress.New(egress.Config{Rules: []egress.Rule{rule}})
	if err != nil {
		t.Fatalf("%q: its hint %s is no rule: %v", rawURL, e.Hint, err)
	}
	if err := client.Allowed("GET", rawURL); err != nil {
		t.Fatalf("%q: its hint %s does not allow it: %v", rawURL, e.Hint, err)
	}
}
