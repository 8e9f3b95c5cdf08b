package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"mime/multipart"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/once"
)

// onceForm works like once, for a form. A form is not held in memory, and has another boundary each
// time a client sends it. So onceForm hashes the parts of the form while the handler reads them.
func (s *Server) onceForm(c *fiber.Ctx, key once.Key, doc huma.Operation, next func(body io.Reader, left int) error) error {
	claim, err := s.app.Once.Claim(c.UserContext(), key, "", onceRoutes[doc.OperationID].redo)
	if err != nil {
		return onceFailed(c, err)
	}
	form := formBody{Reader: io.LimitReader(BodyOf(c), s.maxForm()), contentType: c.Get(fiber.HeaderContentType)}
	if claim.Answer != nil {
		digest, err := form.digest(form)
		switch {
		case err != nil:
			return fault.New("gateway.once", sdkapi.MalformedBody, "the form in the body is incomplete").At("body", "expected the same form as in the first request with this %s", sdkapi.IdempotencyKeyHeader).Because(err)
		case digest != claim.Digest:
			return once.Reused()
		}
		return replay(c, claim.Answer)
	}
	return s.onceFirst(c, claim, func() (string, error) { return form.watch(func(body io.Reader) error { return next(body, -1) }) })
}

// maxForm returns the maximum size of a form, in bytes.
func (s *Server) maxForm() int64 {
	most := s.app.MaxArtifactBytes
	if s.app.Plugins != nil {
		most = max(most, s.app.Plugins.ModuleBytes()+MaxPluginManifest)
	}
	return most + formOverhead
}

// formBody is the body of a multipart form.
type formBody struct {
	io.Reader
	contentType string
}

// watch calls handle with the form and returns the digest of the form.
func (f formBody) watch(handle func(body io.Reader) error) (string, error) {
	seen, shown := io.Pipe()
	type result struct {
		digest string
		err    error
	}
	done := make(chan result, 1)
	go func() {
		digest, err := f.digest(seen)
		_, _ = io.Copy(io.Discard, seen) // otherwise the handler would block
		done <- result{digest, err}
	}()
	body := io.TeeReader(f.Reader, shown)
	err := handle(body)
	if err == nil {
		_, _ = io.Copy(io.Discard, body) // include the rest that the handler did not read
	}
	_ = shown.Close() // it never fails
	got := <-done
	if err == nil && got.err != nil { // the form is broken after the part that the handler read
		return fmt.Sprintf("unknown: %v", got.err), nil //nolint:nilerr // the request succeeded; no later form matches this digest
	}
	return got.digest, err
}

// digest returns a hex SHA-256 of the form's parts, independent of the boundary.
func (f formBody) digest(body io.Reader) (string, error) {
	_, params, err := mime.ParseMediaType(f.contentType)
	if err != nil {
		return "", err
	}
	of, form := sha256.New(), multipart.NewReader(body, params["boundary"])
	for {
		part, err := form.NextRawPart()
		if err == io.EOF {
			return hex.EncodeToString(of.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
		content := sha256.New()
		if _, err := io.Copy(content, part); err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(of, "%q %q %q %x\n", part.FormName(), part.FileName(), part.Header.Get("Content-Type"), content.Sum(nil))
	}
}
