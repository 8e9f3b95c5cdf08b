package s3store

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Get implements artifacts.Store. Config.StallLimit limits only the time in which the reader waits
// for the server. The time between two calls of Read does not count, because a slow caller does not
// mean a slow server.
func (s *Store) Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	const op = "s3store.Get"
	switch {
	case !artifacts.ValidID(id):
		return nil, artifacts.Info{}, artifacts.NotFound(op, id)
	case offset < 0:
		return nil, artifacts.Info{}, badRange(op)
	case length == 0: // HTTP has no empty range
		return s.nothing(ctx, op, id, offset)
	}
	r, info, err := s.verified(ctx, op, id, offset, length)
	if codeOf(err) == minio.InvalidRange {
		return s.nothing(ctx, op, id, offset) // S3 has no empty range at the end
	}
	return r, info, err
}

// verified requests the pieces that contain the bytes, and verifies them. length is not 0.
func (s *Store) verified(ctx context.Context, op, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	from, most := artifacts.PieceStart(offset), int64(-1)
	if length > 0 && offset <= math.MaxInt64-length-artifacts.PieceSize {
		most = artifacts.PieceEnd(offset+length) - from
	}
	body, about, err := s.get(ctx, op, id, from, most)
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	left := about.Size - offset
	if left <= 0 {
		_ = body.Close() // the content is not needed
		if left < 0 {
			return nil, artifacts.Info{}, badRange(op)
		}
		return http.NoBody, about.Info, nil
	}
	if length > 0 {
		left = min(left, length)
	}
	if about.pieces.Missing() && left < about.Size {
		_ = body.Close() // the whole is read first
		return s.part(ctx, op, id, offset, left)
	}
	r, err := artifacts.Verify(op, body, about.Info, about.pieces, offset, left)
	return r, about.Info, err
}

// part returns a range of an artifact without piece checksums, after verifying the whole artifact.
func (s *Store) part(ctx context.Context, op, id string, offset, length int64) (io.ReadCloser, artifacts.Info, error) {
	whole, about, err := s.get(ctx, op, id, 0, -1)
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	err = artifacts.CheckWhole(op, whole, about.Info)
	_ = whole.Close() // a failed close of a reader loses nothing
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	body, about, err := s.get(ctx, op, id, offset, length)
	return body, about.Info, err
}

// get opens length bytes of an object from offset on, without verification. If length is negative,
// it opens all bytes from offset on.
func (s *Store) get(ctx context.Context, op, id string, offset, length int64) (io.ReadCloser, described, error) {
	w := watchStalls(ctx, s.stallLimit)
	body, about, err := s.ask(w, op, id, offset, length)
	if err != nil {
		w.end()
		return nil, described{}, err
	}
	w.pause()
	return &reader{body: body, watch: w}, about, nil
}

// ask requests an object for get. It refuses a server that ignores the range. The size in the
// description is that of the whole object. The caller closes the body.
func (s *Store) ask(w *watch, op, id string, offset, length int64) (io.ReadCloser, described, error) {
	var opts minio.GetObjectOptions
	var err error
	switch {
	case length > 0:
		err = opts.SetRange(offset, offset+min(length, math.MaxInt64-offset)-1)
	case offset > 0:
		err = opts.SetRange(offset, 0) // to the end
	}
	if err != nil {
		return nil, described{}, w.fault(op, id, err)
	}
	body, object, header, err := s.client.GetObject(w.ctx, s.bucket, s.key(id), opts)
	if err != nil {
		return nil, described{}, w.fault(op, id, err)
	}
	info, err := infoOf(op, id, object)
	if err == nil && opts.Header().Get("Range") != "" {
		info.Size, err = sizeOfWhole(op, header, offset)
	}
	if err != nil {
		_ = body.Close()
		return nil, described{}, err
	}
	object.Size = info.Size
	return body, described{info, piecesOf(object)}, nil
}

// nothing returns an empty reader at offset, which may be the end.
func (s *Store) nothing(ctx context.Context, op, id string, offset int64) (io.ReadCloser, artifacts.Info, error) {
	info, err := s.Stat(ctx, id)
	if err == nil && offset > info.Size {
		err = badRange(op)
	}
	if err != nil {
		return nil, artifacts.Info{}, err
	}
	return http.NoBody, info, nil
}

// sizeOfWhole returns the size of an object from the response to a range request. It refuses a
// response with any other range, for example the whole object.
func sizeOfWhole(op string, header http.Header, offset int64) (int64, error) {
	text := header.Get("Content-Range") // for example "bytes 0-99/1234"
	part, size, _ := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	begin, _, _ := strings.Cut(part, "-")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || begin != strconv.FormatInt(offset, 10) {
		return 0, fault.New(op, sdkapi.StorageUnavailable, "the artifact storage ignores range requests, which the gateway needs; use an S3 server that supports them").
			Because(fmt.Errorf("the gateway requested the bytes from byte %d on, but the response has the Content-Range %q", offset, text))
	}
	return n, nil
}

// reader reads an object. The watch limits the time of each Read.
type reader struct {
	body  io.ReadCloser
	watch *watch
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	r.watch.moved()
	n, err := r.body.Read(p)
	r.watch.pause()
	if err != nil && err != io.EOF { //nolint:errorlint // a wrapped one means that the content was cut short
		err = r.watch.fault("s3store.Read", "", err)
	}
	return n, err
}

// Close implements io.Closer.
func (r *reader) Close() error {
	defer r.watch.end()
	return r.body.Close()
}
