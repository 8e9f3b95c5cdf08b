package egress_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/egress"
)

// secretly returns a client whose requests to host carry value as a bearer.
func secretly(t *testing.T, host, value string) *egress.Client {
	t.Helper()
	rule := inside(host)
	rule.Secrets = []egress.Secret{{Name: "token", In: "bearer"}}
	return newClient(t, egress.Config{
		Rules:  []egress.Rule{rule},
		Secret: func(string) (string, bool) { return value, value != "" },
	})
}

// TestSecretsAreTakenOutOfReplies has the server repeat what it received, in
// many ways to write it.
func TestSecretsAreTakenOutOfReplies(t *testing.T) {
	t.Parallel()
	const secret = `user:p/s+w?<"é>&=~`
	inJSON, _ := json.Marshal(secret)
	host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		how := r.URL.Query().Get("how")
		w.Header().Set("X-Told", "a "+how+" b")
		w.Header().Set("X-Status", "fine")
		_, _ = io.WriteString(w, "a "+how+" b")
	})
	client := secretly(t, host, secret)
	if _, err := client.Do(t.Context(), egress.Request{URL: "http://" + host}); err != nil {
		t.Fatal(err)
	}
	told := map[string]string{
		"as it is":         secret,
		"the password":     `p/s+w?<"é>&=~`,
		"JSON":             string(inJSON),
		"JSON of PHP":      strings.ReplaceAll(string(inJSON), "/", `\/`),
		"JSON of others":   `"user:p/s+w?<\"é>&=~"`,
		"HTML":             html.EscapeString(secret),
		"a query":          url.QueryEscape(secret),
		"a path":           url.PathEscape(secret),
		"in small letters": strings.ToLower(url.QueryEscape(secret)),
		"hex":              hex.EncodeToString([]byte(secret)),
		"HEX":              strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64":           base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 of URLs":   base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"base64, escaped":  url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret))),
	}
	for i := range 4 { // inside of a longer text, at every border
		told[fmt.Sprint("base64 within ", i)] = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", i) + secret + "yyyy"))
		told[fmt.Sprint("base64 of URLs within ", i)] = base64.URLEncoding.EncodeToString([]byte(strings.Repeat("x", i) + secret))
	}
	var everyByte strings.Builder
	for _, c := range []byte(secret) {
		fmt.Fprintf(&everyByte, "%%%02x", c)
	}
	told["every byte"] = everyByte.String()
	for name, how := range told {
		t.Run(name, func(t *testing.T) {
			resp, err := client.Do(t.Context(), egress.Request{URL: "http://" + host + "?how=" + url.QueryEscape(how)})
			if err != nil {
				t.Fatal(name, err)
			}
			for where, text := range map[string]string{"body": string(resp.Body), "header": resp.Header.Get("X-Told")} {
				t.Run(where, func(t *testing.T) {
					text = strings.ReplaceAll(strings.ReplaceAll(text, `"`, ""), "user:", "")
					if strings.Contains(name, "within") { // what is around it may stay
						text = regexp.MustCompile(`^a \w{0,7}\[redacted\][\w-]{0,7}=* b$`).ReplaceAllString(text, "a [redacted] b")
					}
					if text != "a [redacted] b" {
						t.Errorf("%s, %s: %q", name, where, text)
					}
				})
			}
			if resp.Header.Get("X-Status") != "fine" {
				t.Error(resp.Header)
			}
		})
	}
}

// TestSecretsAreRemembered stores a secret with one request and asks for it
// with another, under a rule without, after it has changed once.
func TestSecretsAreRemembered(t *testing.T) {
	t.Parallel()
	var stored string
	host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if told := r.Header.Get("Authorization"); told != "" {
			stored += told + " "
			return
		}
		_, _ = io.WriteString(w, stored)
	})
	in, out := inside(host), inside(host)
	in.Path, in.Secrets, out.Path = "/in", []egress.Secret{{Name: "token", In: "bearer"}}, "/out"
	values := []string{"first-value", "second-value"}
	client := newClient(t, egress.Config{
		Rules: []egress.Rule{in, out},
		Secret: func(string) (value string, ok bool) {
			value, values = values[0], values[1:]
			return value, true
		},
	})
	for _, path := range []string{"/in", "/in", "/out"} {
		resp, err := client.Do(t.Context(), egress.Request{URL: "http://" + host + path})
		if want := "Bearer [redacted] Bearer [redacted] "; err != nil || path == "/out" && string(resp.Body) != want {
			t.Errorf("%s: %q %v", path, resp.Body, err)
		}
	}
}

