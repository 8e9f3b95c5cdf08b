package dirstore_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/windieos/windie/artifacts/dirstore"
)

func Example() {
	dir, err := os.MkdirTemp("", "artifacts")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	ctx := context.Background()
	store, err := dirstore.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	info, err := store.Put(ctx, "note.txt", "text/plain", strings.NewReader("click the orange button"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Size, "bytes of", info.ContentType)

	part, _, err := store.Get(ctx, "note.txt", 10, 6)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = part.Close() }()
	text, err := io.ReadAll(part)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
	// Output:
	// 23 bytes of text/plain
	// orange
}
