package docs

import (
	"net/http"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// The plain page has each operation, whatever its method.
func TestPlainPageHasAllMethods(t *testing.T) {
	t.Parallel()
	doc := &huma.OpenAPI{Info: &huma.Info{}}
	want := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	for _, method := range want {
		doc.AddOperation(&huma.Operation{Method: method, Path: "/thing"})
	}
	var got []string
	for _, op := range operationsOf(doc).Operations {
		got = append(got, op.Method)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the page has %v, want %v", got, want)
	}
}
