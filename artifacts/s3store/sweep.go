package s3store

import (
	"context"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/windieos/windie/artifacts"
)

// noSuchUpload is what S3 says of an upload that has ended.
const noSuchUpload = "NoSuchUpload"

// Sweep implements artifacts.Sweeper: it aborts multipart uploads that were
// begun before a time, and never ended, under names that artifacts have. The
// store makes no such uploads; a proxy that splits what it passes on does, and
// what such uploads take up is paid for and not listed anywhere. Where the keys
// lack the rights for it, Sweep does nothing.
func (s *Store) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	const op = "s3store.Sweep"
	w := watchStalls(ctx, s.stallLimit)
	defer w.end()
	note := func(callErr error) {
		if callErr != nil && err == nil && !notForUs(callErr) {
			err = w.fault(op, "", callErr) // the first says enough
		}
	}
	var keyMarker, uploadMarker string
	for {
		w.moved()
		page, listErr := s.client.ListMultipartUploads(w.ctx, s.bucket, s.prefix, keyMarker, uploadMarker, "", 0)
		note(listErr)
		for _, upload := range page.Uploads {
			if !artifacts.ValidID(strings.TrimPrefix(upload.Key, s.prefix)) || !upload.Initiated.Before(before) {
				continue
			}
			w.moved()
			abortErr := s.client.AbortMultipartUpload(w.ctx, s.bucket, upload.Key, upload.UploadID)
			note(abortErr)
			if abortErr == nil {
				removed++
			}
		}
		again := page.NextKeyMarker == keyMarker && page.NextUploadIDMarker == uploadMarker // as a server might that does not know markers
		if listErr != nil || !page.IsTruncated || again || ctx.Err() != nil {
			return removed, err
		}
		keyMarker, uploadMarker = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// notForUs reports whether an upload cannot be listed or aborted because the
// keys may not, because the server does not know how, or because somebody was
// faster.
func notForUs(err error) bool {
	switch codeOf(err) {
	case minio.AccessDenied, minio.NotImplemented, noSuchUpload:
		return true
	}
	return false
}
