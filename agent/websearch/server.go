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

// limits fills in what a search may take: an answer has some dozens of
// kilobytes, and comes within a few seconds or not at all.
func limits(l egress.Limits) egress.Limits {
	l.ResponseBytes = cmp.Or(l.ResponseBytes, 2<<20)
	l.Redirects = cmp.Or(l.Redirects, 2)
	l.Timeout = cmp.Or(l.Timeout, 20*time.Second)
	l.ConnectTimeout = cmp.Or(l.ConnectTimeout, 5*time.Second)
	return l
}

// server is where a provider asks.
type server struct {
	kind   string
	denied string // what it means that it lets nobody in
	base   *url.URL
	out    *egress.Client
}

// Close lets go of connections.
func (s *server) Close() error { return s.out.Close() }

// Refusal is what a server said in place of an answer. It is the cause of the
// fault that a caller gets.
type Refusal struct {
	Status     int           // of HTTP
	Text       string        // what it says, at most 1 KiB
	RetryAfter time.Duration // how long it wants to be left alone; 0 when it does not say
}

// Error returns all of it, for the log.
func (r *Refusal) Error() string { return fmt.Sprintf("status %d: %s", r.Status, r.Text) }

const maxRefusal = 1 << 10 // bytes of its text

// get asks for a path, and decodes the JSON that comes back into answer.
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
	return fault.New("websearch.Search", code, "the server that searches the web ("+s.kind+") "+format, args...)
}

// garbage is the fault of an answer that is none.
func (s *server) garbage() *fault.Error {
	return s.fail(sdkapi.SearchError, "answered with something that is no list of results; its URL may be wrong")
}

// unreached returns the fault of a request that got no answer.
func (s *server) unreached(err error) error {
	switch egress.ReasonOf(err) {
	case egress.Denied, egress.PrivateAddress, egress.TooManyRedirects, egress.BadRequest:
		return s.fail(sdkapi.SearchError, "is not where its URL says, or sends requests elsewhere, where they are not sent").Because(err)
	case egress.NoSecret:
		return s.fail(sdkapi.SearchError, "cannot be sent this key").Because(err)
	case egress.TooLarge, egress.BadResponse:
		return s.fail(sdkapi.SearchError, "answered with more than is read, or with what cannot be read").Because(err)
	case egress.Timeout:
		return s.fail(sdkapi.SearchUnavailable, "takes too long to answer; try again later").Because(err)
	}
	return s.fail(sdkapi.SearchUnavailable, "does not answer; try again later").Because(err)
}

// refused returns the fault of a refusal. What a server says goes to the log
// alone: it may tell of accounts.
func (s *server) refused(r *Refusal) error {
	switch {
	case r.Status == http.StatusTooManyRequests && r.RetryAfter > 0:
		return s.fail(sdkapi.SearchRateLimited, "takes no more searches for now; try again in %v", r.RetryAfter.Round(time.Second)).Because(r)
	case r.Status == http.StatusTooManyRequests:
		return s.fail(sdkapi.SearchRateLimited, "takes no more searches for now; try again later").Because(r)
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		return s.fail(sdkapi.SearchError, "%s", s.denied).Because(r)
	case r.Status == http.StatusPaymentRequired:
		return s.fail(sdkapi.SearchError, "wants to be paid").Because(r)
	case r.Status == http.StatusRequestTimeout, r.Status >= http.StatusInternalServerError:
		return s.fail(sdkapi.SearchUnavailable, "does not work at the moment; try again later").Because(r)
	}
	return s.fail(sdkapi.SearchError, "refuses the search, with status %d", r.Status).Because(r)
}

// maxRetryAfter bounds a wait: who is told a longer one need not know how much.
const maxRetryAfter = 31 * 24 * time.Hour

// retryAfter reads how long a server wants to be left alone. Brave has several
// quotas, as of a second and of a month, and tells for each how much is left
// and when there is more.
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

func seconds(s float64) time.Duration {
	if !(s > 0) { // not a number either
		return 0
	}
	return time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
}

// found is a result as a server gives it, cleaned already of marks that only
// its kind has.
type found struct{ title, url, snippet string }

// results are the first of what a server found that can be opened. Who calls a
// page by nothing gets its URL.
func results(list []found, most int) []Result {
	out := make([]Result, 0, min(most, len(list)))
	for _, f := range list {
		at, err := url.Parse(strings.TrimSpace(f.url))
		if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || len(at.String()) > maxURL {
			continue
		}
		if len(out) == most {
			break
		}
		out = append(out, Result{Title: cmp.Or(plain.OneLine(f.title, maxTitle), at.String()), URL: at.String(), Snippet: plain.OneLine(f.snippet, maxSnippet)})
	}
	return out
}
