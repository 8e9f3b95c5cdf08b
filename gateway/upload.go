package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// formOverhead is what a form may hold besides the file: boundaries, headers
// and small fields.
const formOverhead = 64 << 10

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

// uploadInput takes the body as a stream; huma's own forms hold it whole.
type uploadInput struct {
	contentType string
	body        io.Reader
}

var _ huma.Resolver = (*uploadInput)(nil)

// Resolve implements huma.Resolver.
func (in *uploadInput) Resolve(ctx huma.Context) []error {
	in.contentType, in.body = ctx.Header("Content-Type"), ctx.BodyReader()
	return nil
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

// describeArtifact tells what is stored, and where the caller of ctx's request finds it.
func describeArtifact(ctx context.Context, info artifacts.Info) sdkapi.Artifact {
	var expires *time.Time
	if !info.ExpiresAt.IsZero() {
		expires = &info.ExpiresAt
	}
	return sdkapi.Artifact{
		ArtifactID:  info.ID,
		ContentType: info.ContentType,
		SizeBytes:   info.Size,
		SHA256:      info.SHA256,
		URL:         requestOf(ctx).base + sdkapi.ArtifactsPath + info.ID,
		ExpiresAt:   expires,
	}
}

// fileReader reads an uploaded file up to a limit. err is what went wrong with
// it, for the sender; it stays nil when the file ends as it should.
type fileReader struct {
	part *multipart.Part
	left int64
	max  int64
	err  error
}

// openForm reads the request's body as a form of at most limit bytes, and what
// a form needs besides.
func openForm(in *uploadInput, limit int64) (*multipart.Reader, error) {
	mediaType, params, err := mime.ParseMediaType(in.contentType)
	if err != nil || mediaType != "multipart/form-data" || params["boundary"] == "" {
		return nil, fault.New("gateway.upload", sdkapi.UnsupportedMediaType, "send the file as multipart/form-data, in a field named file").
			At("header.Content-Type", "expected multipart/form-data with a boundary")
	}
	return multipart.NewReader(io.LimitReader(in.body, limit+formOverhead), params["boundary"]), nil
}

// nextPart returns the form's next part, nil after the last.
func nextPart(form *multipart.Reader) (*multipart.Part, error) {
	part, err := form.NextPart()
	switch {
	case err == io.EOF: // exactly: a wrapped one means that the form was cut short
		return nil, nil
	case errors.Is(err, io.ErrUnexpectedEOF), isTimeout(err):
		return nil, bodyFault(err)
	case err != nil:
		return nil, fault.New("gateway.upload", sdkapi.MalformedBody, "the body is not a whole multipart form").
			At("body", "expected multipart/form-data that ends with its boundary").Because(err)
	}
	return part, nil
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

// Read implements io.Reader. Its errors are faults the sender may read. It
// fills p if it can: a form's part yields 4 KiB at a time, and stores would
// write as little.
func (f *fileReader) Read(p []byte) (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	for n < len(p) && err == nil {
		var m int
		m, err = f.part.Read(p[n:])
		n += m
	}
	if f.left -= int64(n); f.left < 0 {
		f.err = fault.New("gateway.upload", sdkapi.PayloadTooLarge, "the file is larger than %d bytes, the most that is stored", f.max).
			At("body.file", "expected at most %d bytes", f.max)
		return 0, f.err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = bodyFault(err)
		return n, f.err
	}
	return n, err
}

func uploadInvalid(message, expected string) error {
	return fault.New("gateway.upload", sdkapi.ValidationError, "%s", message).At("body.file", "%s", expected)
}
