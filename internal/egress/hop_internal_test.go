package egress

import (
	"io"
	"net/http"
	"testing"
)

// TestTheBodyIsCopied changes a request's body where net/http may still be
// sending it, as a guest does whose call has returned.
func TestTheBodyIsCopied(t *testing.T) {
	t.Parallel()
	client, err := New(Config{Rules: []Rule{{Host: "a.test", Methods: []string{"POST"}}}})
	if err != nil {
		t.Fatal(err)
	}
	target, permit, err := client.admit("POST", "https://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	body := []byte("body")
	out, _, err := client.request(t.Context(), target, permit, Request{Header: http.Header{}, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	if got, err := io.ReadAll(out.Body); string(got) != "body" || err != nil {
		t.Errorf("%q %v", got, err)
	}
}
