package websearch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/internal/egress"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// limits fills in default limits. An answer has some dozens of kilobytes and usually takes a few
// seconds.
func limits(l egress.Limits) egress.Limits {
	l.ResponseBytes = cmp.Or(l.ResponseBytes, 2<<20)
	l.Redirects = cmp.Or(l.Redirects, 2)
	l.Timeout = cmp.Or(l.Timeout, 20*time.Second)
	l.ConnectTimeout = cmp.Or(l.ConnectTimeout, 5*time.Second)
	return l
}

// server is the server of a provider.
type server struct {
	kind   string
	denied string // meaning of 401 and 403
	base   *url.URL
	out    *egress.Client
}

// Close closes the connections.
func (s *server) Close() error { return s.out.Close() }

// Refusal is a server's response without results. It is the cause of the fault that the caller
// gets.
type Refusal struct {
	Status     int           // HTTP status of the response
	Text       string        // text of the response, at most 1 KiB
	RetryAfter time.Duration // time to wait before the next request; 0 if unknown
}

// Error returns the status and the text of the refusal, for the log.
func (r *Refusal) Error() string { return fmt.Sprintf("status %d: %s", r.Status, r.Text) }

const maxRefusal = 1 << 10 // bytes of its text

// get requests a path, and decodes the JSON of the response into answer.
func (s *server) get(ctx context.Context, path string, query url.Values, answer any) error {
	at := s.base.JoinPath(path)
	at.RawQuery = query.Encode()
	reply, err := s.out.Do(ctx, egress.Request{URL: at.String(), Header: http.Header{"Accept": {"application/json"}}})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.unreached(err)
	case reply.Status != http.StatusOK:
		return s.refused(&Refusal{Status: reply.Status, Text: plain.OneLine(string(reply.Body), maxRefusal), RetryAfter: retryAfter(reply.Header, time.Now())})
	}
	if err := json.Unmarshal(reply.Body, answer); err != nil {
		return s.garbage().Because(err)
	}
	return nil
}

// fail returns a fault about the server.
func (s *server) fail(code sdkapi.Code, format string, args ...any) *fault.Error {
	return fault.New("websearch.Search", code, "the web search server ("+s.kind+") "+format, args...)
}

// garbage returns the fault of an invalid response.
func (s *server) garbage() *fault.Error {
	return s.fail(sdkapi.SearchError, "returned something other than a list of results; check WINDIE_SEARCH_URL")
}

// unreached returns the fault of a request without a response.
func (s *server) unreached(err error) error {
	code, text := sdkapi.SearchUnavailable, "does not answer; try again later"
	switch egress.ReasonOf(err) {
	case egress.Denied, egress.PrivateAddress, egress.TooManyRedirects, egress.BadRequest:
		code, text = sdkapi.SearchError, "does not exist at its URL, or sends a redirect, which the gateway does not follow; check WINDIE_SEARCH_URL"
	case egress.NoSecret:
		code, text = sdkapi.SearchError, "cannot accept this key: it contains characters that a header must not contain"
	case egress.TooLarge, egress.BadResponse:
		code, text = sdkapi.SearchError, "returned an answer that is too large or unreadable"
	case egress.Timeout:
		text = "takes too long to answer; try again later"
	}
	return s.fail(code, "%s", text).Because(err)
}

// refused returns the fault of a refusal. The server's text is only for the log, because it may
// name accounts.
func (s *server) refused(r *Refusal) error {
	code, text := sdkapi.SearchError, fmt.Sprintf("refused the search with status %d", r.Status)
	switch {
	case r.Status == http.StatusTooManyRequests && r.RetryAfter > 0:
		code, text = sdkapi.SearchRateLimited, fmt.Sprintf("allows no more searches for now; try again in %v", r.RetryAfter.Round(time.Second))
	case r.Status == http.StatusTooManyRequests:
		code, text = sdkapi.SearchRateLimited, "allows no more searches for now; try again later"
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		text = s.denied
	case r.Status == http.StatusPaymentRequired:
		text = "requires payment; check the account of its key"
	case r.Status == http.StatusRequestTimeout, r.Status >= http.StatusInternalServerError:
		code, text = sdkapi.SearchUnavailable, "has an internal error; try again later"
	}
	return s.fail(code, "%s", text).Because(r)
}

// maxRetryAfter is the maximum of a Refusal's RetryAfter.
const maxRetryAfter = 31 * 24 * time.Hour

// retryAfter returns the wait that a server requests. Brave has several quotas, for example per
// second and per month. For each it sends the remaining amount and the time of its renewal.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait := time.Duration(0)
	if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil {
		wait = seconds(s)
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		wait = at.Sub(now)
	}
	left, resets := strings.Split(h.Get("X-Ratelimit-Remaining"), ","), strings.Split(h.Get("X-Ratelimit-Reset"), ",")
	for i := range min(len(left), len(resets)) {
		n, errLeft := strconv.Atoi(strings.TrimSpace(left[i]))
		s, errReset := strconv.ParseFloat(strings.TrimSpace(resets[i]), 64)
		if errLeft == nil && errReset == nil && n <= 0 {
			wait = max(wait, seconds(s))
		}
	}
	return min(max(wait, 0), maxRetryAfter)
}

// seconds converts a number of seconds to a wait between 0 and maxRetryAfter. NaN is 0.
func seconds(s float64) time.Duration {
	if !(s > 0) { // NaN too
		return 0
	}
	return time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
}

// results returns the first limit results with a valid URL, shortened and each text on one line. A
// page without a title gets its URL as title.
func results(list []Result, limit int) []Result {
	out := make([]Result, 0, min(limit, len(list)))
	for _, f := range list {
		at, err := url.Parse(strings.TrimSpace(f.URL))
		if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || len(at.String()) > maxURL {
			continue
		}
		if len(out) == limit {
			break
		}
		out = append(out, Result{Title: cmp.Or(plain.OneLine(f.Title, maxTitle), at.String()), URL: at.String(), Snippet: plain.OneLine(f.Snippet, maxSnippet)})
	}
	return out
}
