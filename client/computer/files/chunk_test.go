package files_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/files"
)

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// A file comes in pieces, and goes on where it was; it appears with the last of them, if its sum is right.
func TestChunks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := open(t, dir, files.Rules{})
	text := "first second third"
	chunk := func(offset int, content string) arguments {
		return arguments{"path": "big/file", "size": len(text), "sha256": sumOf(text), "offset": offset, "content": content}
	}
	in64 := chunk(13, base64.StdEncoding.EncodeToString([]byte("third")))
	in64["encoding"] = "base64"
	wrong := arguments{"path": "wrong", "size": 3, "sha256": sumOf("abc"), "offset": 0, "content": "abd"}
	put(t, dir, "wrong", "as it was")
	for _, step := range []struct {
		in   arguments
		want string
	}{
		{chunk(0, ""), `{"received":0,"done":false}`},
		{chunk(0, "first "), `{"received":6,"done":false}`},
		{chunk(7, "econd"), "failed: the piece at byte 6 is missing"},
		{chunk(0, "first "), `{"received":6,"done":false}`},
		{chunk(0, "FIRST "), "failed: the piece at byte 0 differs"},
		{chunk(3, "st second "), `{"received":13,"done":false}`},
		{chunk(13, "third and more"), "failed: the piece ends at byte 27 of a file of 18"},
		{chunk(0, ""), `{"received":13,"done":false}`},
		{in64, `{"received":18,"done":true}`},
		{wrong, "failed: the SHA-256 of the pieces is"},
	} {
		m.is(t, step.want, "file.write_chunk", step.in)
	}
	m.is(t, `{"text":"`+text, "file.read", arguments{"path": "big/file"})
	m.is(t, `{"text":"as it was"`, "file.read", arguments{"path": "wrong"})
	// left of what others began is removed after a day; new, and a user's own, is not
	part, whole := ".windie-part-"+strings.Repeat("0a", 10), ".windie-"+strings.Repeat("A2", 13)
	kept := []string{".windie-part-" + strings.Repeat("1b", 10), ".windie-notes.md", ".windie-part-left", whole + "A", part + ".txt", "." + part}
	for _, name := range append([]string{part, whole}, kept...) {
		put(t, dir, name, "x")
		age := 25 * time.Hour
		if name == kept[0] {
			age = 0
		}
		if err := os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	m.call(t.Context(), t, "file.write_chunk", arguments{"path": "other", "size": 1, "sha256": sumOf("x"), "offset": 0, "content": "x"})
	for _, name := range []string{part, whole} {
		m.is(t, "failed: "+name+" does not exist", "file.stat", arguments{"path": name})
	}
	for _, name := range kept {
		m.is(t, `{"kind":"file"`, "file.stat", arguments{"path": name})
	}
}

// The child of TestKilled writes this many pieces of this many bytes.
const (
	writerEnv = "WINDIE_TEST_WRITER"
	pieces    = 6
	pieceSize = 250_000
)

// content returns what a file of the child holds.
func content() string {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, pieces*pieceSize)
	for i := range data {
		data[i] = byte('a' + random.IntN(26))
	}
	return string(data)
}

// writeUntilKilled writes a file in pieces, and says each before it is written.
func writeUntilKilled() {
	folder, err := files.Open(os.Getenv(writerEnv), files.Rules{})
	if err != nil {
		panic(err)
	}
	tools := agent.NewRegistry()
	for _, tool := range folder.Tools() {
		if err := tools.Register(tool); err != nil {
			panic(err)
		}
	}
	text := content()
	for i := range pieces {
		fmt.Println("piece", i)
		if _, err := sendPiece(tools.View(), text, i); err != nil {
			panic(err)
		}
	}
}

// sendPiece sends a piece, and reports whether the file is whole with it.
func sendPiece(view agent.View, text string, i int) (done bool, err error) {
	raw, err := json.Marshal(arguments{"path": "file", "size": len(text), "sha256": sumOf(text), "offset": i * pieceSize, "content": text[i*pieceSize : (i+1)*pieceSize]})
	if err != nil {
		return false, err
	}
	result, err := view.Invoke(context.Background(), "file.write_chunk", agent.Call{Arguments: raw})
	if err == nil && result.IsError {
		err = fmt.Errorf("%s", result.Content[0].Text)
	}
	return strings.Contains(string(result.Structured), `"done":true`), err
}
