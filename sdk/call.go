package sdk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/windieos/windie/sdkapi"
)

// maxAnswer bounds a JSON answer, in bytes.
const maxAnswer = 64 << 20

// safeKey marks, in a request's context, that sending it twice does no harm.
type safeKey struct{}

// lostKey marks, in the context of a deletion, that the answer to a try may be lost: what another one does not find is deleted.
type lostKey struct{}

func deleting(ctx context.Context) context.Context {
	return context.WithValue(safe(ctx), lostKey{}, new(bool))
}

func checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true, nil // it has not been sent
	}
	if safe, _ := ctx.Value(safeKey{}).(bool); !safe && keyOf(ctx) == "" {
		return false, nil
	}
	if lost, ok := ctx.Value(lostKey{}).(*bool); ok && (err != nil || resp.StatusCode == http.StatusBadGateway) {
		*lost = true
	}
	if err != nil {
		return retryablehttp.DefaultRetryPolicy(ctx, nil, err)
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable:
		return !lasting(resp), nil
	}
	return false, nil
}

// backoff is the pause before another try: what Retry-After says, or one that grows. It differs from client to client.
func backoff(least, most time.Duration, tries int, resp *http.Response) time.Duration {
	if resp != nil {
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds >= 0 {
			return time.Duration(seconds)*time.Second + rand.N(least) //nolint:gosec // it only keeps clients apart
		}
	}
	pause := grown(least, most, tries)
	return pause/2 + rand.N(pause/2+1) //nolint:gosec // likewise
}

// grown returns least, doubled for each try before, and at most most.
func grown(least, most time.Duration, tries int) time.Duration {
	return min(least<<min(tries, 10), most) // more would overflow
}

// maxWait bounds the wait for the time that Retry-After names. If that is later, the call fails.
const maxWait = 30 * time.Second

// lasting reports whether the gateway will fail again for longer than a caller waits. The body can be read again.
func lasting(resp *http.Response) bool {
	head, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(head))
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > int(maxWait/time.Second) {
		return true
	}
	var e sdkapi.ErrorResponse
	return err == nil && json.Unmarshal(head, &e) == nil && slices.Contains(lastingCodes, e.Error.Code)
}

// lastingCodes are of failures that last for longer than a caller waits.
var lastingCodes = []sdkapi.Code{sdkapi.OCRUnavailable, sdkapi.BudgetExceeded, sdkapi.RunsUnavailable}

// call sends one request and returns its successful answer, whose body the
// caller closes. What is not 2xx becomes an *sdkapi.Error.
func (c *Client) call(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	req, err := retryablehttp.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	c.addHeader(req.Request, header)
	addKey(ctx, req.Request)
	resp, err := c.http.Do(req)
	if lost, ok := ctx.Value(lostKey{}).(*bool); ok && *lost && err == nil && resp.StatusCode == http.StatusNotFound {
		_ = resp.Body.Close()
		resp.StatusCode, resp.Body = http.StatusOK, io.NopCloser(strings.NewReader("{}"))
	}
	return succeeded(resp, err)
}

// send sends a request once, without holding body in memory, and returns as call
// does. The statuses also are successes too.
func (c *Client) send(ctx context.Context, method, path string, header http.Header, body io.Reader, also ...int) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	c.addHeader(req, header)
	addKey(ctx, req)
	resp, err := c.http.HTTPClient.Do(req)
	return succeeded(resp, err, also...)
}

func (c *Client) addHeader(req *http.Request, header http.Header) {
	maps.Copy(req.Header, c.header)
	maps.Copy(req.Header, header)
}

func succeeded(resp *http.Response, err error, also ...int) (*http.Response, error) {
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	if resp.StatusCode/100 != 2 && !slices.Contains(also, resp.StatusCode) {
		defer resp.Body.Close()
		return nil, errorOf(resp)
	}
	return resp, nil
}

func errorOf(resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	request := resp.Header.Get("X-Request-Id")
	var envelope sdkapi.ErrorResponse
	if err != nil || json.Unmarshal(data, &envelope) != nil || envelope.Error.Code == "" {
		return &sdkapi.Error{
			Code: sdkapi.Internal, Status: resp.StatusCode, Details: sdkapi.ErrorDetails{RequestID: request},
			Message: fmt.Sprintf("the answer was %s without an explanation; is this the URL of a gateway?", resp.Status),
		}
	}
	envelope.Error.Status = resp.StatusCode
	envelope.Error.Details.RequestID = cmp.Or(envelope.Error.Details.RequestID, request)
	return &envelope.Error
}

// post sends in as JSON and reads the answer into a new Out.
func post[Out any](ctx context.Context, c *Client, path string, in any) (*Out, error) {
	return send[Out](ctx, c, http.MethodPost, path, in)
}

// put sends in in the place of what is at a path, and reads the answer into a new Out.
func put[Out any](ctx context.Context, c *Client, path string, in any) (*Out, error) {
	return send[Out](ctx, c, http.MethodPut, path, in)
}

func send[Out any](ctx context.Context, c *Client, method, path string, in any) (*Out, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	return read[Out](c.call(ctx, method, path, http.Header{"Content-Type": {"application/json"}}, body)) //nolint:bodyclose // read closes it
}

// get reads the answer to a request that changes nothing into a new Out.
func get[Out any](ctx context.Context, c *Client, path string) (*Out, error) {
	return read[Out](c.call(safe(ctx), http.MethodGet, path, nil, nil)) //nolint:bodyclose // read closes it
}

// remove deletes what is at a path, and returns how much that was; 0 where the answer was lost, and another try found it deleted.
func remove(ctx context.Context, c *Client, path string) (int64, error) {
	out, err := read[sdkapi.Deleted](c.call(deleting(ctx), http.MethodDelete, path, nil, nil)) //nolint:bodyclose // read closes it
	if err != nil {
		return 0, err
	}
	return out.Removed, nil
}

// read decodes and closes a successful answer. It returns err, if there is one.
func read[Out any](resp *http.Response, err error) (*Out, error) {
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	out := new(Out)
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(out); err != nil {
		return nil, fmt.Errorf("sdk: the gateway's answer cannot be read: %w", err)
	}
	return out, nil
}

func safe(ctx context.Context) context.Context { return context.WithValue(ctx, safeKey{}, true) }
