package oauth

import (
	"log/slog"
	"mime"
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// Limits of requests.
const (
	maxBody  = 16 << 10 // bytes of a body
	maxQuery = 8 << 10  // bytes of the query of a client's request
	maxState = 2 << 10  // bytes of a client's state
)

// asJSON returns a handler that sends the response of h, or its refusal, in the form of OAuth.
func (d *door) asJSON(h func(*fiber.Ctx) (any, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		noStore(c)
		out, err := h(c)
		refusal := oauth.RefusalOf(err)
		switch {
		case refusal != nil:
			return d.refuse(c, refusal)
		case err != nil:
			return err
		}
		return c.JSON(out)
	}
}

// refuse sends a refusal.
func (d *door) refuse(c *fiber.Ctx, refusal *oauth.Error) error {
	status := http.StatusBadRequest
	switch refusal.Code {
	case oauth.InvalidClient:
		status = http.StatusUnauthorized
	case oauth.Unavailable:
		status = http.StatusServiceUnavailable
	}
	ctx := c.UserContext()
	d.core.Log.InfoContext(ctx, "OAuth request refused", slog.String("request_id", gateway.RequestOf(ctx).ID), slog.Any("err", refusal), slog.Any("cause", refusal.Unwrap()))
	return c.Status(status).JSON(sdkapi.OAuthError{Error: string(refusal.Code), Description: refusal.Description})
}

// readBody returns a body of a content type.
func readBody(c *fiber.Ctx, contentType string) ([]byte, error) {
	if kind, _, _ := mime.ParseMediaType(c.Get(fiber.HeaderContentType)); kind != contentType {
		return nil, oauth.Refuse(oauth.InvalidRequest, "the Content-Type must be %s", contentType)
	}
	return peer.ReadWhole(gateway.BodyOf(c), maxBody, func() error {
		return fault.New("gateway.oauth", sdkapi.PayloadTooLarge, "the body is too long").At("body", "expected at most %d bytes", maxBody)
	})
}

// readForm returns the parameters of a body.
func readForm(c *fiber.Ctx) (url.Values, error) {
	raw, err := readBody(c, fiber.MIMEApplicationForm)
	if err != nil {
		return nil, err
	}
	return parse(string(raw))
}

// parse parses parameters. No parameter may occur twice (RFC 6749, section 3.1), since two programs
// could read two values.
func parse(text string) (url.Values, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, oauth.Refuse(oauth.InvalidRequest, "the parameters are not form-encoded")
	}
	for _, all := range values {
		if len(all) > 1 {
			return nil, oauth.Refuse(oauth.InvalidRequest, "a parameter occurs more than once")
		}
	}
	return values, nil
}
