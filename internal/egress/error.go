package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Reason says why a request failed. In an Attempt, it may also say that the request succeeded.
type Reason string

// The reasons.
const (
	Allowed Reason = "allowed" // the request was sent and a reply came; only in an Attempt
	Denied  Reason = "denied"  // no rule matches the request
	// PrivateAddress means that the host has an address that its rules do not allow: a private
	// address, or an address that no rule can allow.
	PrivateAddress   Reason = "private_address"
	NoSecret         Reason = "no_secret"          // a rule names a secret that is missing or cannot be sent
	TooManyRequests  Reason = "too_many_requests"  // the session has used all its requests
	TooManyRedirects Reason = "too_many_redirects" // one request was redirected too often
	TooLarge         Reason = "too_large"          // a body, a header or the session exceeds its limit
	BadRequest       Reason = "bad_request"        // the URL, method or header cannot be sent safely
	BadResponse      Reason = "bad_response"       // the server's reply is invalid
	Unreachable      Reason = "unreachable"        // the host does not exist or does not respond
	Timeout          Reason = "timeout"            // the server responded too slowly
	Canceled         Reason = "canceled"           // the caller canceled the request
)

// Error is the failure of a request. The message of its fault is for the guest: it contains no
// secret and no resolved address of a host.
type Error struct {
	Reason Reason
	Hint   string       // the rule that would allow the request, as a line of JSON; empty if no rule can allow it
	Fault  *fault.Error // fault with the message for the guest; never nil
}

// Error returns all details, without secrets, for the log.
func (e *Error) Error() string { return e.Fault.Error() }

// Unwrap returns the fault, which contains the cause.
func (e *Error) Unwrap() error { return e.Fault }

// ReasonOf returns the Reason of the first *Error in err's chain. It returns Allowed if err is nil,
// and "" if the chain has no *Error.
func ReasonOf(err error) Reason {
	var e *Error
	switch {
	case err == nil:
		return Allowed
	case errors.As(err, &e):
		return e.Reason
	}
	return ""
}

// fail returns an error whose formatted message is for the guest. The message must contain no
// resolved address.
func fail(reason Reason, format string, args ...any) *Error {
	code := sdkapi.ToolError
	switch reason {
	case Timeout:
		code = sdkapi.Timeout
	case Canceled:
		code = sdkapi.Canceled
	}
	return &Error{Reason: reason, Fault: fault.New("egress.Do", code, format, args...)}
}

// because makes err the cause of e, and returns e. It removes secrets from the text of err: a
// server may have put them there.
func (e *Error) because(v *vault, err error) *Error {
	text := v.redact(err.Error())
	e.Fault.Cause = &cause{text: text[:min(len(text), maxCause)], err: err}
	return e
}

// seal removes secrets from e's texts. A guest may have obtained one elsewhere and put it into its
// request.
func (e *Error) seal(v *vault) {
	e.Fault.Message, e.Hint = v.redact(e.Fault.Message), v.redact(e.Hint)
}

// cause is an error of which only the text, and matching by errors.Is, are visible.
type cause struct {
	text string
	err  error
}

// Error returns the text of the cause, without secrets and cut at maxCause bytes.
func (c *cause) Error() string { return c.text }

// Is matches the errors in the chain of the cause, so callers can use errors.Is. The chain itself
// stays hidden, because its texts may contain secrets.
func (c *cause) Is(target error) bool { return errors.Is(c.err, target) }

// failed converts an error of the network, or of reading from it, to an Error.
func (c *Client) failed(ctx context.Context, t target, err error) *Error {
	var (
		known   *Error
		refused *addressError
		unknown *net.DNSError
		cert    *tls.CertificateVerificationError
		slow    net.Error
	)
	where := t.where()
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused):
		return refusal(t, refused).because(c.vault, err)
	case errors.Is(ctx.Err(), context.Canceled):
		return fail(Canceled, "the request to %s was canceled", where).because(c.vault, err)
	case ctx.Err() != nil, errors.As(err, &slow) && slow.Timeout():
		return fail(Timeout, "%s took too long to respond; try again later, or request less", where).because(c.vault, err)
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return fail(Unreachable, "the host %s does not exist; check its name", where).because(c.vault, err)
	case errors.As(err, &cert):
		return fail(Unreachable, "the gateway does not trust the certificate of %s; the operator can check or replace it", where).because(c.vault, err)
	case isHeaderTooLarge(err):
		return fail(TooLarge, "the header of the reply has more than %d bytes", c.limits.HeaderBytes).because(c.vault, err)
	}
	return fail(Unreachable, "%s does not respond, or its response is invalid; try again later", where).because(c.vault, err)
}

// refusal returns the error for a forbidden address, with a hint how to allow it.
func refusal(t target, err *addressError) *Error {
	if err.class == private {
		e := fail(PrivateAddress, "%s is in a private network, and the grant does not allow private addresses for it", t.where())
		e.Hint = t.hint(true)
		return e
	}
	return fail(PrivateAddress, "%s has an address that plugins may never reach; use another host", t.where())
}

// isHeaderTooLarge checks the error's text, because net/http has no type for it. Over HTTP/2, a
// single value that is too long breaks the header compression.
func isHeaderTooLarge(err error) bool {
	return slices.ContainsFunc([]string{
		"response headers exceeded", "header list larger", "connection error: COMPRESSION_ERROR",
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}
