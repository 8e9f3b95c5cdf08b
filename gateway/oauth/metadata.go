package oauth

import (
	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/oauth"
)

// addResource adds the routes that describe the MCP server as a protected resource. Clients ask at the
// root, and with the path of the MCP server.
func (d *door) addResource() {
	d.core.App.Get(sdkapi.OAuthResourcePath, d.describeResource)
	d.core.App.Get(sdkapi.OAuthResourcePath+sdkapi.MCPPath, d.describeResource)
	if d.path != "" { // RFC 9728, section 3.1
		d.core.App.Get(sdkapi.OAuthResourcePath+d.path+sdkapi.MCPPath, d.describeResource)
	}
}

// describeResource describes the MCP server as a protected resource. Its scopes are those that clients
// should request first; a refused call names further ones.
func (d *door) describeResource(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-cache")
	return c.JSON(sdkapi.OAuthResource{
		Resource: gateway.RequestOf(c.UserContext()).Base + sdkapi.MCPPath, ResourceName: "Windie",
		AuthorizationServers: []string{d.issuer}, BearerMethods: []string{"header"}, Scopes: oauth.DefaultScopes(),
	})
}

// describeServer describes the authorization server.
func (d *door) describeServer(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-cache")
	none := []string{"none"}
	return c.JSON(sdkapi.OAuthServer{
		Issuer:                d.issuer,
		AuthorizationEndpoint: d.issuer + sdkapi.OAuthAuthorizePath,
		TokenEndpoint:         d.issuer + sdkapi.OAuthTokenPath,
		RegistrationEndpoint:  d.issuer + sdkapi.OAuthRegisterPath,
		RevocationEndpoint:    d.issuer + sdkapi.OAuthRevokePath,
		ResponseTypes:         []string{"code"},
		ResponseModes:         []string{"query"},
		GrantTypes:            []string{grantCode, grantRefresh},
		ChallengeMethods:      []string{"S256"},
		TokenAuthMethods:      none,
		RevocationAuthMethods: none,
		Scopes:                oauth.AllScopes(),
		IssInResponse:         true,
		ClientDocuments:       !d.store.NoDocuments,
	})
}
