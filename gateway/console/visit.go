package console

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// maxEntry is the maximum size of a sign-in's body, in bytes.
const maxEntry = 4 << 10

// addVisits adds the routes for signing in and out. Without an identity, only the route that
// reports the visit exists.
func (s *door) addVisits() {
	s.core.App.Get(sdkapi.ConsoleVisitPath, s.visit)
	if s.identity == nil {
		return
	}
	s.core.App.Post(sdkapi.ConsoleVisitPath, fromConsole, s.enter)
	s.core.App.Delete(sdkapi.ConsoleVisitPath, fromConsole, s.leave)
	s.core.App.Get(sdkapi.ConsoleVisitsPath, fromConsole, s.list)
	s.core.App.Delete(sdkapi.ConsoleVisitsPath+"/:id", fromConsole, s.end)
	if s.openID != nil {
		s.core.App.Get(sdkapi.ConsoleOpenIDPath, s.leadToProvider)
		s.core.App.Get(sdkapi.ConsoleOpenIDPath+callback, s.comeBack)
	}
}

// fromConsole rejects requests without the console's header. A form on another site cannot send
// that header.
func fromConsole(c *fiber.Ctx) error {
	if c.Get(sdkapi.ConsoleHeader) == "" {
		return fault.New("gateway.console", sdkapi.OriginRefused, "only pages of the console may use this route").
			At("header."+sdkapi.ConsoleHeader, "expected the header, with any value")
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.Next()
}

// visit returns the browser's visit.
func (s *door) visit(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(s.answer(gateway.RequestOf(c.UserContext()).Visit))
}

// answer returns the state of the console for a browser. v is nil if the browser is not signed in.
func (s *door) answer(v *identity.Visit) sdkapi.ConsoleVisit {
	out := sdkapi.ConsoleVisit{Mode: "local", OpenID: s.openID.Name(), Version: s.version}
	if s.hosted {
		out.Mode = "hosted"
	}
	if v != nil {
		guest := guestOf(*v, v.ID)
		out.Visit = &guest
		out.Decides = (v.User != "") == s.hosted
	}
	return out
}

// guestOf returns a visit in the form of the routes. here is the id of the caller's own visit.
func guestOf(v identity.Visit, here string) sdkapi.ConsoleGuest {
	return sdkapi.ConsoleGuest{
		ID: v.ID, Kind: v.Kind, UserID: v.User, Agent: v.Agent,
		CreatedAt: v.Created, SeenAt: v.Seen, ExpiresAt: v.Expires, Here: v.ID == here,
	}
}

// enter signs in a browser by code or token and sets its cookie.
func (s *door) enter(c *fiber.Ctx) error {
	entry, err := entryOf(c)
	if err != nil {
		return err
	}
	ctx := c.UserContext()
	v, err := s.try(peer.Address(c, s.trustedProxies), func() (identity.Visit, error) { return s.admit(ctx, entry) })
	if err != nil {
		return err
	}
	if v, err = s.begin(c, v, gateway.RequestOf(ctx).Visit); err != nil {
		return err
	}
	return c.JSON(s.answer(&v))
}

// begin starts a visit of the browser and sets its cookie. It ends the browser's earlier visit,
// because a browser has at most one. before is nil if there is no earlier visit.
func (s *door) begin(c *fiber.Ctx, v identity.Visit, before *identity.Visit) (identity.Visit, error) {
	v.Agent = c.Get(fiber.HeaderUserAgent)
	if before != nil {
		_ = s.identity.EndVisit(c.UserContext(), before.ID, "") // it may have ended
	}
	v, cookie, err := s.identity.BeginVisit(c.UserContext(), v, s.core.Visits.Secret(v.Kind))
	if err == nil {
		setCookie(c, cookie, int(v.Expires.Sub(v.Created).Seconds()))
	}
	return v, err
}

// entryOf parses the body of a sign-in. It has a code or a token, never both.
func entryOf(c *fiber.Ctx) (entry sdkapi.ConsoleEntry, err error) {
	const op = "gateway.console"
	raw, err := peer.ReadWhole(gateway.BodyOf(c), maxEntry, func() error {
		return fault.New(op, sdkapi.PayloadTooLarge, "the body of the sign-in is too long").At("body", "expected at most %d bytes", maxEntry)
	})
	if err != nil {
		return entry, err
	}
	if err := strictbody.Check(raw, &entry); err != nil {
		return entry, fault.New(op, sdkapi.ValidationError, "ambiguous body").At("body", "expected no duplicate fields").Because(err)
	}
	if err := json.Unmarshal(raw, &entry); err != nil {
		return entry, fault.New(op, sdkapi.MalformedBody, "invalid body: expected JSON with a code or a token").Because(err)
	}
	entry.Code, entry.Token = strings.TrimSpace(entry.Code), strings.TrimSpace(entry.Token)
	if (entry.Code == "") == (entry.Token == "") {
		return entry, fault.New(op, sdkapi.ValidationError, "the sign-in needs a token, or the code of a sign-in link").At("body", "expected either code or token")
	}
	return entry, nil
}

// try calls admit unless the address has reached its limit of failed sign-ins. It counts and logs a
// failure.
func (s *door) try(from netip.Addr, admit func() (identity.Visit, error)) (identity.Visit, error) {
	key := peer.AddressKey(from)
	if got := s.tries.Take(key, 0); got.Remaining < 1 {
		retry := time.Minute / triesMinute
		return identity.Visit{}, fault.New("gateway.console", sdkapi.RateLimited, "too many failed sign-ins from this address: retry in %d s", int(retry.Seconds())).After(retry)
	}
	v, err := admit()
	if fault.CodeOf(err) == sdkapi.AuthRequired {
		s.tries.Take(key, 1)
		s.core.Log.Warn("sign-in to the console failed", slog.String("address", from.String()), slog.String("error", err.Error()))
	}
	return v, err
}

// admit returns the visit that a code or a token starts. It fails with AUTH_REQUIRED if the code or
// token is wrong.
func (s *door) admit(ctx context.Context, entry sdkapi.ConsoleEntry) (identity.Visit, error) {
	const op = "gateway.console"
	switch {
	case s.core.Visits.Operator != "" && peer.SameToken(entry.Token, s.core.Visits.Operator):
		return identity.Visit{Kind: identity.VisitOperator}, nil
	case entry.Token != "" && s.hosted:
		install, err := s.identity.Authenticate(ctx, entry.Token)
		return identity.Visit{Kind: identity.VisitInstall, User: install.User, Install: install.ID}, err
	case entry.Token != "":
		return identity.Visit{}, fault.New(op, sdkapi.AuthRequired, "wrong token: expected the operator token, or the link that windie console prints")
	case s.core.Visits.Secret(identity.VisitPerson) == "":
		return identity.Visit{}, fault.New(op, sdkapi.AuthRequired, "this gateway has no sign-in by link: sign in with a token")
	}
	return identity.Visit{Kind: identity.VisitPerson}, s.identity.UseCode(ctx, entry.Code)
}

// setCookie sets the cookie of a visit for age seconds. A negative age deletes the cookie. Other
// sites cannot send it, because it is SameSite=Strict.
func setCookie(c *fiber.Ctx, value string, age int) {
	r := gateway.RequestOf(c.UserContext())
	c.Cookie(&fiber.Cookie{
		Name: peer.VisitCookie(c), Value: value, Path: peer.VisitPath(r.Base), MaxAge: age,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteStrictMode, Secure: strings.HasPrefix(r.Base, "https://"),
	})
}

// leave ends the browser's visit and deletes its cookie.
func (s *door) leave(c *fiber.Ctx) error {
	ctx := c.UserContext()
	if v := gateway.RequestOf(ctx).Visit; v != nil {
		if err := s.identity.EndVisit(ctx, v.ID, ""); err != nil && fault.CodeOf(err) != sdkapi.NotFound {
			return err
		}
	}
	setCookie(c, "", -1)
	return c.SendStatus(http.StatusNoContent)
}

// scope returns the id of the caller's visit, and the user whose visits the caller may see. An
// empty user means all visits.
func scope(ctx context.Context) (here, user string, err error) {
	v := gateway.RequestOf(ctx).Visit
	if v == nil {
		return "", "", fault.New("gateway.console", sdkapi.AuthRequired, "sign in to the console")
	}
	return v.ID, v.User, nil
}

// list returns the visits that the caller may see. A visit with a user sees only that user's
// visits. Any other visit sees all.
func (s *door) list(c *fiber.Ctx) error {
	here, user, err := scope(c.UserContext())
	if err != nil {
		return err
	}
	visits, err := s.identity.Visits(c.UserContext(), user)
	if err != nil {
		return err
	}
	out := sdkapi.ConsoleGuests{Visits: make([]sdkapi.ConsoleGuest, len(visits))}
	for i, v := range visits {
		out.Visits[i] = guestOf(v, here)
	}
	return c.JSON(out)
}

// end ends a visit that the caller may see. It fails with NOT_FOUND for any other visit.
func (s *door) end(c *fiber.Ctx) error {
	_, user, err := scope(c.UserContext())
	if err == nil {
		err = s.identity.EndVisit(c.UserContext(), c.Params("id"), user)
	}
	if err != nil {
		return err
	}
	return c.SendStatus(http.StatusNoContent)
}
