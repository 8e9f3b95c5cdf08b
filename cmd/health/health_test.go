package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAsk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, said string }{
		{"all is well", `{"healthy":true,"checks":[{"name":"store","ok":true}]}`, ""},
		{"one is not", `{"checks":[{"name":"store","ok":true},{"name":"ocr","ok":false,"message":"no files"}]}`, "ocr: no files"},
		{"no checks", `{}`, "is not a Windie gateway"},
		{"no JSON", `<html>`, "is not a Windie gateway"},
		{"too large", `{"checks":[{"name":"` + strings.Repeat("a", maxHealth) + `","ok":true}]}`, "is not a Windie gateway"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(tt.body)) }))
			defer server.Close()
			err := ask(t.Context(), strings.TrimPrefix(server.URL, "http://"))
			if (err == nil) != (tt.said == "") || err != nil && !strings.Contains(err.Error(), tt.said) {
				t.Error(err)
			}
		})
	}
	if err := ask(t.Context(), "127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "no gateway answers") {
		t.Error(err)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"0.0.0.0:8765":     "http://127.0.0.1:8765/health",
		":8765":            "http://127.0.0.1:8765/health",
		"[::]:80":          "http://[::1]:80/health",
		"10.0.0.7:8765":    "http://10.0.0.7:8765/health",
		"gateway.lan:8765": "http://gateway.lan:8765/health",
		"8765":             "",
	} {
		t.Run(listen, func(t *testing.T) {
			t.Parallel()
			got, err := address(listen)
			if got != want || (err == nil) != (want != "") {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
