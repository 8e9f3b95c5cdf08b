package artifacts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// SourceError means that Put could not read the content, or that the context of Put has ended.
// Other errors of Put are failures of the store.
type SourceError struct{ Err error }

// Error implements error.
func (e *SourceError) Error() string { return fmt.Sprintf("reading the content: %v", e.Err) }

// Unwrap returns the underlying error.
func (e *SourceError) Unwrap() error { return e.Err }

// Receive copies the content of a new artifact from r to w, for a store. The returned Info has the size, the SHA-256
// and the current time. The returned Pieces are the checksums of the content. If r fails or ctx ends, Receive returns a
// *SourceError. If w fails, Receive returns the error of w.
func Receive(ctx context.Context, w io.Writer, r io.Reader) (Info, Pieces, error) {
	from, hash, pieces := &source{ctx: ctx, r: r}, sha256.New(), newSumming()
	size, err := io.Copy(io.MultiWriter(w, hash, pieces), from)
	switch {
	case from.err != nil:
		return Info{}, nil, &SourceError{from.err}
	case err != nil:
		return Info{}, nil, err
	case ctx.Err() != nil:
		return Info{}, nil, &SourceError{ctx.Err()}
	}
	info := Info{Size: size, SHA256: hex.EncodeToString(hash.Sum(nil)), CreatedAt: time.Now().UTC().Truncate(time.Second)}
	return info, pieces.pieces(), nil
}

// source reads r until ctx ends. It remembers an error of r, so that Receive can distinguish it
// from an error of the writer.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF { // compared with ==, as io.Copy does
		s.err = err
	}
	return n, err
}

// windowsFull has the Windows errors ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and
// ERROR_DISK_QUOTA_EXCEEDED. On other systems the numbers mean other errors.
var windowsFull = []syscall.Errno{39, 112, 1295}

// Full reports whether err, an error of a file system, means that the disk or the user's quota is
// full.
func Full(err error) bool {
	var code syscall.Errno
	if !errors.As(err, &code) {
		return false
	}
	return code == syscall.ENOSPC || code == syscall.EDQUOT || runtime.GOOS == "windows" && slices.Contains(windowsFull, code)
}
