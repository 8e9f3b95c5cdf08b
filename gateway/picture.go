package gateway

import (
	"context"
	"io"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// picture is an image that a model is to be shown: an artifact that is there, or
// the bytes that came with a request.
type picture struct {
	store  artifacts.Store
	id     string // empty while it is not kept
	data   []byte // of one that is not
	sha256 string
}

// picture finds the image that in names or holds, and looks whether it is one
// that can be read. Faults name the field that in is.
func (s screens) picture(ctx context.Context, in sdkapi.ImageSource, field string) (*picture, error) {
	p := &picture{id: in.ArtifactID}
	sc, err := s.screenOf(ctx, in)
	if err == nil {
		p.sha256 = sc.source.SHA256
		p.store, err = s.storeOf(ctx)
	}
	if err == nil {
		err = p.look(ctx, sc)
	}
	if err != nil {
		return nil, renamed(fault.From(err), imageField, field)
	}
	return p, nil
}

// look reads what the image says of itself.
func (p *picture) look(ctx context.Context, sc screen) (err error) {
	var head []byte
	if p.id == "" {
		p.data, err = sc.source.Read(ctx)
		head = p.data
	} else {
		head, err = p.head(ctx)
	}
	if err == nil {
		_, err = perception.DecodeHeader(head)
	}
	return sc.blame(err)
}

// head reads as much of the artifact as tells how large an image it is.
func (p *picture) head(ctx context.Context) ([]byte, error) {
	r, _, err := p.store.Get(ctx, p.id, 0, maxHeader)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// keep makes an artifact of it, unless it is one.
func (p *picture) keep(ctx context.Context) (err error) {
	if p.id == "" {
		p.id, err = keepFile(ctx, p.store, p.data)
	}
	return err
}

// is reports whether it is the same image as an artifact.
func (p *picture) is(ctx context.Context, id string) (bool, error) {
	if p.id == id {
		return true, nil
	}
	info, err := p.store.Stat(ctx, id)
	if fault.CodeOf(err) == sdkapi.ArtifactNotFound {
		return false, nil
	}
	return info.SHA256 == p.sha256, err
}
