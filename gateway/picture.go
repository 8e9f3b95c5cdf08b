package gateway

import (
	"context"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// Picture is an image for a model: an artifact, or bytes that came with a request.
type Picture struct {
	store  artifacts.Store
	ID     string // empty while it is not kept
	data   []byte // of one that is not
	sha256 string
}

// Picture returns the image that in names or holds, once its header has been read.
// Faults name field, which is where the request has in.
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

// check reads the header of the image, and fails where it has none.
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

// Keep stores the image as an artifact, unless it is one.
func (p *Picture) Keep(ctx context.Context) (err error) {
	if p.ID == "" {
		p.ID, err = artifacts.Keep(ctx, p.store, p.data)
	}
	return err
}

// Is reports whether the image is the same as an artifact.
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

// MaxHeader is how many bytes from the beginning of an image hold its size. Before it
// a JPEG may have a preview, and notes of the camera.
const MaxHeader = 512 << 10

// Schemes of the URIs by which clients of MCP, and tools, name a file.
const (
	ArtifactScheme = "artifact:" // an artifact's id follows
	DataScheme     = "data:"     // the file itself follows (RFC 2397)
)

// DataOf returns what a data URL holds.
func DataOf(url string) ([]byte, error) {
	data, err := query.DecodeBase64(url)
	if err != nil {
		return nil, fault.New("gateway.mcp", sdkapi.ValidationError, "the data: URL holds no base64; it begins as data:image/png;base64,").Because(err)
	}
	return data, nil
}

// UploadTool is the tool by which clients without another way, as of MCP, hand over
// a file. Models of conversations have no files of their own and are not offered it.
const UploadTool = "artifact.upload"
