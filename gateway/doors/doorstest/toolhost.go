package doorstest

import (
	"testing"

	"github.com/windieos/windie/sdk"
)

// ClientOf returns an SDK client with these options. This client retries by default. The client that the function
// Client returns does not retry.
func ClientOf(t *testing.T, url string, opts ...sdk.Option) *sdk.Client {
	t.Helper()
	client, err := sdk.New(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
