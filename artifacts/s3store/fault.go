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

// fault converts the error of a call to a fault for the caller.
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
		return fault.New(op, sdkapi.StorageFull, "the artifact storage is full; free space there, raise its quota, or set WINDIE_ARTIFACT_TTL so that artifacts expire").Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "%s", advice(err)).Because(err)
}

// advice returns what an operator can do about err. It does not name the server.
func advice(err error) string {
	switch codeOf(err) {
	case minio.NoSuchBucket:
		return "the bucket for artifacts does not exist; create it, or let the gateway create it"
	case minio.AccessDenied, minio.InvalidAccessKeyID, minio.SignatureDoesNotMatch:
		return "the artifact storage refuses the gateway's keys; check the keys and their permissions on the bucket"
	case minio.RequestTimeTooSkewed:
		return "the artifact storage refuses requests because the gateway's clock is wrong; set the clock"
	case minio.InvalidRegion, minio.AuthorizationHeaderMalformed:
		return "the bucket for artifacts is in another region than configured; set the bucket's region"
	case "":
		return "the artifact storage does not respond; check that it runs and that its address is correct"
	}
	return "the artifact storage failed; try again; the log has the reason"
}

// full reports whether the server or the bucket's quota is full: by the status 507, or by a code of
// MinIO or Ceph.
func full(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && (answer.StatusCode == http.StatusInsufficientStorage ||
		slices.Contains([]string{"XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded"}, answer.Code))
}

// codeOf returns the S3 code in err's chain, or "" if the server has not answered. For an answer
// without a code, minio-go uses the status; codeOf converts it to a code.
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

// badRange returns the fault RANGE_NOT_SATISFIABLE for a range that begins behind the end.
func badRange(op string) *fault.Error {
	return fault.New(op, sdkapi.RangeNotSatisfiable, "the requested range begins after the end of the artifact; request an earlier range")
}

// errStalled ends the context of a call in which no data has moved for too long.
var errStalled = errors.New("the connection to the storage server stalled: no data moved within the time limit")

// watch ends a call's context when no data has moved for a time limit, and records the reason.
type watch struct {
	ctx    context.Context // for the call
	caller context.Context // when it ends, nobody waits for the call
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
}

// watchStalls begins to watch a call, until ctx ends. The caller must call end.
func watchStalls(ctx context.Context, limit time.Duration) *watch {
	w := &watch{caller: ctx, limit: limit}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(limit, func() { w.cancel(errStalled) })
	return w
}

// moved restarts the time limit, because data has moved.
func (w *watch) moved() { w.timer.Reset(w.limit) }

// pause stops the time limit while the server has nothing to do. moved restarts it.
func (w *watch) pause() { w.timer.Stop() }

// end releases the watch's resources. It may be called again.
func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}
