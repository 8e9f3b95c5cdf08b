package egress_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/windieos/windie/internal/egress"
)

// BenchmarkGet compares one GET on a connection kept with the same by net/http
// alone. "secret" puts one in and looks for it in the 10 KB reply.
func BenchmarkGet(b *testing.B) {
	reply := make([]byte, 10_000)
	host := serve(b, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(reply) })
	url := "http://" + host + "/v1/items"
	rule := inside(host)
	rule.Path = "/v1"
	secret := rule
	secret.Secrets = []egress.Secret{{Name: "token", In: "bearer"}}

	b.Run("bare", func(b *testing.B) {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		url := "http://127.0.0.1" + host[len("api.test"):] + "/v1/items"
		for b.Loop() {
			resp, err := client.Get(url)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadAll(resp.Body); err != nil {
				b.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	})
	for name, rule := range map[string]egress.Rule{"rule": rule, "secret": secret} {
		b.Run(name, func(b *testing.B) {
			client := newClient(b, egress.Config{
				Rules:  []egress.Rule{rule},
				Secret: func(string) (string, bool) { return "0123456789abcdef0123456789abcdef", true },
			})
			for b.Loop() {
				if _, err := client.Do(b.Context(), egress.Request{URL: url}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAllowed is what the rules alone take: ten of them, the last matches.
func BenchmarkAllowed(b *testing.B) {
	rules := make([]egress.Rule, 10)
	for i := range rules {
		rules[i] = egress.Rule{Host: "*.example.com", Path: "/v" + string(rune('0'+i))}
	}
	client := newClient(b, egress.Config{Rules: rules})
	for b.Loop() {
		if err := client.Allowed("GET", "https://api.example.com/v9/items/17?q=text"); err != nil {
			b.Fatal(err)
		}
	}
}
