package gateway

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// formOverhead is the maximum size, in bytes, of a form without its file: boundaries, headers
// and small fields.
const formOverhead = 64 << 10

// UploadInput is the input of a route that reads a multipart form as a stream. The forms of the
// library huma would hold the whole body in memory.
type UploadInput struct {
	contentType string
	body        io.Reader
}

var _ huma.Resolver = (*UploadInput)(nil)

// Resolve implements huma.Resolver.
func (in *UploadInput) Resolve(ctx huma.Context) []error {
	in.contentType, in.body = ctx.Header("Content-Type"), ctx.BodyReader()
	return nil
}

// OpenForm returns a reader of the request's multipart form. The reader accepts at most limit
// bytes, plus 64 KiB for boundaries, headers and small fields. OpenForm fails with
// UNSUPPORTED_MEDIA_TYPE if the content type of the body is not multipart/form-data.
func OpenForm(in *UploadInput, limit int64) (*multipart.Reader, error) {
	mediaType, params, err := mime.ParseMediaType(in.contentType)
	if err != nil || mediaType != "multipart/form-data" || params["boundary"] == "" {
		return nil, fault.New("gateway.upload", sdkapi.UnsupportedMediaType, "send the file as multipart/form-data, in a field named file").
			At("header.Content-Type", "expected multipart/form-data with a boundary")
	}
	return multipart.NewReader(io.LimitReader(in.body, limit+formOverhead), params["boundary"]), nil
}

// NextPart returns the form's next part, or nil without an error after the last part.
func NextPart(form *multipart.Reader) (*multipart.Part, error) {
	part, err := form.NextPart()
	switch {
	case err == io.EOF: // a wrapped io.EOF means that the form was cut short
		return nil, nil
	case errors.Is(err, io.ErrUnexpectedEOF), peer.IsTimeout(err):
		return nil, peer.BodyFault(err)
	case err != nil:
		return nil, fault.New("gateway.upload", sdkapi.MalformedBody, "the multipart form is incomplete or invalid").
			At("body", "expected multipart/form-data that ends with its boundary").Because(err)
	}
	return part, nil
}

// FileReader reads an uploaded file. It fails once the file exceeds the limit.
type FileReader struct {
	Err error // the first error of Read; nil if every read has succeeded

	part      *multipart.Part
	left, max int64 // bytes
}

// NewFileReader returns a reader for the file in a form's part. The reader fails if the file
// exceeds limit bytes.
func NewFileReader(part *multipart.Part, limit int64) *FileReader {
	return &FileReader{part: part, left: limit, max: limit}
}

// FormBody describes a form with a file and text fields, for the API document. The parameter fields
// maps the names of the text fields to their descriptions. Register the operation first and set its
// FormBody afterwards. In the other order, huma would read the body itself.
func FormBody(fields map[string]string) *huma.RequestBody {
	form := &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{}}
	for name, description := range fields {
		form.Properties[name] = &huma.Schema{Type: huma.TypeString, Description: description}
	}
	form.Properties["file"].Format = "binary"
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: form}}}
}

// Read implements io.Reader. It fills p unless the file ends or an error occurs. Its errors are
// faults whose messages may be shown to the client.
func (f *FileReader) Read(p []byte) (n int, err error) {
	if f.Err != nil {
		return 0, f.Err
	}
	// a form's part yields only 4 KiB at a time, and a store would write such small pieces
	for n < len(p) && err == nil {
		var m int
		m, err = f.part.Read(p[n:])
		n += m
	}
	if f.left -= int64(n); f.left < 0 {
		f.Err = fault.New("gateway.upload", sdkapi.PayloadTooLarge, "the file is larger than %d bytes, the limit", f.max).
			At("body.file", "expected at most %d bytes", f.max)
		return 0, f.Err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		f.Err = peer.BodyFault(err)
		return n, f.Err
	}
	return n, err
}

// UploadInvalid returns the fault for an invalid file. The parameter expected describes a valid file.
func UploadInvalid(message, expected string) error {
	return fault.New("gateway.upload", sdkapi.ValidationError, "%s", message).At("body.file", "%s", expected)
}
