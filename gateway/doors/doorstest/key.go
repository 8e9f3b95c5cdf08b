package doorstest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// TestKey is the approval key of the gateways in tests.
const TestKey = "0f0e0d0c0b0a09080706050403020100f0e0d0c0b0a090807060504030201000"

// AskKeyed sends a request as a user who has the approval key. It returns the status and the body of the response.
func AskKeyed(t *testing.T, method, url, user, body string) (status int, answer string) {
	t.Helper()
	return AskWith(t, method, url, body, sdkapi.UserHeader, user, sdkapi.KeyHeader, TestKey)
}

// AskWith sends a request, and returns the status and the body of the response. The parameter header contains pairs
// of names and values.
func AskWith(t *testing.T, method, url, body string, header ...string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(read)
}
