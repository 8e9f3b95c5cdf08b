package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// StatusOf maps each error code to its HTTP status. All error responses use it.
var StatusOf = map[sdkapi.Code]int{
	sdkapi.MalformedBody:            http.StatusBadRequest,
	sdkapi.AuthRequired:             http.StatusUnauthorized,
	sdkapi.OriginRefused:            http.StatusForbidden,
	sdkapi.ToolForbidden:            http.StatusForbidden,
	sdkapi.OperatorOnly:             http.StatusForbidden,
	sdkapi.PermissionDenied:         http.StatusForbidden,
	sdkapi.KeyRequired:              http.StatusForbidden,
	sdkapi.ConnectionRequired:       http.StatusForbidden,
	sdkapi.NotFound:                 http.StatusNotFound,
	sdkapi.ArtifactNotFound:         http.StatusNotFound,
	sdkapi.TextNotFound:             http.StatusNotFound,
	sdkapi.CandidateNotFound:        http.StatusNotFound,
	sdkapi.TargetNotFound:           http.StatusNotFound,
	sdkapi.ToolNotFound:             http.StatusNotFound,
	sdkapi.SessionNotFound:          http.StatusNotFound,
	sdkapi.PromptNotFound:           http.StatusNotFound,
	sdkapi.ConversationNotFound:     http.StatusNotFound,
	sdkapi.MemoryNotFound:           http.StatusNotFound,
	sdkapi.DecisionNotFound:         http.StatusNotFound,
	sdkapi.RunNotFound:              http.StatusNotFound,
	sdkapi.MethodNotAllowed:         http.StatusMethodNotAllowed,
	sdkapi.RequestTimeout:           http.StatusRequestTimeout,
	sdkapi.AmbiguousMatch:           http.StatusConflict,
	sdkapi.DecisionConflict:         http.StatusConflict,
	sdkapi.MemoryChanged:            http.StatusConflict,
	sdkapi.PromptInConversation:     http.StatusConflict,
	sdkapi.TurnRunning:              http.StatusConflict,
	sdkapi.ToolPending:              http.StatusConflict,
	sdkapi.RunLimit:                 http.StatusConflict,
	sdkapi.RunIsOver:                http.StatusConflict,
	sdkapi.LeaseHeld:                http.StatusConflict,
	sdkapi.LeaseLost:                http.StatusConflict,
	sdkapi.FollowerLags:             http.StatusConflict,
	sdkapi.KeyInUse:                 http.StatusConflict,
	sdkapi.KeyAnswerNotKept:         http.StatusConflict,
	sdkapi.KeyOutcomeUnknown:        http.StatusConflict,
	sdkapi.KeyReused:                http.StatusUnprocessableEntity,
	sdkapi.DecisionExpired:          http.StatusGone,
	sdkapi.PayloadTooLarge:          http.StatusRequestEntityTooLarge,
	sdkapi.UnsupportedMediaType:     http.StatusUnsupportedMediaType,
	sdkapi.UpgradeRequired:          http.StatusUpgradeRequired,
	sdkapi.RateLimited:              http.StatusTooManyRequests,
	sdkapi.BudgetExceeded:           http.StatusTooManyRequests,
	sdkapi.RangeNotSatisfiable:      http.StatusRequestedRangeNotSatisfiable,
	sdkapi.ValidationError:          http.StatusUnprocessableEntity,
	sdkapi.FeatureUnavailable:       http.StatusUnprocessableEntity,
	sdkapi.ConversationLimit:        http.StatusUnprocessableEntity,
	sdkapi.InvalidImage:             http.StatusUnprocessableEntity,
	sdkapi.Canceled:                 499, // nginx's status; the client has left
	sdkapi.Internal:                 http.StatusInternalServerError,
	sdkapi.ArtifactDamaged:          http.StatusInternalServerError,
	sdkapi.StateDamaged:             http.StatusInternalServerError,
	sdkapi.ToolError:                http.StatusInternalServerError,
	sdkapi.ModelError:               http.StatusBadGateway,
	sdkapi.ModelContextFull:         http.StatusUnprocessableEntity,
	sdkapi.ModelSilent:              http.StatusBadGateway,
	sdkapi.ModelAnswerInvalid:       http.StatusBadGateway,
	sdkapi.ModelRateLimited:         http.StatusServiceUnavailable,
	sdkapi.ModelUnavailable:         http.StatusServiceUnavailable,
	sdkapi.SearchError:              http.StatusBadGateway,
	sdkapi.SearchRateLimited:        http.StatusServiceUnavailable,
	sdkapi.SearchUnavailable:        http.StatusServiceUnavailable,
	sdkapi.TranscriptionError:       http.StatusBadGateway,
	sdkapi.TranscriptionUnavailable: http.StatusServiceUnavailable,
	sdkapi.Overloaded:               http.StatusServiceUnavailable,
	sdkapi.OCRUnavailable:           http.StatusServiceUnavailable,
	sdkapi.StorageUnavailable:       http.StatusServiceUnavailable,
	sdkapi.StateUnavailable:         http.StatusServiceUnavailable,
	sdkapi.RunsUnavailable:          http.StatusServiceUnavailable,
	sdkapi.ToolStarting:             http.StatusServiceUnavailable,
	sdkapi.Timeout:                  http.StatusGatewayTimeout,
	sdkapi.StorageFull:              http.StatusInsufficientStorage,
	sdkapi.QuotaExceeded:            http.StatusInsufficientStorage,
}

