package screens

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// addUpload adds the route that stores a file.
func (s *door) addUpload() {
	gateway.RegisterJSON(s.core, huma.Operation{
		OperationID: "upload-artifact", Method: http.MethodPost, Path: sdkapi.ArtifactsPath, Tags: []string{"artifacts"},
		Summary: "Upload a file",
		Description: fmt.Sprintf("Stores the form's `file`, at most %d bytes. The file's content decides its type. The file's name does not.",
			s.maxArtifactBytes),
		Errors: []int{400, 408, 413, 415, 422, 503, 507},
	}, s.upload)
	s.core.API.OpenAPI().Paths[sdkapi.ArtifactsPath].Post.RequestBody = gateway.FormBody(map[string]string{"file": "The file."})
}

// upload stores the file of the form. It reads the start of the file first, because the content decides the type.
func (s *door) upload(ctx context.Context, in *gateway.UploadInput) (*sdkapi.Artifact, error) {
	store, err := s.core.StoreOf(ctx)
	if err != nil {
		return nil, err
	}
	file, err := openFile(in, s.maxArtifactBytes)
	if err != nil {
		return nil, err
	}
	head := make([]byte, artifacts.SniffLen)
	n, _ := io.ReadFull(file, head)
	switch {
	case file.Err != nil:
		return nil, file.Err
	case n == 0:
		return nil, gateway.UploadInvalid("the file is empty", "expected a file of at least one byte")
	}
	id, contentType := artifacts.Sniff(head[:n])
	info, err := store.Put(ctx, id, contentType, io.MultiReader(bytes.NewReader(head[:n]), file))
	switch {
	case file.Err != nil: // the sender's error; the store's error only follows from it
		return nil, file.Err
	}
	return new(gateway.DescribeArtifact(ctx, info)), err
}

// openFile returns the first form field named file. Its reader fails above limit bytes.
func openFile(in *gateway.UploadInput, limit int64) (*gateway.FileReader, error) {
	form, err := gateway.OpenForm(in, limit)
	if err != nil {
		return nil, err
	}
	for {
		part, err := gateway.NextPart(form)
		switch {
		case err != nil:
			return nil, err
		case part == nil:
			return nil, gateway.UploadInvalid("the form has no file", "expected a form field named file that holds the file")
		case part.FormName() == "file":
			return gateway.NewFileReader(part, limit), nil
		}
	}
}
