package doorstest

import (
	"testing"

	"github.com/windieos/windie/sdk"
)

// ClientOf returns an SDK client with these options. It retries by default; the client of the function Client does
// not.
func ClientOf(t *testing.T, url string, opts ...sdk.Option) *sdk.Client {
	t.Helper()
	client, err := sdk.New(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
