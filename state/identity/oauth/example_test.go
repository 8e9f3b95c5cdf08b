package oauth_test

import (
	"fmt"

	"github.com/windieos/windie/state/identity/oauth"
)

func ExampleParseScopes() {
	scopes, err := oauth.ParseScopes("risky screens offline_access")
	fmt.Println(scopes, scopes.Has(oauth.ScopeRisky), scopes.With(oauth.ScopeTools), err)
	_, err = oauth.ParseScopes("admin")
	fmt.Println(err)
	// Output:
	// screens risky true screens tools risky <nil>
	// oauth: invalid_scope: unknown scope; expected some of: screens tools risky computer
}