// TestSecretsAreNotInErrors has a server put the secret where an error would
// quote it, and into the name of a header.
func TestSecretsAreNotInErrors(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-s3cr3t"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	replies := []string{
		"HTTP/1.1 " + secret + "\r\n\r\n",
		secret + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\n" + secret + "\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: http://[" + secret + "\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: ftp://" + secret + "\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: http://" + secret + ".test/" + secret + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Encoding: " + secret + "\r\n\r\n",
		"HTTP/1.1 200 " + secret + "\r\nX-S3cr3t-S3cr3t: x\r\nX-Fine: 1\r\nContent-Length: 0\r\n\r\n",
	}
	go func() {
		for _, reply := range replies {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, reply)
			_ = conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	session := secretly(t, "api.test:"+port, secret).Session()
	for i, reply := range replies {
		resp, err := session.Do(t.Context(), egress.Request{URL: "http://api.test:" + port})
		if last := i == len(replies)-1; (err == nil) != last {
			t.Errorf("%q: %v", reply, err)
		} else if all := fmt.Sprintf("%v %+v", err, resp); strings.Contains(strings.ToLower(all), secret) {
			t.Errorf("%q: %s", reply, all)
		} else if last && resp.Header.Get("X-Fine") != "1" {
			t.Error(resp.Header)
		}
	}
	if all := fmt.Sprintf("%+v", session.Attempts()); strings.Contains(all, secret) {
		t.Error(all)
	}
}

// TestSecretsThatTheGuestKnows are in its URL, where they are logged no more
// than where a server puts them.
func TestSecretsThatTheGuestKnows(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-s3cr3t"
	host := serve(t, nil)
	rule := inside(host)
	rule.Secrets = []egress.Secret{{Name: "token", In: "bearer"}}
	client := newClient(t, egress.Config{
		Rules:  []egress.Rule{rule, {Host: "*", Schemes: []string{"http"}}},
		Secret: func(string) (string, bool) { return secret, true },
	})
	session := client.Session()
	for _, url := range []string{host + "/" + secret, secret + ".test/" + secret, secret + ".test:81/" + secret, secret + ".1"} {
		_, err := session.Do(t.Context(), egress.Request{URL: "http://" + url, Header: http.Header{"X-Fine": {secret}}})
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Error(err)
		}
		var e *egress.Error
		if errors.As(err, &e) && strings.Contains(e.Hint, secret) {
			t.Error(e.Hint)
		}
	}
	all := fmt.Sprintf("%+v", session.Attempts())
	if strings.Contains(all, secret) || strings.Count(all, "[redacted]") < 7 {
		t.Error(all)
	}
}

// TestTheFirstOfTwoSecretsIsSent has two rules match, with a secret each for
// one place and one for another.
func TestTheFirstOfTwoSecretsIsSent(t *testing.T) {
	t.Parallel()
	host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Lengths", fmt.Sprint(len(r.Header.Get("Authorization")), len(r.Header.Get("X-Key"))))
	})
	one, two := inside(host), inside(host)
	one.Secrets = []egress.Secret{{Name: "1", In: "bearer"}}
	two.Secrets = []egress.Secret{{Name: "22", In: "header", Key: "authorization"}, {Name: "333", In: "header", Key: "x-key"}}
	client := newClient(t, egress.Config{
		Rules:  []egress.Rule{one, two},
		Secret: func(name string) (string, bool) { return name, true },
	})
	resp, err := client.Do(t.Context(), egress.Request{URL: "http://" + host})
	if got := resp.Header.Get("X-Lengths"); err != nil || got != "8 3" {
		t.Errorf("%q %v", got, err)
	}
}

func TestSecretsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	host := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	for _, value := range []string{"", "v4lue\n", "v4lue\x00"} {
		_, err := secretly(t, host, value).Do(t.Context(), egress.Request{URL: "http://" + host})
		wantReason(t, value, err, egress.NoSecret)
		if err == nil || strings.Contains(err.Error(), "v4lue") || !strings.Contains(err.Error(), "token") {
			t.Error(err)
		}
	}
}

// TestShortSecretsAreNotLookedFor keeps replies readable.
func TestShortSecretsAreNotLookedFor(t *testing.T) {
	t.Parallel()
	host := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("Authorization")) })
	for secret, want := range map[string]string{"12345": "Bearer 12345", "123456": "Bearer [redacted]"} {
		t.Run(secret, func(t *testing.T) {
			resp, err := secretly(t, host, secret).Do(t.Context(), egress.Request{URL: "http://" + host})
			if err != nil || string(resp.Body) != want {
				t.Errorf("%q %v", resp.Body, err)
			}
		})
	}
}
