package doorstest

import (
	"testing"

	"github.com/windieos/windie/sdk"
)

func ClientOf(t *testing.T, url string, opts ...sdk.Option) *sdk.Client {
	t.Helper()
	client, err := sdk.New(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
