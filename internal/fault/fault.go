// Package fault carries a failure from its place of origin to the places that report it.
//
//	return fault.New("artifacts.Get", sdkapi.ArtifactNotFound, "there is no artifact %q", id).Because(err)
//
// A fault has two audiences. Code, Message and Details are for the caller and safe to send
// anywhere. Op and Cause are for the operator and stay in the log.
package fault

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// Error is a failure with a code, a safe message and a private cause.
type Error struct {
	Op      string              // the failed operation, for example "artifacts.Get"
	Code    sdkapi.Code         // code of the kind of failure
	Message string              // message that the caller gets
	Details sdkapi.ErrorDetails // details that the caller gets
	Cause   error               // the underlying error; may be nil
}

// New returns a fault with a message for the caller.
func New(op string, code sdkapi.Code, format string, args ...any) *Error {
	return &Error{Op: op, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Exceeded returns a QUOTA_EXCEEDED error for a request that does not fit into a user's quota.
// quota is the name of the limit, for example "artifact_bytes"; used is the current usage. advice
// explains how the user can free space.
func Exceeded(op, quota string, used, limit int64, advice string) *Error {
	e := New(op, sdkapi.QuotaExceeded, "%s: you already use %d of at most %d, so the request does not fit; %s", strings.ReplaceAll(quota, "_", " "), used, limit, advice)
	e.Details.Quota = &sdkapi.QuotaUsage{What: quota, Used: used, Limit: limit}
	return e
}

// Because sets the cause of e and returns e. The log shows the cause; clients do not get it.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// At adds an invalid field of the caller's input to e.Details, and returns e. path names the field;
// format and args describe the expected value.
func (e *Error) At(path, format string, args ...any) *Error {
	e.Details.Fields = append(e.Details.Fields, sdkapi.FieldError{Path: path, Message: fmt.Sprintf(format, args...)})
	return e
}

// After sets the delay before the caller may retry, and returns e. The delay is rounded up to whole
// seconds, and is at least one second.
func (e *Error) After(delay time.Duration) *Error {
	e.Details.RetryAfter = max(1, int(math.Ceil(delay.Seconds())))
	return e
}

// At returns err as a fault with one more invalid field of the caller's input. path names the
// field; expected describes the expected value. At does not change err, because callers may share
// the fault in err.
func At(err error, path, expected string) *Error {
	f := *From(err)
	f.Details.Fields = append(slices.Clone(f.Details.Fields), sdkapi.FieldError{Path: path, Message: expected})
	return &f
}

// Renamed returns a copy of e with renamed fields: in the paths in e.Details, newPath replaces
// oldPath. Fields below oldPath are renamed too. For example, if oldPath is "a" and newPath is "b",
// "a.x" becomes "b.x". Renamed does not change e, because callers may share e.
func (e *Error) Renamed(oldPath, newPath string) *Error {
	out := *e
	out.Details.Fields = slices.Clone(e.Details.Fields)
	for i, field := range out.Details.Fields {
		rest, found := strings.CutPrefix(field.Path, oldPath)
		if found && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			out.Details.Fields[i].Path = newPath + rest
		}
	}
	return &out
}

// Error returns the operation, the message and the cause, for the log.
func (e *Error) Error() string {
	s := e.Op + ": " + e.Message
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// From returns err as a fault, and nil for nil. If err's chain has faults, From returns the
// outermost fault. If not, a context error becomes CANCELED or TIMEOUT, and any other error becomes
// INTERNAL.
func From(err error) *Error {
	if err == nil { // the most frequent case
		return nil
	}
	if f, ok := errors.AsType[*Error](err); ok {
		return f
	}
	switch {
	case errors.Is(err, context.Canceled):
		return New("request", sdkapi.Canceled, "the request was canceled").Because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return New("request", sdkapi.Timeout, "the work took too long and was stopped; try a smaller input").Because(err)
	}
	return New("request", sdkapi.Internal, "the gateway failed; its log has the reason under this request id").Because(err)
}

// CodeOf returns the code of From(err), or "" for nil.
func CodeOf(err error) sdkapi.Code {
	if f := From(err); f != nil {
		return f.Code
	}
	return ""
}
