package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/peer"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// person passes on requests of the console, from a person who is signed in as a user. Recognize has
// checked the console's header, which no page of another site can send, and the cookie.
func person(c *fiber.Ctx) error {
	noStore(c)
	if site := c.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return fault.New("gateway.oauth", sdkapi.OriginRefused, "only pages of the console may use this route").At("header.Sec-Fetch-Site", "expected same-origin")
	}
	switch v := gateway.RequestOf(c.UserContext()).Visit; {
	case v == nil:
		return fault.New("gateway.oauth", sdkapi.AuthRequired, "sign in to the console")
	case v.User == "":
		return fault.New("gateway.oauth", sdkapi.PermissionDenied, "an operator has no tools of their own: sign in with the access token of a user")
	}
	return c.Next()
}

// shown returns the fault by which the console shows a refusal. Other errors stay as they are.
func shown(err error) error {
	refusal := oauth.RefusalOf(err)
	if refusal == nil {
		return err
	}
	return fault.New("gateway.oauth", sdkapi.ValidationError, "the client's request is invalid (%s): %s", string(refusal.Code), refusal.Description).Because(errors.Join(refusal, refusal.Unwrap()))
}

// proofOf binds what a person sees to the cookie of the person's browser: nobody else can make the
// proof, and another client or redirect has another one.
func proofOf(c *fiber.Ctx, query string, a asked) string {
	mac := hmac.New(sha256.New, []byte(c.Cookies(peer.VisitCookie(c))))
	raw, _ := json.Marshal([]any{"windie consent", query, a.client.ID, a.client.Name, a.redirect, a.scopes}) // texts always encode
	mac.Write(raw)
	return hex.EncodeToString(mac.Sum(nil))
}

// ask describes a client's request for the person who decides about it.
func (d *door) ask(c *fiber.Ctx) error {
	query := string(c.Context().URI().QueryString())
	a, err := d.request(c.UserContext(), query)
	if err != nil {
		return shown(err)
	}
	host, app := oauth.Target(a.redirect)
	return c.JSON(sdkapi.ConsoleConsent{
		Client: a.client.Name, ClientHost: a.client.Host(), RedirectURI: a.redirect, RedirectHost: host, RedirectApp: app, Local: !strings.HasPrefix(a.redirect, "https:"),
		Scopes: a.scopes, UserID: gateway.RequestOf(c.UserContext()).Visit.User, Proof: proofOf(c, query, a),
	})
}

// decide allows or denies a client's request, and returns where the browser goes.
func (d *door) decide(c *fiber.Ctx) error {
	in, err := decisionOf(c)
	if err != nil {
		return shown(err)
	}
	ctx := c.UserContext()
	a, err := d.request(ctx, in.Query)
	if err != nil {
		return shown(err)
	}
	if subtle.ConstantTimeCompare([]byte(in.Proof), []byte(proofOf(c, in.Query, a))) != 1 {
		return fault.New("gateway.oauth", sdkapi.PermissionDenied, "the request has changed since this page showed it: load the page again").At("body.proof", "expected the proof of this request, in this browser")
	}
	result := url.Values{"error": {string(oauth.AccessDenied)}}
	if in.Allow {
		code, err := d.allow(c, a, in.Scopes)
		if err != nil {
			return shown(err)
		}
		result = url.Values{"code": {code}}
	}
	to, err := d.back(a, result)
	if err != nil {
		return err
	}
	return c.JSON(sdkapi.ConsoleConsentResult{Location: to})
}

// decisionOf parses the body of a decision.
func decisionOf(c *fiber.Ctx) (in sdkapi.ConsoleConsentDecision, err error) {
	raw, err := readBody(c, fiber.MIMEApplicationJSON)
	if err != nil {
		return in, err
	}
	if err := strictbody.Check(raw, &in); err != nil {
		return in, err
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, fault.New("gateway.oauth", sdkapi.MalformedBody, "invalid body: expected JSON with the decision").Because(err)
	}
	in.Query = strings.TrimPrefix(in.Query, "?")
	return in, nil
}

// allow returns a code with the scopes that the person has allowed.
func (d *door) allow(c *fiber.Ctx, a asked, names []string) (string, error) {
	allowed := oauth.Scopes{}.With(names...)
	if len(allowed) == 0 || len(allowed) != len(names) || slices.ContainsFunc(allowed, func(scope string) bool { return !a.scopes.Has(scope) }) {
		return "", fault.New("gateway.oauth", sdkapi.ValidationError, "allow some of the scopes that the client requests").At("body.scopes", "expected some of: %s", a.scopes)
	}
	ctx := c.UserContext()
	v := gateway.RequestOf(ctx).Visit
	code, err := d.store.Allow(ctx, oauth.Consent{User: v.User, Parent: v.Install, Client: a.client, Redirect: a.redirect, Challenge: a.challenge, Scopes: allowed})
	if err == nil {
		d.core.Log.InfoContext(ctx, "a user allowed an MCP client", slog.String("user", v.User), slog.String("client", a.client.ID), slog.String("name", a.client.Name), slog.String("scopes", allowed.String()))
	}
	return code, err
}
