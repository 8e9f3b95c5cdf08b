package gateway

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// front runs before Fiber. It refuses requests that Fiber would answer without the gateway's
// middleware. It also refuses requests with ambiguous framing: bytes that a proxy counts to the
// body could be the next request here (RFC 9112, section 6.1). It closes the connection of a
// refused request.
func (s *Server) front(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(request *fasthttp.RequestCtx) {
		if problem := misframed(&request.Request.Header); problem != "" {
			s.turnAway(request, fault.New("gateway.front", sdkapi.MalformedBody, "the request is not valid HTTP: %s", problem))
			return
		}
		if !slices.ContainsFunc(fiber.DefaultMethods, func(known string) bool { return known == string(request.Method()) }) {
			request.Response.Header.Set(fiber.HeaderAllow, "GET, HEAD, POST, PUT, DELETE, OPTIONS")
			s.turnAway(request, fault.New("gateway.front", sdkapi.MethodNotAllowed, "no route accepts the method %s", plain.Cut(string(request.Method()), 20)))
			return
		}
		next(request)
	}
}

// turnAway answers a request with err, logs it and closes its connection.
func (s *Server) turnAway(request *fasthttp.RequestCtx, err error) {
	c := s.App.AcquireCtx(request)
	defer s.App.ReleaseCtx(c)
	id := NewRequestID()
	c.Response().Header.SetCanonical(requestIDHeader, []byte(id))
	_ = s.fail(c, err) // an envelope can be written as JSON
	s.Log.Info("request refused", slog.String("request_id", id), slog.Any("err", err))
	openBody(c, s.app.StallTimeout).Discard(true) // a little, so that the client reads the answer and not a reset
	boundWriting(c, time.Now())
	c.Context().SetConnectionClose()
}

// misframed returns the reason why a request's framing is ambiguous; "" if it is clear. fasthttp itself refuses
// duplicate lengths, encodings and hosts, and invalid numbers. It accepts the cases here and
// picks one of two interpretations.
func misframed(h *fasthttp.RequestHeader) string {
	encoded, sized := false, false
	for rest := h.RawHeaders(); len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if len(line) == 0 {
			continue
		}
		switch line[0] {
		case ' ', '\t':
			return "a header continues on another line, which HTTP/1.1 no longer allows"
		case 'T', 't':
			if value, ok := headerValue(line, fiber.HeaderTransferEncoding); ok {
				encoded = true
				if !strings.EqualFold(value, "chunked") {
					return "Transfer-Encoding is " + plain.Cut(value, 20) + ", expected chunked"
				}
			}
		case 'C', 'c':
			_, ok := headerValue(line, fiber.HeaderContentLength)
			sized = sized || ok
		}
	}
	switch {
	case encoded && sized:
		return "it has both Content-Length and Transfer-Encoding"
	case encoded && !h.IsHTTP11():
		return "Transfer-Encoding is not allowed in " + plain.Cut(string(h.Protocol()), 20)
	}
	return ""
}

// headerValue returns the value of a header line, and whether the line is that header.
func headerValue(line []byte, name string) (string, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !strings.EqualFold(string(line[:len(name)]), name) {
		return "", false
	}
	return strings.TrimSpace(string(line[len(name)+1:])), true
}
