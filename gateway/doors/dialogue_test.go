package doors_test

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/dialogue"
	"github.com/windieos/windie/internal/test/gatewaytest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// Every dialogue in testdata is replayed against a gateway of its own.
func TestDialogues(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no dialogues", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(gatewaytest.Start(t, doorstest.DialogueConfig(t, name, file)))
			if err != nil {
				t.Fatal(err)
			}
			dialogue.Player{Addr: u.Host, File: doorstest.SampleFile, Update: *doorstest.Update}.Play(t, file)
		})
	}
}