// CodeOf maps an HTTP status to an error code, for errors of Fiber, fasthttp and huma, which
// have only a status.
var CodeOf = map[int]sdkapi.Code{
	http.StatusBadRequest:                  sdkapi.MalformedBody,
	http.StatusNotFound:                    sdkapi.NotFound,
	http.StatusMethodNotAllowed:            sdkapi.MethodNotAllowed,
	http.StatusRequestTimeout:              sdkapi.RequestTimeout,
	http.StatusRequestEntityTooLarge:       sdkapi.PayloadTooLarge,
	http.StatusUnsupportedMediaType:        sdkapi.UnsupportedMediaType,
	http.StatusUnprocessableEntity:         sdkapi.ValidationError,
	http.StatusRequestHeaderFieldsTooLarge: sdkapi.PayloadTooLarge,
}

// ErrorResponse is the body of every response with an error. It implements huma.StatusError.
type ErrorResponse struct {
	status int
	sdkapi.ErrorResponse
}

var _ huma.StatusError = (*ErrorResponse)(nil)

// GetStatus implements huma.StatusError.
func (e *ErrorResponse) GetStatus() int { return e.status }

// retryOverloaded is the Retry-After of an overloaded gateway, in seconds.
const retryOverloaded = 5

// retryAfter returns the value of the Retry-After header, in seconds; empty for no header.
func (e *ErrorResponse) retryAfter() string {
	switch after := e.ErrorResponse.Error.Details.RetryAfter; {
	case after > 0:
		return strconv.Itoa(after)
	case e.ErrorResponse.Error.Code == sdkapi.Overloaded:
		return strconv.Itoa(retryOverloaded)
	}
	return ""
}

// Error implements error.
func (e *ErrorResponse) Error() string { return e.ErrorResponse.Error.Error() }

// respond returns the error response for a fault.
func respond(f *fault.Error) *ErrorResponse {
	return &ErrorResponse{
		status:        StatusOf[f.Code],
		ErrorResponse: sdkapi.ErrorResponse{Error: sdkapi.Error{Code: f.Code, Message: f.Message, Details: f.Details}},
	}
}

// in returns e with the fields that only clients of OpenAI's API get, if r is a request of such a
// client.
func (e *ErrorResponse) in(r *Request) *ErrorResponse {
	if !r.openAI {
		return e
	}
	failure := &e.ErrorResponse.Error
	failure.Type = openAIType(e.status)
	if fields := failure.Details.Fields; len(fields) > 0 && !strings.HasPrefix(fields[0].Path, "header.") {
		failure.Param = strings.TrimPrefix(strings.TrimPrefix(fields[0].Path, "body."), "path.")
	}
	return e
}

// openAIType returns OpenAI's type of an error with an HTTP status.
func openAIType(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}

// huma's errors can only be replaced through its global variables.
func init() {
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		answer := respond(FromHuma(status, message, errs)).in(RequestOf(ctx.Context()))
		if after := answer.retryAfter(); after != "" { // huma adds headers only for errors of handlers
			ctx.SetHeader(fiber.HeaderRetryAfter, after)
		}
		return answer
	}
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return respond(FromHuma(status, message, errs))
	}
}

