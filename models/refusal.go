package models

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// Refusal is an error that a provider reports, in its response or in the middle of an answer. It is
// the cause of the fault that the caller gets.
type Refusal struct {
	Status     int           // HTTP status of the response; 0 for an error in the middle of an answer
	Kind       string        // the provider's name for the error, for example "overloaded_error"
	Text       string        // the provider's message, without the key, at most 1 KiB
	RetryAfter time.Duration // wait that the provider requests; 0: no wait
}

// Error returns all fields, for the log.
func (r *Refusal) Error() string {
	return fmt.Sprintf("status %d, %q: %s", r.Status, r.Kind, r.Text)
}

// Limits of a refusal.
const (
	maxRefusal    = 64 << 10       // bytes of its body
	maxRefusalOut = 300            // bytes of its text in a message
	maxRetryAfter = 24 * time.Hour // a longer wait is shortened to this
)

// streams reports whether a response is a stream of events. Responses with the type text/plain or
// no type count as streams.
func streams(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return resp.StatusCode == http.StatusOK && (err != nil || kind == "text/event-stream" || kind == "text/plain")
}

// refused reads an error response and returns its fault. It leaves an empty body to the library.
func (w Wire) refused(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	_ = resp.Body.Close() // it was read
	resp.Body = http.NoBody
	r := &Refusal{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header, time.Now())}
	var found bool
	r.Kind, r.Text, found = toldError(body)
	switch {
	case err != nil && len(body) == 0:
		r.Text = err.Error()
	case !found:
		r.Text = string(body)
	}
	r.Text = w.private(r.Text)
	return w.failed(r)
}

// retryAfter returns the wait that a server requests in its headers, at most maxRetryAfter. It returns 0 if
// the server does not request a wait.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait := time.Duration(0)
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		wait = time.Duration(min(ms, float64(maxRetryAfter.Milliseconds())) * float64(time.Millisecond))
	} else if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil {
		wait = time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// noError lists the values of the field error that report no error, in the form of json.Compact.
var noError = []string{"", "null", "false", `""`, "{}", "[]"}

// toldError reads the error in a JSON document: {"error": {...}}, {"error": "text"}, a list with
// one of these, or vLLM's {"object": "error", "message": ...}. found is false if there is no error.
func toldError(document []byte) (kind, text string, found bool) {
	var list []json.RawMessage
	if json.Unmarshal(document, &list) == nil && len(list) > 0 {
		document = list[0]
	}
	var body struct {
		Error   json.RawMessage `json:"error"`
		Object  string          `json:"object"`
		Message string          `json:"message"`
		Type    string          `json:"type"`
	}
	_ = json.Unmarshal(document, &body) // unsuitable fields stay empty
	if body.Object == "error" {
		return body.Type, body.Message, true
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, body.Error) // it is valid
	if slices.Contains(noError, compact.String()) {
		return "", "", false
	}
	var told struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Status  string          `json:"status"`
		Code    json.RawMessage `json:"code"` // a name at one provider, a number at another
	}
	if json.Unmarshal(body.Error, &told) != nil {
		text = string(body.Error)
		_ = json.Unmarshal(body.Error, &text) // it may be a plain string
		return "", text, true
	}
	code := strings.Trim(string(told.Code), `"`)
	if code == "null" {
		code = ""
	}
	return strings.TrimSpace(cmp.Or(told.Status, told.Type) + " " + code), cmp.Or(told.Message, string(body.Error)), true
}

// failed returns the fault of a refusal. The message includes the provider's words only if they
// concern the request, not an account or a key.
func (w Wire) failed(r *Refusal) error {
	code := r.code()
	tell := func(format string, args ...any) error {
		return fault.New("models.Stream", code, format, args...).Because(r)
	}
	switch {
	case code == sdkapi.ModelContextFull:
		return tell("the conversation is too long for the model; start a new conversation or choose another model")
	case code == sdkapi.ModelRateLimited:
		return tell("the model's provider (%s) limits requests at the moment; try again later", w.name())
	case code == sdkapi.ModelUnavailable:
		return tell("the model's provider (%s) is unavailable at the moment; try again later", w.name())
	case r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden || r.is("authentication", "permission_error", "permission_denied", "unauthenticated", "invalid_api_key"):
		return tell("the model's provider (%s) refuses the key for this request; check the key and its permissions", w.name())
	case r.is("insufficient_quota", "billing"):
		return tell("the account at the model's provider (%s) has no credit left; add credit or choose another model", w.name())
	case r.Status/100 == 3:
		return tell("the model's provider (%s) redirects requests, and the gateway does not follow redirects; check its base URL", w.name())
	case r.Status == http.StatusOK:
		return tell("the response of the model's provider (%s) is not a stream of events; check its base URL", w.name())
	}
	return tell("the model's provider (%s) refused the request: %s", w.name(), plain.OneLine(r.Text, maxRefusalOut))
}

// code returns the code of the fault. MODEL_RATE_LIMITED and MODEL_UNAVAILABLE mean that a retry may succeed.
func (r *Refusal) code() sdkapi.Code {
	switch {
	case r.contextFull():
		return sdkapi.ModelContextFull
	case r.is("insufficient_quota", "billing"):
		return sdkapi.ModelError
	case r.Status == http.StatusTooManyRequests || r.is("rate_limit", "resource_exhausted", "429"):
		return sdkapi.ModelRateLimited
	case r.Status == http.StatusRequestTimeout || r.Status >= 500 && r.Status != http.StatusNotImplemented,
		r.Status == 0 && r.is("overloaded", "api_error", "server_error", "internal", "unavailable", "timeout", "deadline_exceeded", "500", "502", "503", "504", "529"):
		return sdkapi.ModelUnavailable
	}
	return sdkapi.ModelError
}

// OfRequest reports whether the provider refused only this conversation, and may still accept other
// conversations. A wrong key, account or model name is not such a refusal. Some providers report
// these errors as invalid requests; OfRequest recognises them by the words of the message.
func (r *Refusal) OfRequest() bool {
	if r.contextFull() {
		return true
	}
	switch {
	case r.code() != sdkapi.ModelError, r.is("authentication", "permission", "unauthenticated", "api_key", "insufficient_quota", "billing", "not_found"):
		return false
	case r.Status == 0 && !r.is("invalid_request", "invalid_argument", "400"):
		return false
	case r.Status != 0 && r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity:
		return false
	}
	return !containsAny(strings.ToLower(r.Text), "api key", "credit balance") // Gemini, Anthropic
}

// is reports whether the provider's name for the error contains one of kinds.
func (r *Refusal) is(kinds ...string) bool {
	return containsAny(strings.ToLower(r.Kind), kinds...)
}

// containsAny reports whether text contains one of parts.
func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// contextFull reports whether the request was too long. Only OpenAI and llama.cpp have a name for this
// error. For other providers, contextFull searches the text.
func (r *Refusal) contextFull() bool {
	if r.is("context_length_exceeded", "exceed_context_size", "request_too_large") || r.Status == http.StatusRequestEntityTooLarge {
		return true
	}
	if r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity && r.Status != 0 {
		return false
	}
	return containsAny(strings.ToLower(r.Text),
		"prompt is too long",                   // Anthropic
		"exceed context limit",                 // Anthropic, with max_tokens counted in
		"exceeds the maximum number of tokens", // Gemini
		"maximum context length",               // OpenAI, vLLM
		"context length exceeded",              // Ollama, LM Studio
		"exceeds the available context",        // llama.cpp
	)
}
