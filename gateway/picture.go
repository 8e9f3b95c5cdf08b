package gateway

import (
	"context"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// Picture is an image for a model: an artifact, or bytes from a request.
type Picture struct {
	store  artifacts.Store
	ID     string // the artifact's id; empty until Keep stores the image
	data   []byte // the image, if the request contained it
	sha256 string
}

// Picture returns the image that the input names or contains. Picture checks only the header of the
// image. The parameter field is the path of the input within the request, for error messages.
func (s Screens) Picture(ctx context.Context, in sdkapi.ImageSource, field string) (*Picture, error) {
	p := &Picture{ID: in.ArtifactID}
	img, err := s.Ask.Images.Image(ctx, in)
	if err == nil {
		p.sha256 = img.Source.SHA256
		p.store, err = s.StoreOf(ctx)
	}
	if err == nil {
		err = p.check(ctx, img)
	}
	if err != nil {
		return nil, fault.From(err).Renamed("body.image", field)
	}
	return p, nil
}

// check returns an error unless the image has a valid header.
func (p *Picture) check(ctx context.Context, img query.Image) (err error) {
	var head []byte
	if p.ID == "" {
		p.data, err = img.Source.Read(ctx)
		head = p.data
	} else {
		head, _, err = artifacts.Read(ctx, p.store, p.ID, MaxHeader)
	}
	if err == nil {
		_, err = perception.DecodeHeader(head)
	}
	return img.Blame(err)
}

// Keep stores the image as an artifact and sets ID, unless the image is already an artifact.
func (p *Picture) Keep(ctx context.Context) (err error) {
	if p.ID == "" {
		p.ID, err = artifacts.Keep(ctx, p.store, p.data)
	}
	return err
}

// Is reports whether the image has the same SHA-256 as the artifact with the given id. It returns
// false without an error if there is no such artifact.
func (p *Picture) Is(ctx context.Context, id string) (bool, error) {
	if p.ID == id {
		return true, nil
	}
	info, err := p.store.Stat(ctx, id)
	if fault.CodeOf(err) == sdkapi.ArtifactNotFound {
		return false, nil
	}
	return info.SHA256 == p.sha256, err
}

// MaxHeader is how many bytes from the start of an image are read to find the dimensions of the
// image. In a JPEG, a preview and camera metadata may precede the dimensions.
const MaxHeader = 512 << 10

// URI schemes with which MCP clients and tools name a file.
const (
	ArtifactScheme = "artifact:" // the URI continues with an artifact's id
	DataScheme     = "data:"     // the URI continues with the content of the file (RFC 2397)
)

// DataOf decodes a data URL, which must be base64.
func DataOf(url string) ([]byte, error) {
	data, err := query.DecodeBase64(url)
	if err != nil {
		return nil, fault.New("gateway.mcp", sdkapi.ValidationError, "the data: URL must contain base64, in the form data:image/png;base64,CONTENT").Because(err)
	}
	return data, nil
}

// UploadTool is the name of the tool that uploads a file. It is for clients that cannot upload in
// another way, such as MCP clients. Models of conversations do not get this tool, because they have
// no files to upload.
const UploadTool = "artifact.upload"
