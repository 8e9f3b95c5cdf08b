package oauth

import (
	"errors"
	"fmt"
)

// Code is an error code of OAuth, for programs.
type Code string

// The codes, from RFC 6749, 7591 and 8707.
const (
	InvalidRequest  Code = "invalid_request"
	InvalidClient   Code = "invalid_client"
	InvalidGrant    Code = "invalid_grant"
	InvalidScope    Code = "invalid_scope"
	InvalidTarget   Code = "invalid_target"
	InvalidRedirect Code = "invalid_redirect_uri"
	InvalidMetadata Code = "invalid_client_metadata"
	AccessDenied    Code = "access_denied"

	UnsupportedResponse Code = "unsupported_response_type"
	UnsupportedGrant    Code = "unsupported_grant_type"
	Unavailable         Code = "temporarily_unavailable"
)

// Error is the refusal of a client's request.
type Error struct {
	Code        Code
	Description string // what to do, in printable ASCII
	cause       error
}

// Error implements error.
func (e *Error) Error() string { return "oauth: " + string(e.Code) + ": " + e.Description }

// Unwrap returns the cause, for the log.
func (e *Error) Unwrap() error { return e.cause }

// Refuse returns an Error.
func Refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Description: printable(fmt.Sprintf(format, args...))}
}

// because adds the cause.
func (e *Error) because(cause error) *Error {
	e.cause = cause
	return e
}

// RefusalOf returns the refusal in err, or nil if there is none.
func RefusalOf(err error) *Error {
	refusal, _ := errors.AsType[*Error](err)
	return refusal
}

// printable replaces what error descriptions must not contain (RFC 6749, section 5.2).
func printable(text string) string {
	out := []byte(text)
	for i, b := range out {
		if b < ' ' || b > '~' || b == '"' || b == '\\' {
			out[i] = '?'
		}
	}
	return string(out)
}
