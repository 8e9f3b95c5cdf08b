package desktop_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

var frameType = regexp.MustCompile(`(?m)^([<>])~? \{(?:\s*"id": [^,]*,)?\s*"type": "([a-z-]+)"`)

// Each type of message that there is, whoever sends it, is shown by a dialogue,
// and docs/protocols.md has it.
func TestDialoguesShowEachMessage(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/ws-*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../docs/protocols.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, file := range files {
		if !bytes.Contains(docs, []byte("(../gateway/"+strings.TrimPrefix(file, "../")+")")) {
			t.Errorf("docs/protocols.md does not point at %s", file)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range frameType.FindAllStringSubmatch(string(text), -1) {
			shown[m[1]+" "+m[2]] = true
		}
	}
	for _, kind := range doorstest.MessageTypes(t) {
		if !shown[kind] {
			t.Errorf("no dialogue has %s", kind)
		}
		if !bytes.Contains(docs, []byte("`"+kind[len("< "):]+"`")) {
			t.Errorf("docs/protocols.md does not tell of %s", kind)
		}
	}
}
