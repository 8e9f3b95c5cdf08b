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

// A browser signs in at an OpenID provider by a redirect to the provider and one back. Meanwhile a
// separate cookie stores the state of the attempt. It must be SameSite=Lax, because the redirect
// back comes from the provider's site.

// callback is the path to which the provider redirects browsers back, below ConsoleOpenIDPath.
const callback = "/callback"

// leadToProvider starts a sign-in and redirects the browser to the provider. It refuses a start
// from a page of another site.
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

// comeBack completes a sign-in when the provider redirects the browser back. Each attempt works
// once.
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

// visitOf returns the new visit of a signed-in person. It fails with PERMISSION_DENIED if the
// provider names a user that does not exist, or if the gateway is not hosted.
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

// turnAway logs the error and redirects the browser to the console, which explains the error code.
func (s *door) turnAway(c *fiber.Ctx, err error) error {
	r := gateway.RequestOf(c.UserContext())
	s.core.Log.WarnContext(c.UserContext(), "sign-in by the OpenID provider failed", slog.String("request_id", r.ID), slog.Any("err", err))
	return s.toConsole(c, "refused="+string(fault.CodeOf(err)))
}

// toConsole redirects a browser to a place in the console. place is a URL fragment, so it cannot
// lead to another site.
func (s *door) toConsole(c *fiber.Ctx, place string) error {
	at := url.URL{Path: peer.VisitPath(gateway.RequestOf(c.UserContext()).Base) + "console/", Fragment: place}
	return c.Redirect(at.String(), http.StatusSeeOther)
}

// flowCookie returns the name of the cookie with the state of a sign-in attempt.
func flowCookie(c *fiber.Ctx) string { return peer.VisitCookie(c) + "_openid" }

// setFlow sets the cookie of a sign-in attempt for age seconds. A negative age deletes the cookie.
func setFlow(c *fiber.Ctx, value string, age int) {
	r := gateway.RequestOf(c.UserContext())
	c.Cookie(&fiber.Cookie{
		Name: flowCookie(c), Value: value, Path: peer.VisitPath(r.Base) + strings.TrimPrefix(sdkapi.ConsoleOpenIDPath, "/"), MaxAge: age,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: strings.HasPrefix(r.Base, "https://"),
	})
}
