package source

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// elsewhere is a place that has another artifact, whatever it is asked for.
type elsewhere struct{}

func (elsewhere) resolve(context.Context, string) (ocispec.Descriptor, error) {
	return ocispec.Descriptor{Digest: digest.FromString("another")}, nil
}

func (elsewhere) open(context.Context, ocispec.Descriptor) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("another")), nil
}

// A reference with a digest takes nothing else, whatever a place says that it has there. The error
// says which digest is whose.
func TestPinHoldsAnywhere(t *testing.T) {
	t.Parallel()
	ref := Reference{Host: "registry.example", Path: "a", Digest: digest.FromString("this").String()}
	want := "the registry has the digest " + digest.FromString("another").String() + " for the pinned reference " + ref.String() + "; if you expect the change"
	if p, err := (reader{elsewhere{}, 1}).fetch(t.Context(), ref); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%+v, %v", p, err)
	}
}
