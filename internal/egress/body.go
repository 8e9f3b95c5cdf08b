package egress

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
)

// readBody returns the decompressed body of resp. It fails with TooLarge if the compressed or
// decompressed body, or the session, exceeds its limit. count gets the number of decompressed
// bytes.
func (c *Client) readBody(resp *http.Response, count func(int64) error) ([]byte, error) {
	limit := c.limits.ResponseBytes
	if resp.ContentLength > limit {
		return nil, c.bodyTooLarge()
	}
	arriving := &capped{r: resp.Body, left: limit, over: c.bodyTooLarge}
	var body io.Reader = arriving
	switch encoding := strings.ToLower(strings.Join(resp.Header.Values("Content-Encoding"), ",")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		unzipped, err := gzip.NewReader(arriving)
		if errors.Is(err, io.EOF) {
			return nil, nil // some servers declare gzip for an empty body
		}
		if err != nil {
			return nil, c.unreadable(err)
		}
		body = unzipped
	default:
		return nil, fail(BadResponse, "the body of the reply has an unsupported content encoding; only gzip is supported")
	}
	data, err := io.ReadAll(&capped{r: body, left: limit, over: c.bodyTooLarge, count: count})
	if err != nil {
		return nil, c.unreadable(err)
	}
	return c.vault.redactBytes(data), nil
}

// bodyTooLarge returns the error for a reply whose body exceeds its limit, before or after decompression.
func (c *Client) bodyTooLarge() error {
	return fail(TooLarge, "the body of the reply has more than %d bytes; request less, or ask the operator to raise the limit", c.limits.ResponseBytes)
}

// unreadable distinguishes a body that is not valid gzip from one that did not arrive.
func (c *Client) unreadable(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || strings.HasPrefix(err.Error(), "flate: ") {
		return fail(BadResponse, "the body of the reply is not valid gzip, although its header says so").because(c.vault, err)
	}
	return err
}

// capped reads from r, and fails with over's error after left bytes.
type capped struct {
	r     io.Reader
	left  int64
	over  func() error
	count func(int64) error // gets the number of bytes read, and may fail; may be nil
}

// Read reads from r. If a read exceeds the limit, Read returns 0 bytes and an error. So the caller
// never gets more bytes in total than the limit.
func (c *capped) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, c.over()
	}
	if c.count != nil && n > 0 {
		if err := c.count(int64(n)); err != nil {
			return 0, err
		}
	}
	return n, err
}
