package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/sdkapi"
)

func (s *Server) addUpload() {
	register(s, huma.Operation{
		OperationID: "upload-artifact", Method: http.MethodPost, Path: sdkapi.ArtifactsPath, Tags: []string{"artifacts"},
		Summary: "Store a file",
		Description: fmt.Sprintf("Stores the form's `file`, at most %d bytes. Its type is found by looking at the content, not at the name.",
			s.cfg.MaxArtifactBytes),
		Errors: []int{400, 408, 413, 415, 422, 503, 507},
	}, s.upload)
	// Added afterwards: huma would read a body it knows of.
	s.api.OpenAPI().Paths[sdkapi.ArtifactsPath].Post.RequestBody = uploadForm()
}

func uploadForm() *huma.RequestBody {
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: &huma.Schema{
		Type: huma.TypeObject, Required: []string{"file"},
		Properties: map[string]*huma.Schema{"file": {Type: huma.TypeString, Format: "binary", Description: "The file."}},
	}}}}
}

func (s *Server) upload(ctx context.Context, in *uploadInput) (*body[sdkapi.Artifact], error) {
	store, err := s.storeOf(ctx)
	if err != nil {
		return nil, err
	}
	file, err := openFile(in, s.cfg.MaxArtifactBytes)
	if err != nil {
		return nil, err
	}
	head := make([]byte, artifacts.SniffLen)
	n, _ := io.ReadFull(file, head)
	switch {
	case file.err != nil:
		return nil, file.err
	case n == 0:
		return nil, uploadInvalid("the file is empty", "expected a file of at least one byte")
	}
	id, contentType := artifacts.Sniff(head[:n])
	info, err := store.Put(ctx, id, contentType, io.MultiReader(bytes.NewReader(head[:n]), file))
	switch {
	case file.err != nil: // the sender's fault, not the store's
		return nil, file.err
	case err != nil:
		return nil, err
	}
	return &body[sdkapi.Artifact]{Body: describeArtifact(ctx, info)}, nil
}

// openFile finds the form's file.
func openFile(in *uploadInput, limit int64) (*fileReader, error) {
	form, err := openForm(in, limit)
	if err != nil {
		return nil, err
	}
	for {
		part, err := nextPart(form)
		switch {
		case err != nil:
			return nil, err
		case part == nil:
			return nil, uploadInvalid("the form has no file", "expected a form field named file that holds the file")
		case part.FormName() == "file":
			return &fileReader{part: part, left: limit, max: limit}, nil
		}
	}
}
