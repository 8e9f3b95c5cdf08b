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

// StatusOf holds the HTTP status of each code. No other place chooses one.
var StatusOf = map[sdkapi.Code]int{
	sdkapi.MalformedBody:            http.StatusBadRequest,
	sdkapi.AuthRequired:             http.StatusUnauthorized,
	sdkapi.OriginRefused:            http.StatusForbidden,
	sdkapi.ToolForbidden:            http.StatusForbidden,
	sdkapi.OperatorOnly:             http.StatusForbidden,
	sdkapi.PermissionDenied:         http.StatusForbidden,
	sdkapi.KeyRequired:              http.StatusForbidden,
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

// CodeOf is the reverse of StatusOf, for failures that Fiber, fasthttp and huma
// describe by a status.
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

// ErrorResponse is an answer outside 2xx, in the form that huma writes.
type ErrorResponse struct {
	status int
	sdkapi.ErrorResponse
}

var _ huma.StatusError = (*ErrorResponse)(nil)

// GetStatus implements huma.StatusError.
func (e *ErrorResponse) GetStatus() int { return e.status }

// retryOverloaded is after how many seconds to ask an overloaded gateway again.
const retryOverloaded = 5

// retryAfter returns after how many seconds to ask again, as a header says it; empty if nobody knows.
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

// respond turns a fault into its answer.
func respond(f *fault.Error) *ErrorResponse {
	return &ErrorResponse{
		status:        StatusOf[f.Code],
		ErrorResponse: sdkapi.ErrorResponse{Error: sdkapi.Error{Code: f.Code, Message: f.Message, Details: f.Details}},
	}
}

// huma lets its errors be replaced in this way only.
func init() {
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		answer := respond(FromHuma(status, message, errs))
		if after := answer.retryAfter(); after != "" { // huma adds the headers of its handlers' errors alone
			ctx.SetHeader(fiber.HeaderRetryAfter, after)
		}
		return answer
	}
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return respond(FromHuma(status, message, errs))
	}
}

// FromHuma turns what huma found wrong with a request into a fault. The
// values huma adds are left out: they may hold secrets, or the whole body.
func FromHuma(status int, message string, errs []error) *fault.Error {
	if cause := errors.Join(errs...); errors.Is(cause, io.ErrUnexpectedEOF) {
		return peer.ErrShortBody.Fault(cause)
	}
	if f, ok := errors.AsType[*fault.Error](errors.Join(errs...)); ok && f.Code == sdkapi.Overloaded {
		return f // of memory for the body
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
		f.Message = "the body is larger than this route reads"
		return f.At("body", "expected a smaller body: %s", message)
	case sdkapi.MalformedBody:
		f.Message = "the body is missing or is not valid JSON"
	case sdkapi.ValidationError:
		f.Message = "the request has fields that are wrong; details.fields lists them"
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
		f = f.At("body", "expected a JSON object as the API document describes it")
	}
	return f
}

// fieldOf returns the field that huma finds wrong, and what it expected. A
// missing field huma reports at the object that lacks it.
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

// Failure turns err into its answer, and logs the cause, which the caller must not see.
func (s *Server) Failure(ctx context.Context, err error) *ErrorResponse {
	f := fault.From(err)
	answer := respond(f)
	if answer.status >= http.StatusInternalServerError {
		id := RequestOf(ctx).ID
		answer.ErrorResponse.Error.Details.RequestID = id
		s.Log.Error("request failed", slog.String("request_id", id), slog.String("code", string(f.Code)), slog.Any("err", err))
	}
	return answer
}

// fail answers a request whose handler returned an error, and those that
// Fiber refuses before any handler sees them.
func (s *Server) fail(c *fiber.Ctx, err error) error {
	answer := s.Failure(c.UserContext(), s.fromFiber(c, err))
	if after := answer.retryAfter(); after != "" {
		c.Set(fiber.HeaderRetryAfter, after)
	}
	return c.Status(answer.status).JSON(answer)
}

// fromFiber turns an error of Fiber's own making into a fault.
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
		f.Message = "there is no route " + c.Method() + " " + c.Path() + "; /docs lists them all"
	case sdkapi.MethodNotAllowed:
		allow := string(c.Response().Header.Peek(fasthttp.HeaderAllow))
		f.Message = c.Path() + " takes " + strings.ReplaceAll(allow, ", ", " or ") + ", not " + c.Method()
	case sdkapi.RequestTimeout:
		f.Message = "the request stopped arriving"
	case sdkapi.PayloadTooLarge:
		f.Message = "the request's head is too large; send fewer or shorter headers"
	default:
		f.Message = "the request is not valid HTTP, or ended early"
	}
	return f
}
