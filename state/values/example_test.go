package values_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/values"
)

func Example() {
	dir, err := os.MkdirTemp("", "values")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()

	notes := values.Open(db).Plugin("notes", 100)
	if err := notes.Set(ctx, "colour", []byte("orange")); err != nil {
		log.Fatal(err)
	}
	value, found, err := notes.Get(ctx, "colour")
	fmt.Printf("%s %v %v\n", value, found, err)
	fmt.Println(errors.Is(notes.Set(ctx, "sky", []byte("blue")), values.ErrQuota))
	fmt.Println(notes.Usage(ctx))
	// Output:
	// orange true <nil>
	// true
	// 76 1 <nil>
}
