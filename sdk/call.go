package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/windieos/windie/sdkapi"
)

// maxAnswer bounds a JSON answer, in bytes.
const maxAnswer = 64 << 20

// safeKey marks, in a request's context, that sending it twice does no harm.
type safeKey struct{}

// checkRetry decides whether a request is sent again.
func checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if dial := new(net.OpError); errors.As(err, &dial) && dial.Op == "dial" {
		return true, nil // it has not been sent
	}
	if safe, _ := ctx.Value(safeKey{}).(bool); !safe && keyOf(ctx) == "" {
		return false, nil
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

// lasting reports whether the gateway says that it will fail again. It leaves
// the body to be read by whoever comes next.
func lasting(resp *http.Response) bool {
	head, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(head))
	var e sdkapi.ErrorResponse
	return err == nil && json.Unmarshal(head, &e) == nil && e.Error.Code == sdkapi.OCRUnavailable
}

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
	return succeeded(resp, err)
}

// stream sends body once, without holding it in memory, and returns as call does.
func (c *Client) stream(ctx context.Context, path string, header http.Header, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	c.addHeader(req, header)
	addKey(ctx, req)
	resp, err := c.http.HTTPClient.Do(req)
	return succeeded(resp, err)
}

func (c *Client) addHeader(req *http.Request, header http.Header) {
	for _, h := range []http.Header{c.header, header} {
		for name, values := range h {
			req.Header[name] = values
		}
	}
}

func succeeded(resp *http.Response, err error) (*http.Response, error) {
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, errorOf(resp)
	}
	return resp, nil
}

// errorOf reads the error envelope of a failed answer.
func errorOf(resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	var envelope sdkapi.ErrorResponse
	if err != nil || json.Unmarshal(data, &envelope) != nil || envelope.Error.Code == "" {
		return &sdkapi.Error{
			Code: sdkapi.Internal, Status: resp.StatusCode,
			Message: fmt.Sprintf("the answer was %s without an explanation; is this the URL of a gateway?", resp.Status),
		}
	}
	envelope.Error.Status = resp.StatusCode
	return &envelope.Error
}

// post sends in as JSON and reads the answer into a new Out.
func post[Out any](ctx context.Context, c *Client, path string, in any) (*Out, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("sdk: %w", err)
	}
	resp, err := c.call(ctx, http.MethodPost, path, http.Header{"Content-Type": {"application/json"}}, body) //nolint:bodyclose // read closes it
	if err != nil {
		return nil, err
	}
	return read[Out](resp)
}

// read decodes and closes a successful answer.
func read[Out any](resp *http.Response) (*Out, error) {
	defer resp.Body.Close()
	out := new(Out)
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(out); err != nil {
		return nil, fmt.Errorf("sdk: the gateway's answer cannot be read: %w", err)
	}
	return out, nil
}

// safe marks ctx's request as one that may be sent twice.
func safe(ctx context.Context) context.Context { return context.WithValue(ctx, safeKey{}, true) }
