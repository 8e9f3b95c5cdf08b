package connections

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/upstream"
)

// visitor returns the person who uses the console, with the browser. Recognize has checked the console's
// header, which no page of another site can send, and the cookie.
func (d *door) visitor(c *fiber.Ctx) (upstream.Visitor, error) {
	noStore(c)
	if site := c.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return upstream.Visitor{}, fault.New("gateway.connections", sdkapi.OriginRefused, "only pages of the console may use this route").At("header.Sec-Fetch-Site", "expected same-origin")
	}
	v := gateway.RequestOf(c.UserContext()).Visit
	switch {
	case v == nil:
		return upstream.Visitor{}, fault.New("gateway.connections", sdkapi.AuthRequired, "sign in to the console")
	case v.User != "":
		return upstream.Visitor{User: v.User, Visit: v.ID}, nil
	case !d.hosted && v.Kind == identity.VisitPerson: // all users of a local gateway are one person
		return upstream.Visitor{User: strings.Clone(cmp.Or(c.Get(sdkapi.UserHeader), sdkapi.LocalUser)), Visit: v.ID}, nil
	}
	return upstream.Visitor{}, fault.New("gateway.connections", sdkapi.PermissionDenied, "an operator has no connections: sign in with the access token of a user")
}

// base returns the URL of this gateway to which issuers send browsers back. A hosted gateway must not
// take it from a header of the request.
func (d *door) base(c *fiber.Ctx) (string, error) {
	switch {
	case d.public != "":
		return d.public, nil
	case d.hosted:
		return "", fault.New("gateway.connections", sdkapi.FeatureUnavailable, "signing in to MCP servers needs the gateway's public URL: the operator sets WINDIE_PUBLIC_URL")
	}
	return gateway.RequestOf(c.UserContext()).Base, nil
}

// begin starts a sign-in, and returns where the browser goes.
func (d *door) begin(c *fiber.Ctx) error {
	by, err := d.visitor(c)
	if err != nil {
		return err
	}
	base, err := d.base(c)
	if err != nil {
		return err
	}
	to, err := d.store.Begin(c.UserContext(), by, strings.Clone(c.Params("server")), base)
	if err != nil {
		return err
	}
	return c.JSON(sdkapi.ConsoleConnectionStart{Location: to})
}

// comeBack leads a browser from an issuer to the console. The query is in the fragment, which browsers
// send to no server.
func (d *door) comeBack(c *fiber.Ctx) error {
	noStore(c)
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	query := string(c.Context().URI().QueryString())
	if len(query) > maxQuery {
		return fault.New("gateway.connections", sdkapi.ValidationError, "the issuer's response is too long").At("query", "expected at most %d bytes", maxQuery)
	}
	values, err := parse(query)
	if err != nil {
		return err
	}
	return c.Redirect(peer.VisitPath(gateway.RequestOf(c.UserContext()).Base)+"console/#/connected?"+values.Encode(), http.StatusSeeOther)
}

// parse parses parameters, of which none may occur twice.
func parse(text string) (url.Values, error) {
	values, err := url.ParseQuery(text)
	for _, all := range values {
		if len(all) > 1 {
			err = fault.New("gateway.connections", sdkapi.ValidationError, "a parameter occurs more than once")
		}
	}
	if err != nil {
		return nil, fault.New("gateway.connections", sdkapi.ValidationError, "the issuer's response is invalid").At("query", "expected parameters, each once").Because(err)
	}
	return values, nil
}

// finish completes a sign-in.
func (d *door) finish(c *fiber.Ctx) error {
	by, err := d.visitor(c)
	if err != nil {
		return err
	}
	in, err := resultOf(c)
	if err != nil {
		return err
	}
	values, err := parse(in.Query)
	if err != nil {
		return err
	}
	server, err := d.store.Finish(c.UserContext(), by, values)
	if err != nil {
		return err
	}
	d.core.Log.InfoContext(c.UserContext(), "a user signed in to an MCP server", slog.String("user", by.User), slog.String("mcp_server", server))
	if d.servers != nil {
		d.servers.Connected(server, by.User)
	}
	return c.JSON(sdkapi.ConsoleConnectionDone{Server: server})
}

// resultOf parses the body of finish.
func resultOf(c *fiber.Ctx) (in sdkapi.ConsoleConnectionResult, err error) {
	raw, err := peer.ReadWhole(gateway.BodyOf(c), maxBody, func() error {
		return fault.New("gateway.connections", sdkapi.PayloadTooLarge, "the body is too long").At("body", "expected at most %d bytes", maxBody)
	})
	if err != nil {
		return in, err
	}
	if err := strictbody.Check(raw, &in); err != nil {
		return in, err
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, fault.New("gateway.connections", sdkapi.MalformedBody, "invalid body: expected JSON with the query").Because(err)
	}
	if len(in.Query) > maxQuery {
		return in, fault.New("gateway.connections", sdkapi.ValidationError, "the query is too long").At("body.query", "expected at most %d bytes", maxQuery)
	}
	return in, nil
}
