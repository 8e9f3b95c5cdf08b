package doorstest

import (
	"encoding/json"
	"net/http"
	"testing"
)

// Listed gets a list from url as a user who has the approval key.
func Listed[T any](t *testing.T, url, user string) (list T) {
	t.Helper()
	status, text := AskKeyed(t, http.MethodGet, url, user, "")
	if err := json.Unmarshal([]byte(text), &list); err != nil || status != http.StatusOK {
		t.Fatalf("%s is answered %d %s", url, status, text)
	}
	return list
}
