package oauth

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// register registers a client. Every client is public, whatever authentication it requests (RFC 7591,
// section 3.2.1).
func (d *door) register(c *fiber.Ctx) (any, error) {
	raw, err := readBody(c, fiber.MIMEApplicationJSON)
	if err != nil {
		return nil, err
	}
	var in sdkapi.OAuthRegistration
	if err := strictbody.Check(raw, &in); err != nil {
		return nil, oauth.Refuse(oauth.InvalidMetadata, "a field occurs more than once")
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, oauth.Refuse(oauth.InvalidMetadata, "the body must be a JSON object with redirect_uris")
	}
	if err := d.checkRegistration(in); err != nil {
		return nil, err
	}
	client, err := d.store.Register(c.UserContext(), in.ClientName, in.RedirectURIs)
	if err != nil {
		return nil, err
	}
	c.Status(http.StatusCreated)
	return sdkapi.OAuthRegistration{
		ClientID: client.ID, IssuedAt: time.Now().Unix(), ClientName: client.Name, RedirectURIs: client.RedirectURIs,
		GrantTypes: []string{grantCode, grantRefresh}, ResponseTypes: []string{"code"}, AuthMethod: "none",
	}, nil
}

// checkRegistration refuses clients that need more than the gateway offers.
func (d *door) checkRegistration(in sdkapi.OAuthRegistration) error {
	if len(in.GrantTypes) > 0 && !slices.Contains(in.GrantTypes, grantCode) {
		return oauth.Refuse(oauth.InvalidMetadata, "grant_types must have %s", grantCode)
	}
	if len(in.ResponseTypes) > 0 && !slices.Contains(in.ResponseTypes, "code") {
		return oauth.Refuse(oauth.InvalidMetadata, "response_types must have code")
	}
	return nil
}
