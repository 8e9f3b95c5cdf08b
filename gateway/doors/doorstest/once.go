package doorstest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// OnceAnswer is the response to a request with an idempotency key.
type OnceAnswer struct {
	Status   int
	Replayed bool
	Retry    string
	Kind     string // content type of the response
	Body     string
}

// Code returns the error code of the response, or an empty code if the response is not an error.
func (a OnceAnswer) Code() sdkapi.Code {
	var failed sdkapi.ErrorResponse
	_ = json.Unmarshal([]byte(a.Body), &failed) // an answer that is no failure has no code
	return failed.Error.Code
}

// SendKeyed posts a body as a user, with an idempotency key.
func SendKeyed(ctx context.Context, url, user, key, contentType string, body io.Reader) (a OnceAnswer, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return a, err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set(sdkapi.UserHeader, user)
	req.Header.Set(sdkapi.IdempotencyKeyHeader, key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return OnceAnswer{
		resp.StatusCode, resp.Header.Get(sdkapi.ReplayedHeader) == "true", resp.Header.Get("Retry-After"), resp.Header.Get("Content-Type"), string(text),
	}, err
}

// Keyed posts a JSON body as the user ada, with an idempotency key. See SendKeyed.
func Keyed(t *testing.T, url, key, body string) OnceAnswer {
	t.Helper()
	a, err := SendKeyed(t.Context(), url, "ada", key, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
