package abi

import (
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// The input of an operation is one JSON object. White space may follow it, and nothing else.
func TestTake(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]sdkapi.Code{
		`{"key":"a"}`:        "",
		"{\"key\":\"a\"} \n": "",
		`{"key":"a"}}`:       sdkapi.ValidationError,
		`{"key":"a"}]`:       sdkapi.ValidationError,
		`{"key":"a"} {}`:     sdkapi.ValidationError,
		`{"key":"a"}x`:       sdkapi.ValidationError,
		`{"key":"a"`:         sdkapi.ValidationError,
		`{"kye":"a"}`:        sdkapi.ValidationError,
		``:                   sdkapi.ValidationError,
	} {
		t.Run(input, func(t *testing.T) {
			t.Parallel()
			in, err := take[keyInput]([]byte(input))
			if fault.CodeOf(err) != want || err == nil && in.Key != "a" {
				t.Errorf("got %+v, %v, want %q", in, err, want)
			}
		})
	}
}
