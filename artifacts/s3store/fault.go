package s3store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// fault makes a fault of what a call returned, for the caller to read.
func (w *watch) fault(op, id string, err error) error {
	if ended := w.caller.Err(); ended != nil {
		return fault.From(fmt.Errorf("%s: %w", op, ended))
	}
	if errors.Is(context.Cause(w.ctx), errStalled) {
		err = fmt.Errorf("%w (%v): %w", errStalled, w.limit, err)
	}
	switch codeOf(err) {
	case minio.NoSuchKey:
		return artifacts.NotFound(op, id).Because(err)
	case minio.InvalidRange:
		return badRange(op).Because(err)
	}
	if full(err) {
		return fault.New(op, sdkapi.StorageFull, "the artifact storage has no room left; make some there, raise its quota, "+
			"or let artifacts expire (WINDIE_ARTIFACT_TTL)").Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "%s", advice(err)).Because(err)
}

// advice says what can be done about err, without naming the server.
func advice(err error) string {
	switch codeOf(err) {
	case minio.NoSuchBucket:
		return "the bucket for artifacts does not exist; create it, or let the gateway create it"
	case minio.AccessDenied, minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch:
		return "the artifact storage refuses the gateway's keys; check them, and their rights on the bucket"
	case minio.RequestTimeTooSkewed:
		return "the artifact storage refuses the gateway's clock; set the clock"
	case minio.InvalidRegion, minio.AuthorizationHeaderMalformed:
		return "the bucket for artifacts is in another region; set the region"
	case "":
		return "the artifact storage does not answer; check that it runs and that its address is right"
	}
	return "the artifact storage failed; try again, and see the log for its reason"
}

// full reports whether the server has no room, or no more for this bucket: by
// the status made for that, or in the words of MinIO and of Ceph.
func full(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && (answer.StatusCode == http.StatusInsufficientStorage ||
		slices.Contains([]string{"XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded"}, answer.Code))
}

// codeOf returns the S3 code in err's chain, or "" if the server has not answered. minio-go takes
// the status for the code of answers without one.
func codeOf(err error) string {
	var answer minio.ErrorResponse
	errors.As(err, &answer)
	switch answer.StatusCode {
	case http.StatusRequestedRangeNotSatisfiable:
		return minio.InvalidRange
	case http.StatusNotImplemented:
		return minio.NotImplemented
	}
	return answer.Code
}

func badRange(op string) *fault.Error {
	return fault.New(op, sdkapi.RangeNotSatisfiable, "the artifact ends before the range begins")
}

// errStalled ends the context of a call in which nothing moves any more.
var errStalled = errors.New("nothing moved between here and the storage server for too long")

// watch ends a call's context when nothing has moved for a while, and says why it ended.
type watch struct {
	ctx    context.Context // for the call
	caller context.Context // whose end means that nobody waits any more
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
}

// watchStalls watches a call from now on, until ctx ends. The caller also calls end.
func watchStalls(ctx context.Context, limit time.Duration) *watch {
	w := &watch{caller: ctx, limit: limit}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(limit, func() { w.cancel(errStalled) })
	return w
}

func (w *watch) moved() { w.timer.Reset(w.limit) }

// pause stops the clock while it is not the server's turn; moved starts it.
func (w *watch) pause() { w.timer.Stop() }

// end frees what the watch holds. It may be called again.
func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}
