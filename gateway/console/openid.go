package console

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/openid"
)

// A browser that signs in at an OpenID provider goes there by a redirect and comes back by another. It keeps
// what the attempt is known by in a cookie of its own, which has to be Lax: the provider's page leads back here.

// callback is the path, below that of the console's, to which the provider sends browsers back.
const callback = "/callback"

// leadToProvider begins to sign a person in. A page of another site cannot begin it: the console's own link does.
func (s *door) leadToProvider(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	if site := c.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return s.toConsole(c, "")
	}
	goTo, flow, err := s.openID.Begin(c.UserContext(), c.Query("to"))
	if err != nil {
		return s.turnAway(c, err)
	}
	setFlow(c, flow, int(openid.FlowAge.Seconds()))
	return c.Redirect(goTo, http.StatusSeeOther)
}

// comeBack signs in a browser that the provider has sent back, once.
func (s *door) comeBack(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	flow := c.Cookies(flowCookie(c))
	setFlow(c, "", -1)
	query, err := url.ParseQuery(string(c.Context().URI().QueryString()))
	if err != nil {
		return s.turnAway(c, fault.New("gateway.console", sdkapi.AuthRequired, "the OpenID provider's response is invalid: sign in again").Because(err))
	}
	ctx := c.UserContext()
	person, to, err := s.openID.Finish(ctx, flow, query)
	if err != nil {
		return s.turnAway(c, err)
	}
	v, err := s.visitOf(ctx, person)
	if err == nil {
		before, _ := s.identity.FindVisit(ctx, c.Cookies(peer.VisitCookie(c)), s.core.Visits.Secret) // it may have ended
		v, err = s.begin(c, v, before)
	}
	if err != nil {
		return s.turnAway(c, err)
	}
	s.core.Log.InfoContext(ctx, "signed in by the OpenID provider", slog.String("kind", v.Kind), slog.String("subject", person.Subject), slog.String("user", v.User), slog.String("visit", v.ID))
	return s.toConsole(c, "/"+to)
}

// visitOf returns the visit that a person begins. A user has to be there.
func (s *door) visitOf(ctx context.Context, p openid.Person) (identity.Visit, error) {
	if p.Operator {
		return identity.Visit{Kind: identity.VisitOpenIDOperator}, nil
	}
	gone, err := s.identity.Revoked(ctx, p.User, "")
	if err == nil && (gone || !s.hosted) {
		err = fault.New("gateway.console", sdkapi.PermissionDenied, "the provider names a user that this gateway does not have: create the user, or change the claim")
	}
	return identity.Visit{Kind: identity.VisitOpenIDUser, User: p.User}, err
}

// turnAway redirects a browser to the console, which explains the code of the failure. The log has the cause.
func (s *door) turnAway(c *fiber.Ctx, err error) error {
	r := gateway.RequestOf(c.UserContext())
	s.core.Log.WarnContext(c.UserContext(), "sign-in by the OpenID provider failed", slog.String("request_id", r.ID), slog.Any("err", err))
	return s.toConsole(c, "refused="+string(fault.CodeOf(err)))
}

// toConsole leads a browser to a place in the console. Whatever the place is, the browser stays here.
func (s *door) toConsole(c *fiber.Ctx, place string) error {
	at := url.URL{Path: peer.VisitPath(gateway.RequestOf(c.UserContext()).Base) + "console/", Fragment: place}
	return c.Redirect(at.String(), http.StatusSeeOther)
}

// flowCookie returns the name of the cookie of a browser that is at the provider.
func flowCookie(c *fiber.Ctx) string { return peer.VisitCookie(c) + "_openid" }

func setFlow(c *fiber.Ctx, value string, age int) {
	r := gateway.RequestOf(c.UserContext())
	c.Cookie(&fiber.Cookie{
		Name: flowCookie(c), Value: value, Path: peer.VisitPath(r.Base) + strings.TrimPrefix(sdkapi.ConsoleOpenIDPath, "/"), MaxAge: age,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: strings.HasPrefix(r.Base, "https://"),
	})
}
