// Package remote contains the internal embedding service and its client. The service converts texts
// to vectors for gateways.
package remote

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/sdkapi"
)

const (
	maxBody     = 6*sdkapi.MaxEmbedAllTexts + 64<<10 // each character may be escaped
	atOnce      = 2                                  // requests that are processed; a batch uses all cores
	mostWaiting = 64                                 // requests that wait
	longestWait = 30 * time.Second
	retryAfter  = "5" // seconds
)

// Server serves GET /health and POST /embed. Make one with NewServer.
type Server struct {
	of      *embeddings.Service
	key     string
	log     *slog.Logger
	waiting chan struct{} // one element for each waiting or processed request
	working chan struct{}
}

// NewServer returns a Server for the model of an embedding service. If key is empty, the server
// refuses all requests for vectors.
func NewServer(of *embeddings.Service, key string, log *slog.Logger) *Server {
	return &Server{of: of, key: key, log: log, waiting: make(chan struct{}, mostWaiting+atOnce), working: make(chan struct{}, atOnce)}
}

// Handler returns the HTTP handler of GET /health and POST /embed.
func (s *Server) Handler() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("GET "+sdkapi.HealthPath, s.answer(s.health))
	routes.HandleFunc("POST "+sdkapi.EmbedPath, s.answer(s.embed))
	return routes
}

// answer returns a handler that writes the result of a route, or its error.
func (s *Server) answer(route func(w http.ResponseWriter, r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := route(w, r)
		status := http.StatusOK
		if err != nil {
			f := fault.From(err)
			status = statusOf(f.Code)
			if status == http.StatusInternalServerError {
				s.log.Error("a request failed", slog.String("path", r.URL.Path), slog.Any("err", err))
			}
			if status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", retryAfter)
			}
			out = sdkapi.ErrorResponse{Error: sdkapi.Error{Code: f.Code, Message: f.Message, Details: f.Details}}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(out) // the client may have left
	}
}

// statusOf returns the HTTP status of an error code.
func statusOf(code sdkapi.Code) int {
	switch code {
	case sdkapi.AuthRequired:
		return http.StatusUnauthorized
	case sdkapi.MalformedBody:
		return http.StatusBadRequest
	case sdkapi.PayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case sdkapi.ValidationError:
		return http.StatusUnprocessableEntity
	case sdkapi.ModelError:
		return http.StatusBadGateway
	case sdkapi.ModelUnavailable, sdkapi.ModelRateLimited, sdkapi.Overloaded:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// health reports whether the service can return vectors. It does not require the key.
func (s *Server) health(_ http.ResponseWriter, r *http.Request) (any, error) {
	if s.key == "" {
		return nil, errKeyless
	}
	if err := s.of.Check(r.Context()); err != nil {
		return nil, err
	}
	space, err := s.space(r.Context())
	return sdkapi.EmbeddingsHealth{Status: "healthy", EmbeddingSpace: space}, err
}

// space describes the vectors for gateways. Its provider is this service, whatever model it uses.
func (s *Server) space(ctx context.Context) (sdkapi.EmbeddingSpace, error) {
	space, err := s.of.Space(ctx)
	if err != nil {
		return space, err
	}
	return embeddings.SpaceOf(sdkapi.EmbedProviderName, space.ModelID, space.Dimension), nil
}

// embed returns the vectors of texts. It checks the key before it reads the body.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) (any, error) {
	if err := s.admit(r); err != nil {
		return nil, err
	}
	var asked sdkapi.EmbedRequest
	if err := read(http.MaxBytesReader(w, r.Body, maxBody), &asked); err != nil {
		return nil, err
	}
	if err := check(asked.Texts); err != nil {
		return nil, err
	}
	came := time.Now()
	done, err := s.enter(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	began := time.Now()
	vectors, err := s.of.Embed(r.Context(), asked.Texts)
	if err != nil {
		return nil, err
	}
	space, err := s.space(r.Context())
	return sdkapi.EmbedResponse{Embeddings: vectors, EmbeddingSpace: space, QueueWaitMS: ms(began.Sub(came)), ServiceTimeMS: ms(time.Since(began))}, err
}

// ms returns d in milliseconds, with a fraction.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// errKeyless is the error of a service without a key.
var errKeyless = fault.New("remote.embed", sdkapi.ModelUnavailable, "the service has no key, so it refuses all requests; set WINDIE_EMBEDDING_SERVICE_API_KEY and restart it")

// admit checks the key of a request.
func (s *Server) admit(r *http.Request) error {
	if s.key == "" {
		return errKeyless
	}
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(sdkapi.EmbedKeyHeader)), []byte(s.key)) != 1 {
		return fault.New("remote.embed", sdkapi.AuthRequired, "missing or wrong key in the header %s; send the key of this service", sdkapi.EmbedKeyHeader).
			At("header."+sdkapi.EmbedKeyHeader, "expected the key of this service")
	}
	return nil
}

// read decodes a JSON body.
func read(body io.Reader, into *sdkapi.EmbedRequest) error {
	err := json.NewDecoder(body).Decode(into)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return fault.New("remote.embed", sdkapi.PayloadTooLarge, "the body has more than %d bytes", maxBody)
	}
	if err != nil {
		return fault.New("remote.embed", sdkapi.MalformedBody, `invalid body; expected JSON such as {"texts": ["…"]}`).Because(err)
	}
	return nil
}

// check checks texts against the limits.
func check(texts []string) error {
	wrong := func(path, format string, args ...any) error {
		return fault.New("remote.embed", sdkapi.ValidationError, format, args...).At(path, format, args...)
	}
	if len(texts) < 1 || len(texts) > sdkapi.MaxEmbedTexts {
		return wrong("body.texts", "expected 1 to %d texts", sdkapi.MaxEmbedTexts)
	}
	all := 0
	for _, text := range texts {
		n := utf8.RuneCountInString(text)
		if n > sdkapi.MaxEmbedText {
			return wrong("body.texts", "expected texts of at most %d characters", sdkapi.MaxEmbedText)
		}
		all += n
	}
	if all > sdkapi.MaxEmbedAllTexts {
		return wrong("body.texts", "expected texts of at most %d characters in total", sdkapi.MaxEmbedAllTexts)
	}
	return nil
}

// enter waits until the request may be processed. The caller must call done afterwards. It fails
// with OVERLOADED if too many requests wait, or if the request waited longer than longestWait.
func (s *Server) enter(ctx context.Context) (done func(), err error) {
	busy := fault.New("remote.embed", sdkapi.Overloaded, "too many requests are waiting; try again later")
	select {
	case s.waiting <- struct{}{}:
	default:
		return nil, busy
	}
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	select {
	case s.working <- struct{}{}:
		return func() { <-s.working; <-s.waiting }, nil
	case <-ctx.Done():
		<-s.waiting
		return nil, busy
	}
}
