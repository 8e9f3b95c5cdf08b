package doors_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/gateway/testdata"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// The pictures that `cmd/conformance` sends are those that the dialogues were recorded with; -update writes them anew.
func TestSamplesAreCurrent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"card.png", "form.png", "thanks.png", "truncated.png", "blank.gif", "page.html", "noise.bin"} {
		t.Run(name, func(t *testing.T) {
			want, err := doorstest.SampleFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := testdata.File(name); err == nil && bytes.Equal(got, want) {
				return
			}
			at := filepath.Join("..", "testdata", "files", name)
			if !*doorstest.Update {
				t.Fatalf("%s is not what the dialogues send; run go test -run TestSamplesAreCurrent ./gateway/doors -update", at)
			}
			if err := os.WriteFile(at, want, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}
