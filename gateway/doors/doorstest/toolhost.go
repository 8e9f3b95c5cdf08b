package doorstest

import (
	"testing"

	"github.com/windieos/windie/sdk"
)

// ClientOf returns a client with options. Unlike the one of Client, it retries by default.
func ClientOf(t *testing.T, url string, opts ...sdk.Option) *sdk.Client {
	t.Helper()
	client, err := sdk.New(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
