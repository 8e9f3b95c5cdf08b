package owned_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/state/database"
)

func Example() {
	dir, err := os.MkdirTemp("", "owned")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	ctx := context.Background()
	files, err := dirstore.Open(filepath.Join(dir, "artifacts"))
	if err != nil {
		log.Fatal(err)
	}
	db, err := database.Open(ctx, database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()

	store := owned.Open(files, db, owned.Options{TTL: time.Hour})
	info, err := store.For("ada").Put(ctx, "note.txt", "text/plain", strings.NewReader("click the orange button"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("kept for", time.Until(info.ExpiresAt).Round(time.Minute))

	_, err = store.For("bob").Stat(ctx, "note.txt")
	fmt.Println("bob is told:", err)
	_, err = store.For("bob").Stat(ctx, "nothing.txt")
	fmt.Println("bob is told:", err)
	// Output:
	// kept for 1h0m0s
	// bob is told: owned.Stat: there is no artifact "note.txt"
	// bob is told: owned.Stat: there is no artifact "nothing.txt"
}
