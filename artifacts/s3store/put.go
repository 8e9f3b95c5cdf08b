package s3store

import (
	"context"
	"io"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Put implements artifacts.Store. It takes in all of r before it sends
// anything, in one request, which Amazon limits to 5 GB. The server checks
// what arrives against the SHA-256. If the server has the artifact, Put
// succeeds even when ctx has ended meanwhile.
//
// Whether an id is new is for the server to say. One that does not know
// If-None-Match is asked beforehand, so two Puts in the same moment may both
// succeed; one that ignores it lets the later Put win. Random ids make either
// a theory.
func (s *Store) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	const op = "s3store.Put"
	if !artifacts.ValidID(id) {
		return artifacts.Info{}, fault.New(op, sdkapi.Internal, "%q is no artifact id; nothing was stored", id)
	}
	spooled, info, err := s.spool(ctx, op, r)
	if err != nil {
		return artifacts.Info{}, err
	}
	defer spooled.remove()
	info.ID, info.ContentType = id, contentType
	if err := newUpload(s, op, spooled, info).run(ctx); err != nil {
		return artifacts.Info{}, err
	}
	return info, nil
}
