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

// maxAnswer limits a JSON response, in bytes.
const maxAnswer = 64 << 20

// safeKey marks the context of a request that may be sent twice without harm.
type safeKey struct{}

// lostKey marks the context of a deletion. Its value records that the response to an earlier try
// may be lost: if a later try gets a 404, the deletion has succeeded.
type lostKey struct{}

// deleting returns a context for a deletion. With it, the client retries the request, and treats a
// 404 after a lost response as success.
func deleting(ctx context.Context) context.Context {
	return context.WithValue(safe(ctx), lostKey{}, new(bool))
}

// checkRetry reports whether the client sends a request again: if it was not sent at all, or if a
// second try is harmless and may succeed. If ctx has ended, it returns ctx's error.
func checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true, nil // the request was not sent
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

// backoff returns the pause before another try: the Retry-After of resp, or else a pause that grows
// with tries. A random part keeps clients apart.
func backoff(least, most time.Duration, tries int, resp *http.Response) time.Duration {
	if resp != nil {
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds >= 0 {
			return time.Duration(seconds)*time.Second + rand.N(least) //nolint:gosec // it only keeps clients apart
		}
	}
	pause := grown(least, most, tries)
	return pause/2 + rand.N(pause/2+1) //nolint:gosec // likewise
}

// grown returns the pause after a number of earlier tries: least at first, doubled by each try, up
// to the maximum most.
func grown(least, most time.Duration, tries int) time.Duration {
	return min(least<<min(tries, 10), most) // a longer shift would overflow
}

// maxWait limits how long a call waits for the time in Retry-After. If that time is later, the call
// fails at once.
const maxWait = 30 * time.Second

// lasting reports whether a retry would fail too: the code in resp is in lastingCodes, or its
// Retry-After is above maxWait. resp.Body can be read again afterwards.
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

// lastingCodes are the failures that a retry within seconds cannot mend.
var lastingCodes = []sdkapi.Code{sdkapi.OCRUnavailable, sdkapi.BudgetExceeded, sdkapi.RunsUnavailable}

// call sends one request, with retries, and returns the 2xx response, whose body the caller closes.
// Any other status becomes an *sdkapi.Error. Only a POST carries the key that Once has put into ctx, so only a POST is
// retried because of it.
func (c *Client) call(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	if method != http.MethodPost {
		ctx = Once(ctx, "")
	}
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

// send sends a request once and streams body. It returns like call, but the caller can list further
// statuses that are successes.
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

// addHeader adds the client's headers to a request, and then the given ones, which replace the
// client's.
func (c *Client) addHeader(req *http.Request, header http.Header) {
	maps.Copy(req.Header, c.header)
	maps.Copy(req.Header, header)
}

// succeeded returns resp if its status is 2xx or one of the further statuses. Otherwise it closes
// the body, and returns the error that the body describes.
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

// codesOfStatus are the codes of responses without a body, such as those to HEAD.
var codesOfStatus = map[int]sdkapi.Code{
	http.StatusUnauthorized: sdkapi.AuthRequired, http.StatusForbidden: sdkapi.PermissionDenied,
	http.StatusNotFound: sdkapi.NotFound, http.StatusTooManyRequests: sdkapi.RateLimited,
}

// errorOf reads the *sdkapi.Error in a response, and leaves the body open. If the body is empty, the
// code comes from the status. If the body has no error, for example because it comes from a proxy,
// the code is Internal.
func errorOf(resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	request := resp.Header.Get("X-Request-Id")
	if code, ok := codesOfStatus[resp.StatusCode]; ok && err == nil && len(data) == 0 {
		return &sdkapi.Error{Code: code, Status: resp.StatusCode, Details: sdkapi.ErrorDetails{RequestID: request}, Message: "the response was " + resp.Status}
	}
	var envelope sdkapi.ErrorResponse
	if err != nil || json.Unmarshal(data, &envelope) != nil || envelope.Error.Code == "" {
		return &sdkapi.Error{
			Code: sdkapi.Internal, Status: resp.StatusCode, Details: sdkapi.ErrorDetails{RequestID: request},
			Message: fmt.Sprintf("the response was %s without an error body; check that the URL is that of a Windie gateway", resp.Status),
		}
	}
	envelope.Error.Status = resp.StatusCode
	envelope.Error.Details.RequestID = cmp.Or(envelope.Error.Details.RequestID, request)
	return &envelope.Error
}

// post sends a value as JSON, and decodes the response into a new Out.
func post[Out any](ctx context.Context, c *Client, path string, in any) (*Out, error) {
	return send[Out](ctx, c, http.MethodPost, path, in)
}

// put replaces the resource at path with a value, and decodes the response into a new Out.
func put[Out any](ctx context.Context, c *Client, path string, in any) (*Out, error) {
	return send[Out](ctx, c, http.MethodPut, path, in)
}

// send sends a value as JSON, with retries as ctx allows, and decodes the response into a new Out.
func send[Out any](ctx context.Context, c *Client, method, path string, in any) (*Out, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	return read[Out](c.call(ctx, method, path, http.Header{"Content-Type": {"application/json"}}, body)) //nolint:bodyclose // read closes it
}

// get requests path, with retries, and decodes the response into a new Out.
func get[Out any](ctx context.Context, c *Client, path string) (*Out, error) {
	return read[Out](c.call(safe(ctx), http.MethodGet, path, nil, nil)) //nolint:bodyclose // read closes it
}

// remove deletes the resource at path and returns the number of deleted items. The number is 0 if a
// response was lost and another try found nothing left.
func remove(ctx context.Context, c *Client, path string) (int64, error) {
	out, err := read[sdkapi.Deleted](c.call(deleting(ctx), http.MethodDelete, path, nil, nil)) //nolint:bodyclose // read closes it
	if err != nil {
		return 0, err
	}
	return out.Removed, nil
}

// read decodes the body of a 2xx response and closes it. A non-nil err is returned as it is.
func read[Out any](resp *http.Response, err error) (*Out, error) {
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	out := new(Out)
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(out); err != nil {
		return nil, fmt.Errorf("sdk: cannot read the gateway's response: %w", err)
	}
	return out, nil
}

// safe returns a context for requests that may be sent twice without harm. The client retries them
// after a broken connection.
func safe(ctx context.Context) context.Context { return context.WithValue(ctx, safeKey{}, true) }
