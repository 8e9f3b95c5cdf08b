package identity_test

import (
	"path/filepath"
	"testing"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// What each request to a hosted gateway pays.
func BenchmarkAuthenticate(b *testing.B) {
	db, err := database.Open(b.Context(), database.Config{File: filepath.Join(b.TempDir(), "windie.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	ids := identity.Open(db)
	_, token, err := ids.Register(b.Context(), "Windows")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ids.Authenticate(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
