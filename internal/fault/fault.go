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
	Code    sdkapi.Code         // kind of failure
	Message string              // for the caller
	Details sdkapi.ErrorDetails // for the caller
	Cause   error               // the underlying error; may be nil
}

// New returns a fault with a message for the caller.
func New(op string, code sdkapi.Code, format string, args ...any) *Error {
	return &Error{Op: op, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Exceeded returns the QUOTA_EXCEEDED error for a user who has reached a limit. what is the name of
// the limit; how explains how the user can free space.
func Exceeded(op, what string, used, limit int64, how string) *Error {
	e := New(op, sdkapi.QuotaExceeded, "%s: you already use %d of at most %d, so the request does not fit; %s", strings.ReplaceAll(what, "_", " "), used, limit, how)
	e.Details.Quota = &sdkapi.QuotaUsage{What: what, Used: used, Limit: limit}
	return e
}

// Because sets the private cause and returns e.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// At adds a field of the caller's input that is invalid, with its expected value, and returns e.
func (e *Error) At(path, format string, args ...any) *Error {
	e.Details.Fields = append(e.Details.Fields, sdkapi.FieldError{Path: path, Message: fmt.Sprintf(format, args...)})
	return e
}

// After sets the time after which the caller may retry, at least one second, and returns e.
func (e *Error) After(wait time.Duration) *Error {
	e.Details.RetryAfter = max(1, int(math.Ceil(wait.Seconds())))
	return e
}

// At returns err as a fault that names an invalid field of the input. Callers may share the fault
// in err, so At changes a copy.
func At(err error, path, expected string) *Error {
	f := *From(err)
	f.Details.Fields = append(slices.Clone(f.Details.Fields), sdkapi.FieldError{Path: path, Message: expected})
	return &f
}

// Renamed returns a copy of e with changed paths of fields. If a path is from, or is below from,
// Renamed replaces from by to. e itself is unchanged, because callers may share it.
func (e *Error) Renamed(from, to string) *Error {
	out := *e
	out.Details.Fields = slices.Clone(e.Details.Fields)
	for i, field := range out.Details.Fields {
		rest, found := strings.CutPrefix(field.Path, from)
		if found && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			out.Details.Fields[i].Path = to + rest
		}
	}
	return &out
}

// Error returns all details, for the log.
func (e *Error) Error() string {
	s := e.Op + ": " + e.Message
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// From returns the outermost fault in err's chain, and nil for nil. A context error becomes
// CANCELED or TIMEOUT, and any other error becomes INTERNAL.
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
