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

// A Reason says why a request did not get through, or in an Attempt that it did.
type Reason string

// The reasons.
const (
	Allowed          Reason = "allowed"            // in an Attempt only: it left, and a reply came
	Denied           Reason = "denied"             // no rule matches
	PrivateAddress   Reason = "private_address"    // the host is inside a network its rules do not open
	NoSecret         Reason = "no_secret"          // a rule names a secret that is not there or cannot be sent
	TooManyRequests  Reason = "too_many_requests"  // the session has made all it may
	TooManyRedirects Reason = "too_many_redirects" // one request was sent on too often
	TooLarge         Reason = "too_large"          // a body, a header or the session has more bytes than it may
	BadRequest       Reason = "bad_request"        // the URL, method or header cannot be sent safely
	BadResponse      Reason = "bad_response"       // the server's reply cannot be read
	Unreachable      Reason = "unreachable"        // there is no such host, or it does not answer
	Timeout          Reason = "timeout"            // the server was too slow
	Canceled         Reason = "canceled"           // the caller left
)

// Error is why a request did not get through. Its fault's message is for the
// guest: it holds no secret, and no address that a host resolved to.
type Error struct {
	Reason Reason
	Hint   string       // the rule that would allow it, as a line of JSON; empty when none would
	Fault  *fault.Error // never nil
}

// Error returns everything, for the log. There is no secret in it.
func (e *Error) Error() string { return e.Fault.Error() }

// Unwrap returns the fault, which has the cause.
func (e *Error) Unwrap() error { return e.Fault }

// ReasonOf returns the Reason of the *Error in err's chain: Allowed for nil, "" when there is none.
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

// because keeps err as the cause, without any secret a server may have put in
// its text, and returns e.
func (e *Error) because(v *vault, err error) *Error {
	text := v.redact(err.Error())
	e.Fault.Cause = &cause{text: text[:min(len(text), maxCause)], err: err}
	return e
}

// seal takes secrets out of what e shows: a guest may have one from elsewhere,
// and have put it into its request.
func (e *Error) seal(v *vault) {
	e.Fault.Message, e.Hint = v.redact(e.Fault.Message), v.redact(e.Hint)
}

// cause is an error that shows only its text and what it matches.
type cause struct {
	text string
	err  error
}

func (c *cause) Error() string        { return c.text }
func (c *cause) Is(target error) bool { return errors.Is(c.err, target) }

// failed makes an Error of what the network, or reading from it, came to.
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
		return fail(Timeout, "%s took too long to answer; try again later or ask for less", where).because(c.vault, err)
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return fail(Unreachable, "there is no host %s", where).because(c.vault, err)
	case errors.As(err, &cert):
		return fail(Unreachable, "the certificate of %s is not trusted", where).because(c.vault, err)
	case isHeaderTooLarge(err):
		return fail(TooLarge, "the header of the reply has more than %d bytes", c.limits.HeaderBytes).because(c.vault, err)
	}
	return fail(Unreachable, "%s does not answer as it should; try again later", where).because(c.vault, err)
}

// refusal says that t's address may not be reached, and how to allow it.
func refusal(t target, err *addressError) *Error {
	if err.class == private {
		e := fail(PrivateAddress, "%s is inside a private network, which the grant does not open", t.where())
		e.Hint = t.hint(true)
		return e
	}
	return fail(PrivateAddress, "%s is at an address that no plugin may reach", t.where())
}

// isHeaderTooLarge decides by the text, since net/http has no type for it. Over
// HTTP/2 a single value that is too long ends its decompression.
func isHeaderTooLarge(err error) bool {
	return slices.ContainsFunc([]string{
		"response headers exceeded", "header list larger", "connection error: COMPRESSION_ERROR",
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}
