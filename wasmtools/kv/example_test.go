package kv_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/windieos/windie/wasmtools/kv"
)

func Example() {
	dir, err := os.MkdirTemp("", "kv")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := kv.Open(filepath.Join(dir, "plugins.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = store.Close() }()

	ctx := context.Background()
	notes := store.Plugin("notes", 100)
	if err := notes.Set(ctx, "colour", []byte("orange")); err != nil {
		log.Fatal(err)
	}
	value, found, err := notes.Get(ctx, "colour")
	fmt.Printf("%s %v %v\n", value, found, err)
	fmt.Println(errors.Is(notes.Set(ctx, "sky", []byte("blue")), kv.ErrQuota))
	fmt.Println(notes.Usage(ctx))
	// Output:
	// orange true <nil>
	// true
	// 76 1 <nil>
}
