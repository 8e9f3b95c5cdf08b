package gateway

import (
	"context"

	"github.com/windieos/windie/sdkapi"
)

// Models are the language models that users can choose.
type Models interface {
	// List returns those that a user can ask, also those that the user could
	// with keys to some providers.
	List(ctx context.Context, user string, with ...string) sdkapi.ModelList

	// Default returns the id of the one for those who do not choose.
	Default() string

	// Providers returns the ids of the providers that take a user's key.
	Providers() []string

	// Keep keeps a key that a user brought, in memory alone; an empty one is
	// forgotten.
	Keep(user, provider, key string)

	// Keeps reports whether a key that a user brought is there.
	Keeps(user, provider string) bool
}