// FromHuma turns a request error of huma into a fault. It leaves out the rejected values: they
// may contain secrets or the whole body.
func FromHuma(status int, message string, errs []error) *fault.Error {
	if cause := errors.Join(errs...); errors.Is(cause, io.ErrUnexpectedEOF) {
		return peer.ErrShortBody.Fault(cause)
	}
	if f, ok := errors.AsType[*fault.Error](errors.Join(errs...)); ok && f.Code == sdkapi.Overloaded {
		return f // no memory is free for the body
	}
	code, ok := CodeOf[status]
	if !ok {
		return fault.From(errors.Join(append(errs, errors.New(message))...))
	}
	f := fault.New("gateway.request", code, "%s", message)
	switch code {
	case sdkapi.RequestTimeout:
		return peer.ErrSlowBody.Fault(errors.Join(errs...))
	case sdkapi.UnsupportedMediaType:
		f.Message = "the body's Content-Type is not supported"
		return f.At("header.Content-Type", "expected application/json")
	case sdkapi.PayloadTooLarge:
		f.Message = "the body is larger than this route accepts"
		return f.At("body", "expected a smaller body: %s", message)
	case sdkapi.MalformedBody:
		f.Message = "the body is missing or is not valid JSON"
	case sdkapi.ValidationError:
		f.Message = "the request has invalid fields; details.fields lists the problems"
	}
	for _, err := range errs {
		var d *huma.ErrorDetail
		if errors.As(err, &d) {
			path, expected := fieldOf(d)
			if expected == strictbody.ErrNotUTF8.Error() {
				f.Message = strictbody.NotUTF8
			}
			f = f.At(path, "%s", expected)
		}
	}
	if len(f.Details.Fields) == 0 {
		f = f.At("body", "expected a JSON object that matches the API document, /openapi.json")
	}
	return f
}

// fieldOf returns the path of the invalid field and the expected value. huma reports a missing
// field at the object that lacks it; fieldOf returns the field's own path.
func fieldOf(d *huma.ErrorDetail) (path, expected string) {
	path = d.Location
	if path == "" {
		path = "body"
	}
	if key, expected, ok := strings.Cut(d.Message, strictbody.KeyMark); ok {
		return path + key, expected
	}
	if rest, ok := strings.CutPrefix(d.Message, "expected required property "); ok {
		if name, ok := strings.CutSuffix(rest, " to be present"); ok {
			return path + "." + name, "expected this field, which is required"
		}
	}
	if d.Message == "unexpected property" {
		return path, "expected no such field"
	}
	return path, d.Message
}

// Failure returns the error response for err. If the status is 500 or more, Failure logs err. The
// response then contains the request's id but not the cause, because the caller must not see the
// cause.
func (s *Server) Failure(ctx context.Context, err error) *ErrorResponse {
	f := fault.From(err)
	answer := respond(f).in(RequestOf(ctx))
	if answer.status >= http.StatusInternalServerError {
		id := RequestOf(ctx).ID
		answer.ErrorResponse.Error.Details.RequestID = id
		s.Log.Error("request failed", slog.String("request_id", id), slog.String("code", string(f.Code)), slog.Any("err", err))
	}
	return answer
}

// fail writes the error response for err. It is also Fiber's handler of errors that occur
// before any route runs.
func (s *Server) fail(c *fiber.Ctx, err error) error {
	answer := s.Failure(c.UserContext(), s.fromFiber(c, err))
	if after := answer.retryAfter(); after != "" {
		c.Set(fiber.HeaderRetryAfter, after)
	}
	return c.Status(answer.status).JSON(answer)
}

// fromFiber turns an error of Fiber itself into a fault and returns other errors unchanged.
func (s *Server) fromFiber(c *fiber.Ctx, err error) error {
	var own *fiber.Error
	if !errors.As(err, &own) {
		return err
	}
	code, ok := CodeOf[own.Code]
	if !ok {
		return err
	}
	f := fault.New("gateway.route", code, "").Because(err)
	switch code {
	case sdkapi.NotFound:
		f.Message = "unknown route " + c.Method() + " " + c.Path() + "; /docs lists all routes"
	case sdkapi.MethodNotAllowed:
		allow := string(c.Response().Header.Peek(fasthttp.HeaderAllow))
		f.Message = c.Path() + " takes " + strings.ReplaceAll(allow, ", ", " or ") + ", not " + c.Method()
	case sdkapi.RequestTimeout:
		f.Message = "the request arrived too slowly; send it again"
	case sdkapi.PayloadTooLarge:
		f.Message = "the request's headers are too large; send fewer or shorter ones"
	default:
		f.Message = "the request is not valid HTTP, or is incomplete"
	}
	return f
}
