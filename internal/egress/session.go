package egress

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Session is one call of a guest: what it may still send, and what it sent.
// Its methods may be called from several goroutines at once.
type Session struct {
	client *Client

	mu       sync.Mutex
	usage    Usage
	over     bool // a request beyond the last was asked for, and recorded
	attempts []Attempt
}

// Usage is what a session has used of its budget.
type Usage struct {
	Requests      int   `json:"requests"`       // redirects and refused ones included
	BytesSent     int64 `json:"bytes_sent"`     // request lines, headers and bodies
	BytesReceived int64 `json:"bytes_received"` // headers, and bodies decompressed
}

// Attempt is one request of a session, as the operator may see it. It holds
// no query and no secret. There are at most Limits.Requests of them in a
// session, one more that was too many, and the redirects not followed.
type Attempt struct {
	Method        string `json:"method"`
	Host          string `json:"host"`   // with a port that is not the scheme's own
	Path          string `json:"path"`   // as sent, without the query, cut at 512 bytes; empty when the URL was refused
	Status        int    `json:"status"` // 0 when no reply came
	BytesSent     int64  `json:"bytes_sent"`
	BytesReceived int64  `json:"bytes_received"` // of the body decompressed
	Decision      Reason `json:"decision"`
	Hint          string `json:"hint,omitempty"` // the Rule that would allow what was refused, as a line of JSON
}

// Session returns a new session with all of its budget. There is nothing to
// close.
func (c *Client) Session() *Session { return &Session{client: c} }

// Usage returns what was used so far.
func (s *Session) Usage() Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage
}

// Attempts returns what was asked for so far, in the order it ended.
func (s *Session) Attempts() []Attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.attempts)
}

// Do sends req, follows redirects, and returns the last reply, whatever its
// status is. Every error is an *Error.
func (s *Session) Do(ctx context.Context, req Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.client.limits.Timeout)
	defer cancel()
	for hops := 0; ; hops++ {
		got, err := s.attempt(ctx, req)
		if err != nil {
			return Response{}, err
		}
		if got.location == "" {
			return got.Response, nil
		}
		if req, err = s.client.follow(got, hops); err != nil {
			s.note(Attempt{Method: got.sent.Method, Host: got.target.where(), Status: got.Status}, err)
			return Response{}, err
		}
	}
}

func (s *Session) attempt(ctx context.Context, req Request) (reply, error) {
	var a Attempt
	got, err := s.try(ctx, req, &a)
	s.note(a, err)
	return got, err
}

// note records an attempt that ended with err, and takes secrets out of both.
func (s *Session) note(a Attempt, err error) {
	a.Decision = ReasonOf(err)
	v := s.client.vault
	if e := (*Error)(nil); errors.As(err, &e) {
		e.seal(v)
		a.Hint = e.Hint
	}
	a.Host, a.Path = v.redact(a.Host), v.redact(a.Path)
	a.Host, a.Path = a.Host[:min(len(a.Host), maxLoggedPath)], a.Path[:min(len(a.Path), maxLoggedPath)]
	s.mu.Lock()
	again := a.Decision == TooManyRequests && s.over
	if !again {
		s.attempts = append(s.attempts, a)
		s.over = s.over || a.Decision == TooManyRequests
	}
	s.mu.Unlock()
	if !again {
		s.client.record(a)
	}
}

// begin takes one request from the budget.
func (s *Session) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if most := s.client.limits.Requests; s.usage.Requests >= most {
		return fail(TooManyRequests, "this call has made its %d requests; ask for more at once, or the operator can raise the limit", most)
	}
	s.usage.Requests++
	return nil
}

// charge takes bytes from the budget, and fails when there are not as many.
func (s *Session) charge(sent, received int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage.BytesSent += sent
	s.usage.BytesReceived += received
	if most := s.client.limits.SessionBytes; s.usage.BytesSent+s.usage.BytesReceived > most {
		return fail(TooLarge, "this call has sent and received its %d bytes; ask for less, or the operator can raise the limit", most)
	}
	return nil
}
