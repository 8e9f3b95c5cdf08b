package identity_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// A client registers once, and is known by its token from then on.
func Example() {
	dir, err := os.MkdirTemp("", "windie-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		panic(err)
	}
	defer db.Close()
	ids := identity.Open(db)
	registered, token, err := ids.Register(ctx, "Windows")
	if err != nil {
		panic(err)
	}
	install, err := ids.Authenticate(ctx, token)
	fmt.Println(install == registered, err)
	if err := ids.Revoke(ctx, install.ID); err != nil {
		panic(err)
	}
	_, err = ids.Authenticate(ctx, token)
	fmt.Println(err)
	// Output:
	// true <nil>
	// identity.Authenticate: the request has no valid token; send a token that this gateway issued
}
