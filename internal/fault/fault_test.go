package fault_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial 10.0.0.7: refused")
	away := fault.New("store.Get", sdkapi.StorageUnavailable, "the store is away").Because(cause)
	for _, tt := range []struct {
		name string
		err  error
		code sdkapi.Code
	}{
		{"a fault", away, sdkapi.StorageUnavailable},
		{"a wrapped fault", fmt.Errorf("reading: %w", away), sdkapi.StorageUnavailable},
		{"the outer of two", fault.New("x", sdkapi.InvalidImage, "bad").Because(away), sdkapi.InvalidImage},
		{"the caller left", fmt.Errorf("reading: %w", context.Canceled), sdkapi.Canceled},
		{"time ran out", context.DeadlineExceeded, sdkapi.Timeout},
		{"anything else", cause, sdkapi.Internal},
		{"nothing", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := fault.CodeOf(tt.err); got != tt.code {
				t.Errorf("%s: %q", tt.name, got)
			}
			if f := fault.From(tt.err); f != nil && strings.Contains(f.Message, "10.0.0.7") {
				t.Errorf("%s: the message tells the cause", tt.name)
			}
		})
	}
	if !errors.Is(away, cause) || !strings.Contains(away.Error(), "10.0.0.7") || !strings.Contains(away.Error(), "store.Get") {
		t.Errorf("the log would read %q", away)
	}
}

func Example() {
	err := fault.New("artifacts.Put", sdkapi.ValidationError, "the file is empty").At("body.file", "expected at least %d byte", 1)
	fmt.Println(err)
	fmt.Println(err.Details.Fields[0].Path, err.Details.Fields[0].Message)
	// Output:
	// artifacts.Put: the file is empty
	// body.file expected at least 1 byte
}

// Only what lies at the path or below it is renamed, and the fault that was
// given stays as it was.
func TestRenamed(t *testing.T) {
	t.Parallel()
	f := fault.New("op", sdkapi.ValidationError, "no").At("arguments", "a").At("arguments.x", "b").At("arguments[0]", "c").
		At("argumentsx", "d").At("body.arguments", "e")
	var got []string
	for _, field := range f.Renamed("arguments", "body").Details.Fields {
		got = append(got, field.Path)
	}
	if want := "body body.x body[0] argumentsx body.arguments"; strings.Join(got, " ") != want || f.Details.Fields[0].Path != "arguments" {
		t.Errorf("got %q, left %+v", got, f.Details.Fields)
	}
}
